package config

import (
	"strings"
	"time"
)

// Ring is how timers, alarms and reminders ring.
type Ring struct {
	Limit  time.Duration `yaml:"limit"`  // then it gives up
	Volume int           `yaml:"volume"` // percent that it rises to, unless the speaker's is higher
	Snooze time.Duration `yaml:"snooze"` // unless another time is asked for
}

// Hours reads "22:00-07:00", the time of day at which it begins and at which it
// ends. Not ok: text is empty or nothing of that kind.
func Hours(text string) (from, to time.Duration, ok bool) {
	begin, end, _ := strings.Cut(text, "-")
	f, errf := time.Parse("15:04", strings.TrimSpace(begin))
	t, errt := time.Parse("15:04", strings.TrimSpace(end))
	midnight := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)
	return f.Sub(midnight), t.Sub(midnight), errf == nil && errt == nil && !f.Equal(t)
}

func (r *Ring) check(k *checker) {
	k.duration("tools.ring.limit", r.Limit, 10*time.Second, time.Hour)
	k.between("tools.ring.volume", r.Volume, 0, 100)
	k.duration("tools.ring.snooze", r.Snooze, time.Minute, 4*time.Hour)
}
