package daemon

import (
	"context"
	"fmt"
	"sync"
	"time"

	"hearthd/audio"
	"hearthd/audio/device"
	"hearthd/daemon/dialogue"
	"hearthd/daemon/health"
)

// speakerParts are the speaker and what speaks through it.
type speakerParts struct {
	device *device.Playback
	voice  *dialogue.Voice
}

func (d *Daemon) buildVoice() (*speakerParts, error) {
	d.mixer = audio.NewMixer(d.cfg.Audio.Volume)
	known := sync.OnceFunc(func() { close(d.speaker) })
	playback, err := device.NewPlayback(device.PlaybackOptions{
		Device: d.cfg.Audio.Playback, Mixer: d.mixer, IdleAfter: d.cfg.Audio.RestAfter,
		Resting: func(resting bool) { d.capture.SetPatient(resting) },
		Log:     d.log.With("component", "playback"),
		Changed: func(s device.Status) {
			d.deviceChanged("speaker", s)
			if s.State == device.Running || s.State == device.Lost {
				known()
			}
		},
	})
	if err != nil {
		return nil, err
	}
	engine, fallback, err := d.voices()
	if err != nil {
		return nil, err
	}
	voice, err := dialogue.NewVoice(dialogue.VoiceOptions{
		Log: d.log, Mixer: d.mixer, Wake: playback.Wake, Engine: engine, Fallback: fallback,
		Speaking: d.speaks,
	})
	if err != nil {
		return nil, err
	}
	return &speakerParts{device: playback, voice: voice}, nil
}

// microphoneChanged is called by the capture's goroutine, which must not wait.
func (d *Daemon) microphoneChanged(s device.Status) {
	d.deviceChanged("microphone", s)
	switch s.State {
	case device.Running, device.Muted: // one that is closed is not looked for; when it is opened, its time begins anew
		d.lostAt.Store(nil)
	case device.Lost:
		now := time.Now()
		d.lostAt.CompareAndSwap(nil, &now)
	}
	select {
	case d.microphone <- s.State:
	case <-d.microphone: // the newest state is the one that counts
		d.microphone <- s.State
	}
}

// followMicrophone tells the dialogue whether it can hear.
func (d *Daemon) followMicrophone(ctx context.Context) error {
	settle := sync.OnceFunc(func() { close(d.settled) })
	for {
		select {
		case <-ctx.Done():
			return nil
		case s := <-d.microphone:
			if s == device.Lost || s == device.Muted {
				settle()
			}
			if s != device.Running && s != device.Lost {
				continue
			}
			if err := d.dialogue.SetMicrophone(ctx, s == device.Running); err != nil && ctx.Err() == nil {
				return fmt.Errorf("tell dialogue of the microphone: %w", err)
			}
		}
	}
}

// deviceChanged keeps the condition of a sound device.
func (d *Daemon) deviceChanged(code string, s device.Status) {
	switch s.State {
	case device.Running:
		d.conditions.Clear(code)
	case device.Lost:
		d.conditions.Set(code, health.Error, fmt.Sprintf("The %s %q does not work: %v.", code, s.Device, s.Err))
	}
}

// engineState keeps the condition of a speech engine: err is what its last use
// ended with.
func (d *Daemon) engineState(code string, err error, text string) {
	if err == nil {
		d.conditions.Clear(code)
		return
	}
	severity := health.Warning
	if told := missingModel(d.cfg, err); told != "" {
		severity, text = health.Error, told
	}
	d.conditions.Set(code, severity, text)
}
