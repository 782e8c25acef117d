// Command choose measures which of two recognisers to believe: the built-in one, which knows the sentences
// of the intents, and a Wyoming server, which hears free text.
//
// usage: choose [OPTION]... SERVER LIST.tsv, or choose [-voice PREFIX] - WHAT-IT-PRINTED
//
// A line of the list is the path of a WAV (16 kHz, mono), from the list's folder, the voice, "order", "own" or
// "talk", and what was said: to the box, as a sentence that the household has declared, or to nobody here. What
// both heard of it is printed, and can be judged again.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"hearthd/audio"
	"hearthd/config"
	"hearthd/daemon/sentences"
	"hearthd/llm"
	"hearthd/llm/stt"
	"hearthd/rigs/hearing/bed"
	"hearthd/tools/intent"
)

// options are what the command line says.
type options struct {
	model, local, voice string
	noise               float64
}

func main() {
	var o options
	flag.StringVar(&o.model, "model", "", "`name` of the server's model")
	flag.StringVar(&o.local, "local", "", "`file` that was printed: the built-in recogniser is not asked again")
	flag.StringVar(&o.voice, "voice", "", "count only files whose names begin with this `prefix`")
	flag.Float64Var(&o.noise, "noise", math.Inf(1), "`dB` by which the noise of a kitchen is softer than who speaks")
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: choose [OPTION]... SERVER LIST.tsv")
		os.Exit(2)
	}
	if err := run(context.Background(), o, flag.Arg(0), flag.Arg(1)); err != nil {
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

func run(ctx context.Context, o options, address, list string) error {
	reader := read
	if address == "-" {
		reader = heard
	}
	all, err := reader(list)
	if err != nil {
		return err
	}
	c := config.Default()
	m, err := intent.New(sentences.Of(&c, declared(all)))
	if err != nil {
		return err
	}
	m.SetSamples()
	if address != "-" {
		if err := listen(ctx, o, m, address, all); err != nil {
			return err
		}
	}
	report(m, slices.DeleteFunc(all, func(s said) bool { return !strings.HasPrefix(filepath.Base(s.path), o.voice) }))
	return nil
}

// listen has both hear all of them, and prints what they hear.
func listen(ctx context.Context, o options, m *intent.Matcher, address string, all []said) error {
	server, err := stt.NewWyoming(stt.WyomingOptions{Address: address, Language: "en", Model: o.model})
	if err != nil {
		return err
	}
	local, err := builtIn(ctx, o, m)
	if err != nil {
		return err
	}
	for i := range all {
		s := &all[i]
		sound, err := scene(s.path, o.noise, uint64(i))
		if err != nil {
			return err
		}
		s.seconds = float64(len(sound)) / audio.Rate
		if err := local(s, sound); err != nil {
			return err
		}
		if s.server, s.serverMS, err = hear(ctx, server, sound); err != nil {
			return err
		}
		fmt.Printf("%s\t%s\t%s\t%.1f\t%t\t%t\t%s\t%d\t%s\t%d\t%.2f\n", filepath.Base(s.path), s.kind, s.text, s.local.Margin,
			s.local.Rejected, s.local.Rival, s.local.Text, s.localMS, s.server.Text, s.serverMS, s.seconds)
	}
	return nil
}

// builtIn is the built-in recogniser, or what it heard of the same before.
func builtIn(ctx context.Context, o options, m *intent.Matcher) (func(s *said, sound []int16) error, error) {
	if o.local != "" {
		before, err := heard(o.local)
		return func(s *said, _ []int16) error {
			i := slices.IndexFunc(before, func(b said) bool { return b.path == filepath.Base(s.path) && b.text == s.text })
			if i < 0 {
				return fmt.Errorf("%s has no %s", o.local, s.path)
			}
			s.local, s.localMS = before[i].local, before[i].localMS
			return nil
		}, err
	}
	dir, err := os.MkdirTemp("", "choose-*") // is left to the system: searches may still read from it
	if err != nil {
		return nil, err
	}
	local := sentences.NewLearner(m, dir, slog.New(slog.DiscardHandler))
	left, err := local.Learn(ctx)
	for _, l := range left {
		fmt.Println(l)
	}
	return func(s *said, sound []int16) (err error) {
		s.local, s.localMS, err = hear(ctx, local, sound)
		return err
	}, err
}

// declared are the household's own sentences, each of a tool of its own.
func declared(all []said) (list []intent.Trigger) {
	for i, s := range all {
		if s.kind == "own" {
			list = append(list, intent.Trigger{Sentence: s.text, Tool: fmt.Sprintf("own_%d", i)})
		}
	}
	return list
}

// scene is a recording as a recogniser gets it of somebody close by, with as much before and after it as the
// front end leaves, and with the noises of a kitchen in turn.
func scene(path string, noise float64, seed uint64) ([]int16, error) {
	const level, before, after = -28, 2 * audio.Rate / 5, audio.Rate / 5 // dBFS, samples
	speech, err := bed.Utterance(path)
	if err != nil {
		return nil, err
	}
	near := make([]float64, before+len(speech.Sound)+after)
	if !math.IsInf(noise, 1) {
		kitchen := bed.Noises(nil)[:5] // those that nobody talks or sings in
		near = kitchen[seed%5].Make(len(near), seed)
		for i := range near {
			near[i] *= math.Pow(10, (level-noise)/20)
		}
	}
	bed.Over(near, []bed.Interruption{{At: before, Speech: speech}}, []float64{1}, level)
	return bed.Microphone(near, -68, seed), nil
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
			all = append(all, said{path: filepath.Join(filepath.Dir(list), p[0]), kind: p[2], text: p[3]})
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
		if len(p) != 11 {
			continue
		}
		s := said{path: p[0], kind: p[1], text: p[2]}
		s.local.Text, s.server.Text, s.local.Rejected, s.local.Rival = p[6], p[8], p[4] == "true", p[5] == "true"
		var errs [4]error
		s.local.Margin, errs[0] = strconv.ParseFloat(p[3], 64)
		s.localMS, errs[1] = strconv.ParseInt(p[7], 10, 64)
		s.serverMS, errs[2] = strconv.ParseInt(p[9], 10, 64)
		s.seconds, errs[3] = strconv.ParseFloat(p[10], 64)
		if err := errors.Join(errs[:]...); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// hear has an engine hear a sound, and tells how long it took after the last frame.
func hear(ctx context.Context, e stt.Engine, sound []int16) (t llm.Transcript, ms int64, err error) {
	s, err := e.Open(ctx)
	if err != nil {
		return t, 0, err
	}
	defer s.Close()
	var frame audio.Frame
	for part := range slices.Chunk(sound, len(frame)) {
		clear(frame[copy(frame[:], part):])
		if err := s.Write(&frame); err != nil {
			return t, 0, err
		}
	}
	began := time.Now()
	t, err = s.Finish(ctx)
	return t, time.Since(began).Milliseconds(), err
}
