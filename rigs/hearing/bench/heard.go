package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"

	"hearthd/audio"
	"hearthd/llm"
	"hearthd/llm/stt"
	"hearthd/rigs/hearing"
	"hearthd/tools/intent"
)

// orderly is who understands orders.
type orderly struct {
	matcher *intent.Matcher
	engine  *stt.Pocketsphinx
	server  *stt.Wyoming // nil: the built-in recogniser is alone
	ways    []way
	dir     string
	known   map[string][]heard // what was heard before, by sentence and condition
	file    *os.File           // keeps it; nil: it is not kept
}

// heard is what is made of an utterance by the built-in recogniser and by the server.
type heard struct{ Here, There llm.Transcript }

// way is one of who is believed.
type way struct {
	name   string
	choose func(heard) llm.Transcript
}

func (b *bench) orderly() (*orderly, error) {
	m, err := intent.New(intent.Options{Wake: "hey hearth"})
	if err != nil {
		return nil, err
	}
	m.SetSamples()
	var names []intent.Name
	for n := range strings.SplitSeq(house, ",") {
		names = append(names, intent.Name{Value: n})
	}
	m.SetNames("device", names)
	dir, err := os.MkdirTemp("", "hearthd-orders-")
	if err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	g := m.Grammar()
	e, err := stt.NewPocketsphinx(stt.PocketsphinxOptions{Grammar: g.JSGF, Words: g.Words, Dir: dir, Rivals: m.Rivals,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	o := &orderly{matcher: m, engine: e, dir: dir, known: make(map[string][]heard)}
	o.ways = []way{{"built-in", func(h heard) llm.Transcript { return h.Here }}}
	if b.server.Address != "" {
		if o.server, err = stt.NewWyoming(b.server); err != nil {
			return nil, err
		}
		o.ways = append(o.ways, way{"server", func(h heard) llm.Transcript { return h.There }},
			way{"both", func(h heard) llm.Transcript {
				return stt.Choose(h.Here, h.There, o.call)
			}})
	}
	return o, o.remember(b.keep)
}

// remember reads what was heard before from a file, which keeps what is heard from now on.
func (o *orderly) remember(file string) (err error) {
	if file == "" {
		return nil
	}
	if o.file, err = os.OpenFile(file, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644); err != nil {
		return fmt.Errorf("open what was heard: %w", err)
	}
	for d := json.NewDecoder(o.file); ; {
		var r record
		if err := d.Decode(&r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read what was heard: %w", err)
		}
		o.known[r.Name] = r.Heard
	}
}

// record is a line of the file of what was heard.
type record struct {
	Name  string
	Said  string // not read
	Heard []heard
}

// call is what a text asks for, or nothing.
func (o *orderly) call(text string) string {
	m, ok := o.matcher.Match(text)
	if !ok {
		return ""
	}
	return m.Call.Name + " " + string(bytes.TrimSpace(m.Call.Arguments))
}

// hear counts what becomes of said in each way.
func (o *orderly) hear(ctx context.Context, e hearing.Ears, s *hearing.Scene, said order, condition string, counts []outcomes) error {
	r := record{Name: said.name + " " + condition, Said: said.text}
	var ok bool
	if r.Heard, ok = o.known[r.Name]; !ok {
		cut, err := s.Cut(e, said.Speech)
		if err != nil {
			return err
		}
		for _, samples := range cut {
			h, err := o.recognise(ctx, samples)
			if err != nil {
				return err
			}
			r.Heard = append(r.Heard, h)
		}
		if o.file != nil {
			if err := json.NewEncoder(o.file).Encode(r); err != nil {
				return fmt.Errorf("keep what was heard: %w", err)
			}
		}
	}
	for i, w := range o.ways {
		counts[i].add(o, r.Heard, w, o.call(said.text))
	}
	return nil
}

// outcomes counts what became of sentences.
type outcomes struct{ said, right, asked, askedWrong, wrong, rejected int }

// add counts what becomes of the utterances of a sentence, which asks for want: the first that has words counts.
func (n *outcomes) add(o *orderly, list []heard, w way, want string) {
	n.said++
	i := slices.IndexFunc(list, func(h heard) bool { return w.choose(h).Text != "" })
	if i < 0 {
		n.rejected++
		return
	}
	t := w.choose(list[i])
	got := o.call(t.Text)
	done := stt.Sure(t) && !(t.Rival && !tells(got))
	switch {
	case got == "":
		n.rejected++
	case done && got == want:
		n.right++
	case done:
		n.wrong++
	case got == want:
		n.asked++
	default:
		n.askedWrong++
	}
}

// tells reports whether a call is of a tool that only reads: what has a rival is done all the same.
func tells(call string) bool {
	tool, _, _ := strings.Cut(call, " ")
	return slices.Contains([]string{"alarm_list", "calc", "convert_unit", "date_today", "home_read", "list_show",
		"media_what", "time_now", "timer_left",
		"weather_forecast"}, tool)
}

func (o *orderly) recognise(ctx context.Context, samples []int16) (h heard, err error) {
	if h.Here, err = listen(ctx, o.engine, samples); err != nil || o.server == nil {
		return h, err
	}
	h.There, err = listen(ctx, o.server, samples)
	return h, err
}

// listen has an engine hear samples.
func listen(ctx context.Context, e stt.Engine, samples []int16) (t llm.Transcript, err error) {
	s, err := e.Open(ctx)
	if err != nil {
		return t, err
	}
	defer s.Close()
	var f audio.Frame
	for list := hearing.Samples(samples); list.Frame(&f) == nil; {
		if err := s.Write(&f); err != nil {
			return t, err
		}
	}
	return s.Finish(ctx)
}
