package daemon

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"hearthd/audio"
	"hearthd/audio/device"
	"hearthd/daemon/dialogue"
	"hearthd/daemon/ears"
	"hearthd/daemon/engines"
	"hearthd/daemon/health"
	"hearthd/daemon/hooks"
	"hearthd/daemon/keys"
	"hearthd/daemon/lights"
	"hearthd/daemon/music"
	"hearthd/daemon/supervise"
	"hearthd/daemon/voice"
)

const (
	// hookTimeout is the limit for hooks that set none.
	hookTimeout = 10 * time.Second
	fullLight   = 100 // percent
)

// hardware are the keys, the lights and the hooks that are configured.
func (d *base) hardware(turns *dialogue.Dialogue, plays *music.Music) (parts []supervise.Part, err error) {
	c := d.cfg
	if len(c.Buttons.Devices) > 0 {
		k, err := keys.New(keys.Options{Devices: c.Buttons.Devices, Grab: c.Buttons.Grab, Actions: c.Buttons.Keys(),
			Do: presser{turns, plays, c.Buttons.Step}.press, Log: d.log})
		if err != nil {
			return nil, err
		}
		parts = append(parts, supervise.Part{Name: "keys", Policy: supervise.Restart, Run: k.Run})
	}
	if len(c.Lights) > 0 {
		o := lights.Options{Bus: d.bus, Changed: d.lightsChanged, Log: d.log}
		for _, l := range c.Lights {
			o.Lights = append(o.Lights, lights.Light{Name: l.LED, States: l.States,
				Percent: cmp.Or(l.Percent, fullLight),
				Trigger: l.Trigger})
		}
		l, err := lights.New(o)
		if err != nil {
			return nil, err
		}
		parts = append(parts, supervise.Part{Name: "lights", Policy: supervise.Restart, Run: l.Run})
	}
	if len(c.Hooks) > 0 {
		o := hooks.Options{Bus: d.bus, Log: d.log}
		for _, h := range c.Hooks {
			o.Hooks = append(o.Hooks, hooks.Hook{On: h.On, Command: h.Command, Timeout: cmp.Or(h.Timeout, hookTimeout)})
		}
		h, err := hooks.New(o)
		if err != nil {
			return nil, err
		}
		parts = append(parts, supervise.Part{Name: "hooks", Policy: supervise.Restart, Run: h.Run})
	}
	return parts, nil
}

// presser does what keys ask for; step is that of the volume, in percent.
type presser struct {
	dialogue *dialogue.Dialogue
	media    *music.Music
	step     int
}

// press does what a key asks for.
func (d presser) press(ctx context.Context, action string) error {
	step := d.step
	switch action {
	case "listen":
		return d.dialogue.Listen(ctx)
	case "stop":
		return d.dialogue.Stop(ctx)
	case "volume_down":
		step = -step
		fallthrough
	case "volume_up":
		_, err := d.dialogue.StepVolume(ctx, step)
		return err
	case "media_pause":
		if !d.media.Pause() {
			d.media.Resume()
		}
		return nil
	case "media_next":
		d.media.Skip(1)
		return nil
	case "media_previous":
		d.media.Skip(-1)
		return nil
	case "mute":
		s, err := d.dialogue.Status(ctx)
		if err != nil {
			return err
		}
		return d.dialogue.SetMuted(ctx, !s.Muted)
	}
	return fmt.Errorf("no action %q", action)
}

func (d *base) lightsChanged(err error) {
	if err == nil {
		d.conditions.Clear("lights")
		return
	}
	d.log.Warn("light not set", "component", "lights", "error", err)
	d.conditions.Set("lights", health.Warning, "Not every light can be set: "+strings.ReplaceAll(err.Error(), "\n",
		"; ")+".")
}

// sound is the microphone, the speaker and what is between.
type sound struct {
	mixer      *audio.Mixer
	microphone *ears.Microphone
	sense      *ears.Sense
	playback   *device.Playback
	speaker    chan struct{} // closed when it is known whether the speaker works
	voice      *voice.Voice
	inbox      *dialogue.Inbox
	ears       *ears.Ears
}

// newSound makes it; heeds reports whether a wake word is among those that people chose.
func (d *base) newSound(heeds func(word string) bool) (*sound, error) {
	setup := engines.Ears(d.cfg, d.opt.StateDir)
	s := &sound{
		mixer: audio.NewMixer(d.cfg.Audio.Volume), sense: ears.NewSense(&setup), speaker: make(chan struct{}),
		inbox: dialogue.NewInbox(spottedWords(setup.Words)),
	}
	var err error
	s.microphone, err = ears.NewMicrophone(ears.MicrophoneOptions{
		Device: d.cfg.Audio.Capture, Off: d.cfg.Wake.Engine == dialogue.WakeOff, Conditions: d.conditions, Log: d.log,
	})
	if err != nil {
		return nil, err
	}
	if err := s.speak(d); err != nil {
		return nil, err
	}
	s.ears, err = ears.New(ears.Options{
		Setup: setup, Microphone: s.microphone, Sense: s.sense, Far: s.mixer.Reference(), Speaking: s.voice.Sounding,
		Heeds: heeds, Turns: s.inbox, Responder: d.cfg.Choices() != nil, Conditions: d.conditions, Log: d.log,
	})
	return s, err
}

// speak makes the speaker and the voice.
func (s *sound) speak(d *base) error {
	known := sync.OnceFunc(func() { close(s.speaker) })
	var err error
	s.playback, err = device.NewPlayback(device.PlaybackOptions{
		Device: d.cfg.Audio.Playback, Mixer: s.mixer, IdleAfter: d.cfg.Audio.RestAfter,
		Resting: s.microphone.SetPatient,
		Log:     d.log.With("component", "playback"),
		Changed: func(st device.Status) {
			ears.DeviceCondition(d.conditions, "speaker", st)
			if st.State == device.Running || st.State == device.Lost {
				known()
			}
		},
	})
	if err != nil {
		return err
	}
	s.voice, err = d.engines.Voice(s.mixer, s.playback.Wake, s.dead)
	return err
}

// dead reports whether the speaker is known not to work.
func (s *sound) dead() bool {
	select {
	case <-s.speaker:
		return s.mixer.Rate() == 0
	default:
		return false
	}
}

// spottedWords are the wake words as the dialogue knows them.
func spottedWords(list []ears.Word) []dialogue.Word {
	return each(list, func(w ears.Word) dialogue.Word {
		return dialogue.Word{Name: w.Name, Stop: w.Stop, Route: w.Route}
	})
}
