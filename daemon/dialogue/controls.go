package dialogue

import (
	"context"
	"time"

	"hearthd/daemon/event"
)

// saveLimit bounds the wait for the disk, well below signalQueue.
const saveLimit = time.Second

// setMuted closes or opens the microphone, even if the setting cannot be saved.
func (m *machine) setMuted(ctx context.Context, muted bool) error {
	if muted == m.muted {
		return nil
	}
	m.muted = muted
	m.opt.Ears.SetMuted(muted)
	m.opt.Bus.Publish(&event.MuteChanged{Muted: muted})
	if muted {
		m.stopListening()
		if t := m.turn(); t != nil && t.spoken() != nil {
			t.spoken().Upload.Drop() // what has not been sent yet stays in the box
		}
	}
	return save(ctx, m.opt.Settings.SetMuted, muted)
}

// setMicrophone notes whether the microphone works.
func (m *machine) setMicrophone(works bool) {
	if m.micFails = !works; m.micFails {
		m.stopListening()
	}
}

// stopListening closes the window and gives up every utterance.
func (m *machine) stopListening() {
	m.closeWindow()
	m.dropUtterances()
}

func (m *machine) setVolume(ctx context.Context, percent int) error {
	m.volume = percent
	m.opt.Voice.SetVolume(percent)
	m.opt.Bus.Publish(&event.VolumeChanged{Percent: percent})
	return save(ctx, m.opt.Settings.SetVolume, percent)
}

// save waits for a disk, but not so long that the loop falls behind the microphone.
func save[T any](ctx context.Context, fn func(context.Context, T) error, v T) error {
	ctx, cancel := context.WithTimeout(ctx, saveLimit)
	defer cancel()
	return fn(ctx, v)
}
