package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/cmd/hearthctl/mic"
	"hearthd/daemon/api"
	"hearthd/daemon/doctor"
)

const (
	// soundQuiet is the time over which the noise of the room is measured, and soundAll how long
	// everything takes: the text and a little more.
	soundQuiet = 2 * time.Second
	soundAll   = 12 * time.Second
	// soundLimit leaves time for devices to open.
	soundLimit = 25 * time.Second
	// noisy is a floor above which usual speech (speechTarget) is no longer clear.
	noisy = mic.SpeechTarget - mic.MinAboveNoise
)

// doctorSound is what the speaker says, for about as long as the canceller needs.
const doctorSound = "This is hearthd, and I am measuring. While I speak, the microphone hears me, and I take what " +
	"it hears of me away again."

// hearing is what was measured of the microphone and the speaker.
type hearing struct {
	mic.Test
	microphone, speaker api.SoundDevice
}

// sound measures microphone, speaker and echo: through the daemon, or, where none runs, through its
// program.
func (p *patient) sound(ctx context.Context) []doctor.Finding {
	if p.denied {
		return []doctor.Finding{doctor.New(doctor.Microphone, doctor.Skip,
			"hearthd has it, and may not be asked: sudo hearthctl doctor")}
	}
	if p.settings == nil {
		return []doctor.Finding{doctor.New(doctor.Microphone, doctor.Skip,
			"not looked at: the configuration cannot be read")}
	}
	if p.closed() {
		return append([]doctor.Finding{doctor.New(doctor.Microphone, doctor.Skip,
			"wake.engine is off: the microphone stays closed")}, p.loudness()...)
	}
	h := &hearing{}
	h.Played = !p.x.Quiet
	var err error
	if p.running {
		if p.status.Muted {
			f := doctor.New(doctor.Microphone, doctor.Warn, "muted: it hears nothing until somebody unmutes it").
				Mend("hearthctl unmute")
			f.Repair = func(ctx context.Context) error {
				return p.c.Ask(ctx, ctl.Request{Path: "/v1/mute", Body: api.Mute{Muted: new(bool)}}, nil)
			}
			return append([]doctor.Finding{f}, p.loudness()...)
		}
		err = p.listen(ctx, h)
	} else {
		err = p.listenAlone(ctx, h)
	}
	if err != nil {
		return []doctor.Finding{doctor.New(doctor.Microphone, doctor.Fail, "cannot be listened to: %v", err).
			Mend("hearthctl mic test; journalctl -u hearthd -n 50")}
	}
	return p.heard(h)
}

// listen takes the readings of the daemon.
func (p *patient) listen(ctx context.Context, h *hearing) error {
	for _, k := range p.status.Conditions {
		switch k.Code {
		case "microphone":
			h.microphone = api.SoundDevice{State: "lost", Error: k.Text}
		case "speaker":
			h.speaker = api.SoundDevice{State: "lost", Error: k.Text}
		}
	}
	if h.microphone.State == "lost" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, soundAll)
	defer cancel()
	said := p.x.Quiet
	begun := time.Now()
	for r, err := range mic.Readings(ctx, p.c) {
		if err != nil {
			return err
		}
		h.Add(&r.Meter)
		passed := time.Since(begun)
		if p.x.Quiet && passed > soundQuiet {
			return nil
		}
		if !said && passed > soundQuiet {
			said = true
			if err := p.c.Say(ctx, doctorSound); err != nil {
				return err
			}
		}
	}
	return nil
}

// listenAlone takes the readings of hearthd's program.
func (p *patient) listenAlone(ctx context.Context, h *hearing) error {
	length, args := soundAll, []string{"--pause", soundQuiet.String(), "--say", doctorSound}
	if p.x.Quiet {
		length, args = soundQuiet+time.Second, nil
	}
	ctx, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	cmd, err := p.program(ctx, "sound", args...)
	if err != nil {
		return err
	}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start hearthd: %w", err)
	}
	for lines := json.NewDecoder(pipe); ; {
		var s api.Sounding
		if err = lines.Decode(&s); err != nil {
			break
		}
		switch {
		case s.Reading != nil:
			h.Add(s.Reading)
		case s.Device != nil && s.Device.Part == "microphone":
			h.microphone = *s.Device
		case s.Device != nil:
			h.speaker = *s.Device
		}
	}
	timeUp := ctx.Err() != nil
	if ended := cmd.Wait(); !timeUp && ended != nil {
		return fmt.Errorf("hearthd probe sound: %w", ended)
	}
	return nil
}

