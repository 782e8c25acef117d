package music

import (
	"context"
	"fmt"
	"slices"

	"hearthd/media"
)

const (
	// softest is the volume of a station that begins to wake somebody, in percent of its own; least is what
	// that and the speaker's must be for it to be heard by who sleeps.
	softest, least = 20, 30
)

// Station is the name of the radio station that people call so; "radio", unless one is called so, is what was played
// last, or else the first.
func (m *Music) Station(name string) (string, bool) {
	radio := m.radio()
	if s, ok := media.Find(m.Stations(), name); ok && !s.Podcast {
		return s.Name, true
	}
	if name != "radio" || len(radio) == 0 {
		return "", false
	}
	if last := m.Now().Item.Station; last != "" {
		return last, true
	}
	return radio[0].Station, true
}

// radio is what plays the stations.
func (m *Music) radio() (items []media.Item) {
	for _, s := range m.Stations() {
		if !s.Podcast {
			items = append(items, s.Item())
		}
	}
	return items
}

// WakeWith plays a station for somebody who sleeps, softly at first, and returns when it sounds. An error: it does not.
func (m *Music) WakeWith(ctx context.Context, station string) error {
	radio := m.radio()
	at := slices.IndexFunc(radio, func(it media.Item) bool { return it.Station == station })
	if at < 0 {
		return fmt.Errorf("play station %q: %w", station, media.Gone)
	}
	if loud := m.opt.Mixer.Volume(); loud < least {
		return fmt.Errorf("play station %q: the speaker is at %d percent", station, loud)
	}
	m.SetVolume(max(m.Now().Volume, least))
	m.Swell(softest)
	m.lost.Store(false)
	m.Play(radio, at)
	if err := m.Await(ctx); err != nil {
		m.Stop()
		m.Swell(100)
		return fmt.Errorf("play station %q: %w", station, err)
	}
	return nil
}

// Waking reports whether what was to wake somebody sounds, and whether a person has ended it.
func (m *Music) Waking() (sounds, ended bool) {
	lost, plays := m.lost.Load(), m.Now().State == media.Playing
	return plays && m.Sounding(), !plays && !lost
}
