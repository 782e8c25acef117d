package timer

import (
	"time"

	"hearthd/tools/when"
)

// inZone is when s, which was stored, ends by the clock on the wall now: who said seven o'clock, and changed
// the time zone since then, means seven by the new one.
func (t *Timers) inZone(s Timer, wall time.Time) time.Time {
	clock := s.Starts.Sub(when.Date(s.Starts))
	f := when.Float(s.Ends, t.Location)
	if s.Length > 0 || s.Ends.Equal(s.Rang) || s.Ends.Equal(s.Unheard) || s.Starts.Unix() <= 0 ||
		f.Sub(when.Date(f)) == clock {
		return s.Ends
	}
	if s.Repeat == "" {
		return when.Resolve(s.Starts, t.Location)
	}
	best, off := s.Ends, 24*time.Hour // a zone is less than a day away
	for days := -1; days <= 1; days++ {
		at := when.Date(f).AddDate(0, 0, days).Add(clock)
		ends := when.Resolve(at, t.Location)
		next, ok := s.Repeat.Next(s.Starts, at.Add(-time.Second))
		if far := ends.Sub(s.Ends).Abs(); ok && next.Equal(at) && ends.After(wall) && far < off {
			best, off = ends, far
		}
	}
	return best
}
