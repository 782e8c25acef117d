// Command choose measures which of two recognisers to believe: the built-in one, which knows the sentences
// of the intents, and a Wyoming server, which hears free text.
//
// usage: choose SERVER LIST.tsv, or choose - WHAT-IT-PRINTED
//
// A line of the list is the path of a WAV (16 kHz, mono), the voice, "order" or "talk", and what was said.
// What both heard of it is printed, and can be judged again.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"hearthd/audio"
	"hearthd/config"
	"hearthd/daemon/sentences"
	"hearthd/llm"
	"hearthd/llm/stt"
	"hearthd/tools/intent"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: choose SERVER LIST.tsv")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "choose:", err)
		os.Exit(1)
	}
}

// said is one recording and what came of it.
type said struct {
	path, kind, text string
	local, server    llm.Transcript
	localMS          int64
	serverMS         int64
	seconds          float64
}

func run(ctx context.Context, address, list string) error {
	dir, err := os.MkdirTemp("", "choose-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // nothing can be done about it
	c := config.Default()
	m, err := intent.New(sentences.Of(&c, nil))
	if err != nil {
		return err
	}
	m.SetSamples()
	if address == "-" {
		all, err := heard(list)
		if err == nil {
			report(m, all)
		}
		return err
	}
	local := sentences.NewLearner(m, dir, slog.New(slog.DiscardHandler))
	if _, err := local.Learn(ctx); err != nil {
		return err
	}
	server, err := stt.NewWyoming(stt.WyomingOptions{Address: address, Language: "en"})
	if err != nil {
		return err
	}
	all, err := read(list)
	if err != nil {
		return err
	}
	for i := range all {
		s := &all[i]
		if s.local, s.localMS, s.seconds, err = hear(ctx, local, s.path); err != nil {
			return err
		}
		if s.server, s.serverMS, _, err = hear(ctx, server, s.path); err != nil {
			return err
		}
		fmt.Printf("%s\t%s\t%s\t%.1f\t%t\t%s\t%d\t%s\t%d\t%.2f\n", filepath.Base(s.path), s.kind, s.text, s.local.Margin,
			s.local.Rejected, s.local.Text, s.localMS, s.server.Text, s.serverMS, s.seconds)
	}
	report(m, all)
	return nil
}

func read(list string) (all []said, err error) {
	f, err := os.Open(list)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if p := strings.Split(lines.Text(), "\t"); len(p) == 4 {
			all = append(all, said{path: p[0], kind: p[2], text: p[3]})
		}
	}
	return all, errors.Join(lines.Err(), f.Close())
}

// heard reads what was printed.
func heard(list string) (all []said, err error) {
	text, err := os.ReadFile(list)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		p := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(p) != 10 {
			continue
		}
		s := said{path: p[0], kind: p[1], text: p[2]}
		s.local.Text, s.server.Text, s.local.Rejected = p[5], p[7], p[4] == "true"
		var errs [4]error
		s.local.Margin, errs[0] = strconv.ParseFloat(p[3], 64)
		s.localMS, errs[1] = strconv.ParseInt(p[6], 10, 64)
		s.serverMS, errs[2] = strconv.ParseInt(p[8], 10, 64)
		s.seconds, errs[3] = strconv.ParseFloat(p[9], 64)
		if err := errors.Join(errs[:]...); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// hear has an engine hear a file, and tells how long it took after the last frame.
func hear(ctx context.Context, e stt.Engine, path string) (t llm.Transcript, ms int64, seconds float64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return t, 0, 0, err
	}
	defer f.Close()
	wav, err := audio.NewWAVReader(f, audio.WAVOptions{})
	if err != nil {
		return t, 0, 0, fmt.Errorf("%s: %w", path, err)
	}
	s, err := e.Open(ctx)
	if err != nil {
		return t, 0, 0, err
	}
	defer s.Close()
	var frame audio.Frame
	for {
		n, err := wav.Read(frame[:])
		if n == 0 {
			break
		}
		clear(frame[n:])
		seconds += float64(n) / audio.Rate
		if err != nil {
			break
		}
		if err := s.Write(&frame); err != nil {
			return t, 0, 0, err
		}
	}
	began := time.Now()
	t, err = s.Finish(ctx)
	return t, time.Since(began).Milliseconds(), seconds, err
}

// report prints what each way to choose makes of it: orders that are done as they were meant, and talk
// that does something.
func report(m *intent.Matcher, all []said) {
	call := func(text string) any {
		match, ok := m.Match(text)
		if !ok {
			return nil
		}
		return match.Call
	}
	sure := func(s *said, margin float64) bool {
		return s.local.Text != "" && s.local.Margin >= margin && !s.local.Rival && stt.Sure(s.local)
	}
	type way struct {
		name   string
		choose func(s *said) llm.Transcript
	}
	ways := []way{
		{"built-in, if sure", func(s *said) llm.Transcript {
			if sure(s, -20) {
				return s.local
			}
			return llm.Transcript{}
		}},
		{"server", func(s *said) llm.Transcript { return s.server }},
		{"server if an intent, else built-in", func(s *said) llm.Transcript {
			if call(s.server.Text) == nil && sure(s, -20) {
				return s.local
			}
			return s.server
		}},
		{"as hearthd chooses", func(s *said) llm.Transcript { return stt.Choose(s.local, s.server) }},
	}
	for _, margin := range []float64{-15, -10, -5, 0, 5} {
		ways = append(ways, way{fmt.Sprintf("built-in from %g on, else server", margin), func(s *said) llm.Transcript {
			if sure(s, margin) {
				return s.local
			}
			return s.server
		}})
	}
	for _, w := range ways {
		right, wrong, orders, acts, talk := 0, 0, 0, 0, 0
		for i := range all {
			s := &all[i]
			got := call(w.choose(s).Text)
			switch {
			case s.kind == "talk":
				talk++
				if got != nil && !reflect.DeepEqual(got, call(s.text)) {
					acts++
				}
				continue
			case reflect.DeepEqual(got, call(s.text)):
				right++
			case got != nil:
				wrong++
			}
			orders++
		}
		fmt.Printf("%-36s orders right %d of %d, done wrong %d; talk that acts %d of %d\n", w.name, right, orders, wrong,
			acts, talk)
	}
	var l, s []int64
	var audioSeconds, serverSeconds float64
	for _, x := range all {
		l, s = append(l, x.localMS), append(s, x.serverMS)
		audioSeconds += x.seconds
		serverSeconds += float64(x.serverMS) / 1000
	}
	slices.Sort(l)
	slices.Sort(s)
	fmt.Printf("after the end, ms: built-in p50 %d p90 %d, server p50 %d p90 %d; server %.2f of real time\n", l[len(l)/2],
		l[len(l)*9/10], s[len(s)/2], s[len(s)*9/10], serverSeconds/audioSeconds)
}
