package daemon

import (
	"sync"

	"hearthd/audio"
	"hearthd/audio/device"
	"hearthd/daemon/dialogue"
	"hearthd/daemon/ears"
	"hearthd/daemon/engines"
	"hearthd/daemon/voice"
)

// sound is what the box hears and speaks with.
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

// newSound makes it; heeds tells which wake words people chose.
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
		Setup: setup, Microphone: s.microphone, Sense: s.sense, Far: s.mixer.Reference(), Speaking: s.voice.Speaking,
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
	engine, fallback, err := d.engines.Voices()
	if err != nil {
		return err
	}
	s.voice, err = voice.New(voice.Options{
		Log: d.log, Mixer: s.mixer, Wake: s.playback.Wake, Engine: engine, Fallback: fallback, Speaking: d.engines.Spoke,
	})
	return err
}

// spottedWords are the wake words as the dialogue knows them.
func spottedWords(list []ears.Word) []dialogue.Word {
	var out []dialogue.Word
	for _, w := range list {
		out = append(out, dialogue.Word{Name: w.Name, Stop: w.Stop, Route: w.Route})
	}
	return out
}
