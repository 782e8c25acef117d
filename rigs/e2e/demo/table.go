package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"hearthd/audio"
	"hearthd/rigs/e2e"
	"hearthd/rigs/testcard"
)

// demoVoice is the synthetic voice that the built-in recogniser copes with best.
const demoVoice = "slt"

// row is one line of the table.
type row struct {
	request, heard, done, answer string
	firstSound                   int // ms; 0: nothing was heard
	problem                      string
}

func (r *row) fill(t e2e.Turn) {
	r.heard, r.answer, r.firstSound = t.Transcript, t.Answer, t.Stages.FirstSound
	r.done = t.Route
	for _, u := range t.Tools {
		r.done = u.Tool + " " + u.Outcome
	}
}

// check compares a turn with what was asked for.
func (r *row) check(s step, t e2e.Turn) {
	switch {
	case t.Outcome != "answered":
		r.problem = t.Outcome + " " + t.Reason
	case t.Route != s.route:
		r.problem = "answered by " + t.Route + ", want " + s.route
	case s.heard != nil && !s.heard.MatchString(t.Transcript):
		r.problem = "heard something else"
	case s.tool != "" && (len(t.Tools) != 1 || t.Tools[0].Tool != s.tool || t.Tools[0].Outcome != "ok"):
		r.problem = s.tool + " did not run"
	case s.answer != nil && !s.answer.MatchString(t.Answer), t.Answer == "":
		r.problem = "the answer does not fit"
	case t.Stages.FirstSound == 0:
		r.problem = "nothing was heard from the speaker"
	}
}

func failures(rows []row) error {
	n := 0
	for _, r := range rows {
		if r.problem != "" {
			n++
		}
	}
	if n > 0 {
		return fmt.Errorf("%d of %d requests were not fulfilled", n, len(rows))
	}
	return nil
}

// view writes what happens to a terminal. Several goroutines use it.
type view struct {
	mu    sync.Mutex
	w     io.Writer
	begun time.Time
}

func newView(w io.Writer) *view { return &view{w: w, begun: time.Now()} }

func (v *view) line(kind, text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	const most = 140 // the rest of an MQTT message is where it came from
	if r := []rune(text); len(r) > most {
		text = string(r[:most-1]) + "…"
	}
	fmt.Fprintf(v.w, "%7.2f  %-7s %s\n", time.Since(v.begun).Seconds(), kind, text)
}

func (v *view) say(s step) {
	v.mu.Lock()
	fmt.Fprintln(v.w)
	v.mu.Unlock()
	switch {
	case s.nothing:
		v.line("room", "(dishes, then a voice on the radio) “"+s.say+"”")
	case s.text != "":
		v.line("text", "“"+s.text+"”")
	default:
		v.line("person", "“"+s.say+"”")
	}
}

func (v *view) mqtt(line string) { v.line("mqtt", line) }

// event shows an event in a few words.
func (v *view) event(data []byte) {
	var e struct {
		Type, From, To, By, Text, Route, Intent, Tool, Outcome, Reason string
		Seconds                                                        float64
		TookMS                                                         int `json:"took_ms"`
	}
	if json.Unmarshal(data, &e) != nil {
		return
	}
	switch e.Type {
	case "state":
		v.line("state", e.From+" → "+e.To)
	case "woken":
		v.line("wake", "by "+strings.ReplaceAll(e.By, "_", " "))
	case "heard":
		v.line("heard", "“"+e.Text+"”")
	case "routed":
		v.line("route", strings.TrimSpace(e.Route+" "+e.Intent))
	case "tool_finished":
		v.line("tool", fmt.Sprintf("%s: %s, %d ms", e.Tool, e.Outcome, e.TookMS))
	case "said":
		v.line("answer", "“"+e.Text+"”")
	case "speech_ended":
		v.line("speech", fmt.Sprintf("%.1f s, ended by %s", e.Seconds, e.Reason))
	case "ignored":
		v.line("ignored", strings.ReplaceAll(e.Reason, "_", " "))
	case "turn":
		var t e2e.Turn
		if json.Unmarshal(data, &t) == nil {
			s := t.Stages
			v.line("stages", fmt.Sprintf("endpoint %d, speech to text %d, route %d, tool %d, text to speech %d, play %d; "+
				"first sound after %d ms",
				s.Endpoint, s.STT, s.Route, s.Tool, s.TTS, s.Play, s.FirstSound))
		}
	}
}

// table prints the whole conversation.
func (v *view) table(rows []row) {
	fmt.Fprintln(v.w)
	tw := tabwriter.NewWriter(v.w, 2, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "REQUEST\tHEARD\tDONE\tANSWERED\tFIRST SOUND\t")
	for _, r := range rows {
		sound := "-"
		if r.firstSound > 0 {
			sound = fmt.Sprintf("%d ms", r.firstSound)
		}
		verdict := ""
		if r.problem != "" {
			verdict = "FAILED: " + r.problem
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\n", clip(r.request), clip(r.heard), clip(r.done), clip(r.answer), sound,
			verdict)
	}
	tw.Flush()
}

func clip(s string) string {
	const most = 52
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	if s == "" {
		return "-"
	}
	return s
}

// keep writes the card's raw samples as a WAV, which must be loud enough to be heard.
func keep(wav string, data []byte) error {
	samples := make([]int16, len(data)/2)
	loudest := int16(0)
	for i := range samples {
		samples[i] = int16(binary.LittleEndian.Uint16(data[2*i:]))
		loudest = max(loudest, samples[i])
	}
	f, err := os.Create(wav)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := audio.EncodeWAV(f, audio.Chunk{Rate: testcard.Rate, Samples: samples}); err != nil {
		return fmt.Errorf("write %q: %w", wav, err)
	}
	if loudest < 1000 {
		return fmt.Errorf("in %q nothing can be heard (peak %d)", wav, loudest)
	}
	return f.Close()
}