// heard makes findings of what was measured.
func (p *patient) heard(h *hearing) []doctor.Finding {
	microphone := p.microphone(h)
	found := []doctor.Finding{microphone}
	if h.speaker.State == "lost" {
		found = append(found, doctor.New(doctor.Speaker, doctor.Fail, "%s", h.speaker.Error).
			Mend("aplay -L lists the names; audio: {playback: NAME} in /etc/hearthd/conf.d/audio.yaml; systemctl "+
				"restart hearthd"))
	} else {
		found = append(found, p.loudness()...)
	}
	return append(found, p.echo(h, microphone.Verdict == doctor.Fail || h.speaker.State == "lost"))
}

// microphone judges level and noise.
func (p *patient) microphone(h *hearing) doctor.Finding {
	f := doctor.New(doctor.Microphone, doctor.OK, "noise %.0f dBFS, loudest sample %.0f", h.Floor(), h.Loudest)
	if h.N > 0 {
		f = f.With("noise_dbfs", h.Floor()).With("peak_dbfs", h.Loudest)
	}
	if h.microphone.Rate > 0 {
		f.Text += fmt.Sprintf(", %d Hz", h.microphone.Rate)
		f = f.With("rate_hz", float64(h.microphone.Rate))
	}
	bad := func(v doctor.Verdict, format string, args ...any) doctor.Finding {
		f.Verdict, f.Text = v, fmt.Sprintf(format, args...)
		return f
	}
	switch {
	case h.microphone.State == "lost":
		return bad(doctor.Fail, "%s", h.microphone.Error).
			Mend("arecord -L lists the names; audio: {capture: NAME} in /etc/hearthd/conf.d/audio.yaml; systemctl " +
				"restart hearthd")
	case h.N == 0:
		return bad(doctor.Fail, "nothing comes from it: the driver stands still").
			Mend("unplug it and plug it in again; journalctl -k -n 50")
	case h.Loudest <= mic.DigitalSilence:
		return bad(doctor.Fail, "nothing but digital silence comes from it: it is muted in the mixer, switched off or "+
			"not plugged in").Mend("alsamixer (F4, then M and the arrow up); its own switch; then: hearthctl mic test")
	case float64(h.Clipped) > mic.ClippedShare*float64(h.N):
		return bad(doctor.Warn, "overdriven: samples are clipped in %.0f %% of the time",
			100*float64(h.Clipped)/float64(h.N)).Mend("alsamixer (F4, arrow down): 6 dB less or more; then: " +
			"hearthctl mic test")
	case len(h.Quiet) > 0 && h.Floor() > noisy:
		return bad(doctor.Warn, "the room, or its own amplifier, is as loud as speech: noise %.0f dBFS", h.Floor()).
			Mend("alsamixer (F4, arrow down); away from fans; then: hearthctl mic test")
	}
	return f
}

// loudness reports on the speaker, as far as the daemon knows.
func (p *patient) loudness() []doctor.Finding {
	switch {
	case !p.running:
		return []doctor.Finding{doctor.New(doctor.Speaker, doctor.OK, "can be opened")}
	case p.status.Volume == 0:
		return []doctor.Finding{doctor.New(doctor.Speaker, doctor.Warn, "the volume is 0").With("volume_percent", 0).
			Mend("hearthctl volume 70")}
	}
	return []doctor.Finding{doctor.New(doctor.Speaker, doctor.OK, "volume %d %%", p.status.Volume).
		With("volume_percent", float64(p.status.Volume))}
}

// echo judges the echo from the speaker to the microphone, and how much of it is cancelled.
func (p *patient) echo(h *hearing, broken bool) doctor.Finding {
	switch mode := p.settings["audio.aec"]; {
	case broken:
		return doctor.New(doctor.Echo, doctor.Skip, "not measured: that needs microphone and speaker")
	case p.x.Quiet:
		return doctor.New(doctor.Echo, doctor.Skip, "not measured: no sound was made")
	case mode == "device" || mode == "off":
		return doctor.New(doctor.Echo, doctor.Skip, "hearthd cancels none: audio.aec is %s", mode)
	case !h.Known:
		return doctor.New(doctor.Echo, doctor.Warn,
			"the microphone does not hear the speaker: it is turned off, too quiet, far away, or more than half a "+
				"second late").
			Mend("speaker-test -t wav -c 1 -l 1; hearthctl volume 70; alsamixer")
	}
	f := doctor.New(doctor.Echo, doctor.OK, "the speaker is heard after %.0f ms", h.Delay).With("delay_ms", h.Delay)
	if !h.Measured {
		return f
	}
	f.Text += fmt.Sprintf(", and %.0f dB of it are taken away", h.Suppression)
	f = f.With("suppression_db", h.Suppression)
	if h.Suppression < mic.MinSuppression {
		f.Verdict = doctor.Warn
		return f.Mend("hearthctl volume 50; more room between microphone and speaker; hearthctl mic test --play " +
			"listens " +
			"for longer")
	}
	return f
}
