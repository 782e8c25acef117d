package mic

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/daemon/api"
)

// What a microphone should deliver, in dBFS and dB. Levels are those of the loudest 20 ms in 100:
// about 4 dB above the RMS of speech. The automatic gain corrects what is between tooQuiet and
// tooLoud.
const (
	DigitalSilence = -90.0
	SpeechTarget   = -26.0
	tooQuiet       = -42.0
	tooLoud        = -12.0
	MinAboveNoise  = 12.0
	MinSuppression = 15.0
	speechFrom     = 0.5 // probability
	// More than clippedShare of the readings with clipped samples is more than a plop.
	ClippedShare = 0.02
	// floorQuantile of the quietest moments is the noise floor.
	floorQuantile = 0.2
)

// Test is what readings tell about a microphone.
type Test struct {
	Muted, Played bool
	Trouble       string // the condition of the microphone
	mute          string // that of the speaker

	N, Clipped, spoken int
	Loudest            float64 // sample
	sound              float64 // level of the loudest moment that was not the speaker's
	power              float64 // of speech, a sum
	Quiet              []float64
	spoke              bool    // the speaker did
	itself             bool    // the microphone has its own canceller: it is listened to while the speaker sounds
	left               float64 // level of the loudest moment of that echo
	echo               bool    // there is a canceller
	Suppression, Delay float64
	Measured, Known    bool // of the two
}

func (m *Test) Add(r *api.Meter) {
	level, quiet, peak := tenths(r.Level), tenths(r.Quiet), tenths(r.Peak)
	if m.N == 0 {
		m.Loudest, m.sound, m.left = peak, DigitalSilence, DigitalSilence
	}
	m.N++
	m.Loudest = math.Max(m.Loudest, peak)
	if r.Clipped > 0 {
		m.Clipped++
	}
	m.spoke = m.spoke || r.Speaks
	if r.Speaks && !r.Held && r.Echo == nil {
		m.itself, m.left = true, math.Max(m.left, level)
	}
	if !r.Held && !r.Speaks && (r.Echo == nil || !r.Echo.Active) {
		m.Quiet = append(m.Quiet, quiet)
		m.sound = math.Max(m.sound, level)
		if r.Speech >= speechFrom {
			m.spoken++
			m.power += math.Pow(10, level/10)
		}
	}
	if r.Echo == nil {
		return
	}
	m.echo = true
	if r.Echo.Active {
		m.Suppression, m.Measured = tenths(r.Echo.Suppression), true
	}
	if r.Echo.DelayMS != nil {
		m.Delay, m.Known = tenths(*r.Echo.DelayMS), true
	}
}

// tenths is x without what a float32 has behind the first decimal.
func tenths(x float32) float64 { return math.Round(10*float64(x)) / 10 }

// Floor is the noise floor in dBFS.
func (m *Test) Floor() float64 {
	if len(m.Quiet) == 0 {
		return DigitalSilence
	}
	q := slices.Sorted(slices.Values(m.Quiet))
	return q[int(floorQuantile*float64(len(q)))]
}

// speech is the level of speech in dBFS.
func (m *Test) speech() float64 { return 10 * math.Log10(m.power/float64(m.spoken)) }

// micResult is the result as JSON. What was not measured is omitted.
type micResult struct {
	Good        bool     `json:"good"`
	Advice      string   `json:"advice"`
	Floor       *float64 `json:"floor_dbfs,omitempty"`
	Speech      *float64 `json:"speech_dbfs,omitempty"`
	Peak        *float64 `json:"peak_dbfs,omitempty"`
	Clipped     float64  `json:"clipped_share"`
	Suppression *float64 `json:"echo_suppression_db,omitempty"`
	Delay       *float64 `json:"echo_delay_ms,omitempty"`
}

func (m *Test) result() micResult {
	var r micResult
	r.Advice, r.Good = m.advice()
	if m.N > 0 {
		floor := m.Floor()
		r.Floor, r.Peak, r.Clipped = &floor, &m.Loudest, float64(m.Clipped)/float64(m.N)
	}
	if m.spoken > 0 {
		speech := m.speech()
		r.Speech = &speech
	}
	if m.Measured {
		r.Suppression = &m.Suppression
	}
	if m.Known {
		r.Delay = &m.Delay
	}
	return r
}

