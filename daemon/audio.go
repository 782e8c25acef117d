package daemon

import (
	"sync"

	"hearthd/audio"
	"hearthd/audio/device"
	"hearthd/daemon/ears"
	"hearthd/daemon/health"
	"hearthd/daemon/voice"
)

// speakerParts are the speaker and what speaks through it.
type speakerParts struct {
	device *device.Playback
	voice  *voice.Voice
}

func (d *Daemon) buildVoice() (*speakerParts, error) {
	d.mixer = audio.NewMixer(d.cfg.Audio.Volume)
	known := sync.OnceFunc(func() { close(d.speaker) })
	playback, err := device.NewPlayback(device.PlaybackOptions{
		Device: d.cfg.Audio.Playback, Mixer: d.mixer, IdleAfter: d.cfg.Audio.RestAfter,
		Resting: d.microphone.SetPatient,
		Log:     d.log.With("component", "playback"),
		Changed: func(s device.Status) {
			ears.DeviceCondition(d.conditions, "speaker", s)
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
	v, err := voice.New(voice.Options{
		Log: d.log, Mixer: d.mixer, Wake: playback.Wake, Engine: engine, Fallback: fallback,
		Speaking: d.speaks,
	})
	if err != nil {
		return nil, err
	}
	return &speakerParts{device: playback, voice: v}, nil
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
