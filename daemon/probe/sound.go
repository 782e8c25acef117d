package probe

import (
	"context"
	"sync"
	"time"

	"hearthd/audio"
	"hearthd/audio/device"
	"hearthd/daemon/api"
	"hearthd/daemon/ears"
	"hearthd/daemon/engines"
	"hearthd/daemon/supervise"
	"hearthd/daemon/voice"
	"hearthd/vad"
	"hearthd/vad/wake"
)

// Sound opens microphone and speaker as the daemon does, says text after a pause unless it is
// empty, and calls tell with each reading, one call at a time, until ctx ends. It is for when no
// daemon has the devices.
func Sound(ctx context.Context, o Options, pause time.Duration, text string, tell func(api.Sounding)) error {
	s := &sounder{prober: newProber(o), mixer: audio.NewMixer(o.Config.Audio.Volume), say: tell}
	return s.run(ctx, pause, text)
}

// sounder is the part of a daemon that hears and speaks.
type sounder struct {
	*prober
	mixer *audio.Mixer
	mu    sync.Mutex
	say   func(api.Sounding)
}

func (s *sounder) tell(what api.Sounding) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.say(what)
}

// changed reports a device.
func (s *sounder) changed(part string) func(device.Status) {
	return func(st device.Status) {
		if st.State != device.Running && st.State != device.Lost {
			return
		}
		d := &api.SoundDevice{Part: part, State: st.State.String(), Rate: st.Rate}
		if st.Err != nil {
			d.Error = st.Err.Error()
		}
		s.tell(api.Sounding{Device: d})
	}
}

func (s *sounder) run(ctx context.Context, pause time.Duration, text string) error {
	playback, err := device.NewPlayback(device.PlaybackOptions{
		Device: s.Config.Audio.Playback, Mixer: s.mixer, Log: s.Log, Changed: s.changed("speaker"),
	})
	if err != nil {
		return err
	}
	v, err := s.engines.Voice(s.mixer, playback.Wake, nil)
	if err != nil {
		return err
	}
	capture, err := device.NewCapture(device.CaptureOptions{Device: s.Config.Audio.Capture, Log: s.Log,
		Changed: s.changed("microphone")})
	if err != nil {
		return err
	}
	front, err := ears.NewFrontEnd(ears.FrontEndOptions{Setup: engines.Ears(s.Config, s.StateDir),
		Emit: func(*vad.Signal) {}, Detected: func(wake.Detection) bool { return false }})
	if err != nil {
		return err
	}
	m := ears.NewMeter(front, v.Speaking)
	listener, err := front.Listen(capture, s.mixer.Reference(), v.Speaking, m.Look)
	if err != nil {
		return err
	}
	return supervise.Run(ctx, s.Log, []supervise.Part{
		{Name: "playback", Run: playback.Run}, {Name: "capture", Run: capture.Run},
		{Name: "listening", Run: listener.Run},
		{Name: "speech", Run: func(ctx context.Context) error { return s.speak(ctx, v, pause, text) }},
		{Name: "readings", Run: func(ctx context.Context) error {
			readings := m.Watch(ctx)
			for {
				select {
				case <-ctx.Done():
					return nil
				case r := <-readings:
					s.tell(api.Sounding{Reading: &r})
				}
			}
		}},
	}...)
}

// speak says text after a pause, and waits for the end.
func (s *sounder) speak(ctx context.Context, v *voice.Voice, pause time.Duration, text string) error {
	select {
	case <-ctx.Done():
		return nil
	case <-time.After(pause):
	}
	if text != "" {
		speech := v.Begin()
		err := speech.Say(ctx, text, func() {})
		if err == nil {
			err = speech.Drain(ctx)
		}
		if err != nil && ctx.Err() == nil {
			s.Log.Warn("speak", "component", "tts", "error", err)
		}
	}
	<-ctx.Done()
	return nil
}
