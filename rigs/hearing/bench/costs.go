package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"hearthd/audio"
	"hearthd/audio/aec"
	"hearthd/config"
	"hearthd/rigs/hearing"
	"hearthd/rigs/hearing/bed"
)

// stage is something whose CPU time is measured, alone.
type stage struct {
	name string
	run  func() error
}

// costs measures the CPU time of every stage.
func (b *bench) costs(ctx context.Context) error {
	b.w.title(2, "CPU")
	const length = time.Minute
	b.w.text("CPU time per second of audio, on one thread, over %v of a conversation in a kitchen over a running tap "+
		"at 10 dB. The whole front end is `ears.Hear` with the stages that the line names, without the resampler.", length)
	talk := bed.Converse(b.people, length.Seconds(), 8)
	track := talk.Heard(-30, b.noise("tap").Make(talk.Samples(), 8), 10)
	stages, err := b.stages(ctx, track.Samples)
	if err != nil {
		return err
	}
	var rows [][]string
	for _, s := range stages {
		took, err := hearing.Cost(length, s.run)
		if err != nil {
			return err
		}
		rows = append(rows, []string{s.name, fmt.Sprintf("%.2f ms", float64(took)/float64(time.Millisecond)),
			fmt.Sprintf("%.2f s", took.Seconds()*60)})
	}
	b.w.table([]string{"stage", "per second", "per minute"}, rows)
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		b.w.text("%s processes wanted the machine's processors on average of the minute before: others than this one make "+
			"caches and hyperthreads dearer.", strings.Fields(string(load) + " ?")[0])
	}
	return ctx.Err()
}

// resampling is the stage behind a card at 48 kHz.
func resampling(near []int16) (stage, error) {
	up, err := audio.NewResampler(audio.Rate, 48000)
	if err != nil {
		return stage{}, err
	}
	card := up.Flush(up.Process(nil, near))
	down, err := audio.NewResampler(48000, audio.Rate)
	if err != nil {
		return stage{}, err
	}
	out := make([]int16, 0, audio.FrameSamples+8)
	return stage{"resampler, 48 to 16 kHz", func() error {
		for at := 0; at+960 <= len(card); at += 960 {
			out = down.Process(out[:0], card[at:at+960])
		}
		return nil
	}}, nil
}

func (b *bench) stages(ctx context.Context, near []int16) ([]stage, error) {
	resampler, err := resampling(near)
	if err != nil {
		return nil, err
	}
	list := []stage{resampler}
	own, err := b.answers(ctx, span(len(near)))
	if err != nil {
		return nil, err
	}
	far := own.Played()
	list = append(list, stage{"canceller, while it speaks", func() error {
		c := aec.New()
		each(near, far, func(near, far, out *audio.Frame) { c.Process(near, far, out) })
		return nil
	}}, stage{"automatic gain", func() error {
		l := audio.NewLeveller()
		each(near, far, func(near, _, _ *audio.Frame) { l.Process(near) })
		return nil
	}})
	for _, e := range b.detectors() {
		list = append(list, stage{"detector " + e.Name, func() error {
			d, err := e.New()
			if err != nil {
				return err
			}
			n := d.FrameSamples()
			for at := 0; at+n <= len(near); at += n {
				d.Probability(near[at : at+n])
			}
			return nil
		}})
	}
	words, err := b.words()
	if err != nil {
		return nil, err
	}
	whole := func(name string, far []int16, with func(*config.Config)) {
		ears := b.ears(ctx, with)
		list = append(list, stage{name, func() error { return hearing.Drain(ears, near, far) }})
	}
	two := func(c *config.Config) { c.Wake.Words = words[:min(2, len(words))] }
	name := fmt.Sprintf("front end, %d wake words", min(2, len(words)))
	whole("front end, idle", nil, nil)
	whole(name+", idle", nil, two)
	whole(name+", while it speaks", far, two)
	return list, nil
}

// each shows near and far to push, frame by frame.
func each(near, far []int16, push func(near, far, out *audio.Frame)) {
	var n, f, out audio.Frame
	a, b := hearing.Samples(near), hearing.Samples(far)
	for a.Frame(&n) == nil && b.Frame(&f) == nil {
		push(&n, &f, &out)
	}
}

func span(samples int) time.Duration { return audio.Position(samples).Duration() }
