package timer

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// GaveUp is Ended for what rang until it gave up; mute: the speaker was not there. It is told once somebody is there.
func (t *Timers) GaveUp(ids []int64, mute bool) {
	t.mu.Lock()
	for i := range t.rung {
		if e := t.rung[i].Timer; slices.Contains(ids, e.ID) && t.rung[i].rings() {
			e.Unheard, e.Mute, e.Rang = e.Rang, mute, time.Time{}
			t.unheard[e.ID] = e
		}
	}
	t.markUnheard()
	t.mu.Unlock()
	t.Ended(ids)
	t.changed()
}

// markUnheard lets what repeats say itself that it was not heard, because it is stored so. t.mu is held.
func (t *Timers) markUnheard() {
	for i := range t.entries {
		e := &t.entries[i]
		u := t.unheard[e.ID]
		e.Unheard, e.Mute = u.Unheard, u.Mute
	}
}

// Unheard says what rang and nobody has been told of; it is empty if there is none.
func (t *Timers) Unheard() string {
	t.mu.Lock()
	list := slices.SortedFunc(maps.Values(t.unheard), func(a, b Timer) int { return a.Unheard.Compare(b.Unheard) })
	t.mu.Unlock()
	var said []string
	for _, e := range list[max(0, len(list)-4):] {
		e.Ends = e.Unheard
		about := t.about(e)
		about["mute"] = e.Mute
		said = append(said, t.Book.Say("timer.unheard", about))
	}
	return strings.Join(said, " ")
}

// Told says that somebody knows of what Unheard says.
func (t *Timers) Told() {
	t.mu.Lock()
	t.unstored = slices.AppendSeq(t.unstored, maps.Keys(t.unheard))
	clear(t.unheard)
	t.markUnheard()
	t.mu.Unlock()
	poke(t.save)
	t.changed()
}