// advice is the one thing to change first, and whether nothing need be.
func (m *Test) advice() (text string, good bool) {
	const mixer = "with alsamixer (F4 shows capture)"
	switch {
	case m.Muted:
		return "Nothing comes from the microphone: hearthd is muted; run hearthctl unmute.", false
	case m.N == 0 && m.Trouble != "":
		return "Nothing comes from the microphone: " + m.Trouble + " arecord -L lists the cards for audio.capture.",
			false
	case m.N == 0:
		return "Nothing comes from the microphone: look at hearthctl status and journalctl -u hearthd.", false
	case m.Loudest <= DigitalSilence:
		return "Nothing but digital silence comes from the microphone: unmute it " + mixer +
			", or choose another card with audio.capture.", false
	case float64(m.Clipped) > ClippedShare*float64(m.N):
		return "The microphone clips: lower the capture volume by 6 dB or more " + mixer + ".", false
	case m.spoken == 0 && m.sound < m.Floor()+MinAboveNoise:
		return "Nobody was heard: speak during the test. If you did, raise the capture volume " + mixer + ".", false
	case m.spoken == 0:
		return "No speech was heard, but other sound: speak during the test, nearer to the microphone.", false
	}
	return m.adviceOnSpeech(mixer)
}

func (m *Test) adviceOnSpeech(mixer string) (text string, good bool) {
	speech, above := m.speech(), m.speech()-m.Floor()
	switch {
	case speech < tooQuiet:
		return fmt.Sprintf("Speech is %.0f dB too quiet: raise the capture volume %s.", SpeechTarget-speech, mixer),
			false
	case speech > tooLoud:
		return fmt.Sprintf("Speech is %.0f dB too loud: lower the capture volume %s.", speech-SpeechTarget, mixer),
			false
	case above < MinAboveNoise:
		return fmt.Sprintf(
			"Speech is only %.0f dB above the noise: move the microphone towards you, or away from what "+
				"makes the noise.", above), false
	}
	return m.adviceOnSpeaker()
}

func (m *Test) adviceOnSpeaker() (text string, good bool) {
	switch {
	case m.Played && m.mute != "":
		return "The microphone is well, but the speaker is not: " + m.mute, false
	case m.Played && (!m.spoke || m.echo && !m.Measured):
		return "The microphone is well, but the speaker was not heard to speak: is its volume 0? See hearthctl status.",
			false
	case m.itself && m.left > m.Floor()+MinAboveNoise:
		return fmt.Sprintf("The microphone leaves %.0f dB of what the speaker says above the noise: turn the speaker "+
			"down, or try audio.aec: auto.", m.left-m.Floor()), false
	case m.Played && !m.echo && !m.itself:
		return "All is well, but what the speaker says is not taken out of the microphone: audio.aec: auto lets you " +
			"interrupt it.", true
	case m.Played && m.echo && !m.Known:
		return "The speaker is not found in what the microphone hears: turn it up. If you hear it well, it sounds " +
			"more than half a second late; audio.aec: off is for that.", false
	case m.Played && m.echo && m.Suppression < MinSuppression:
		return fmt.Sprintf("Only %.0f dB of the speaker's own sound is taken away: turn it down, or move the "+
			"microphone "+
			"away from it.", m.Suppression), false
	}
	return "All is well: nothing need be changed.", true
}

// Show prints the result.
func (m *Test) Show(w io.Writer) {
	if m.N > 0 {
		fmt.Fprintf(w, "noise floor %.0f dBFS, loudest sample %.0f", m.Floor(), m.Loudest)
		if m.spoken > 0 {
			fmt.Fprintf(w, ", speech %.0f, %.0f dB above the noise", m.speech(), m.speech()-m.Floor())
		}
		if m.Clipped > 0 {
			fmt.Fprintf(w, ", clipped in %.0f %% of the time", math.Ceil(100*float64(m.Clipped)/float64(m.N)))
		}
		fmt.Fprintln(w)
	}
	if m.Known {
		fmt.Fprintf(w, "the speaker is heard after %.0f ms", m.Delay)
		if m.Measured {
			fmt.Fprintf(w, ", and %.0f dB of it is taken away", m.Suppression)
		}
		fmt.Fprintln(w)
	}
	text, _ := m.advice()
	fmt.Fprintln(w, text)
}

// Listen takes readings until ctx ends, and shows each.
func (m *Test) Listen(ctx context.Context, c *ctl.Client, show func(Reading)) error {
	for r, err := range Readings(ctx, c) {
		if err != nil {
			return err
		}
		m.Add(&r.Meter)
		show(r)
	}
	return nil
}

// State asks whether anything can come from the microphone.
func State(ctx context.Context, c *ctl.Client) (*Test, error) {
	var s api.Status
	if err := c.Ask(ctx, ctl.Request{Path: "/v1/status"}, &s); err != nil {
		return nil, err
	}
	m := &Test{Muted: s.Muted}
	for _, k := range s.Conditions {
		switch k.Code {
		case "microphone":
			m.Trouble = ctl.Visible(k.Text)
		case "speaker":
			m.mute = ctl.Visible(k.Text)
		}
	}
	return m, nil
}
