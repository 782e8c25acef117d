package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hearthd/audio"
	"hearthd/llm"
	"hearthd/llm/stt"
	"hearthd/rigs/hearing"
	"hearthd/rigs/hearing/bed"
	"hearthd/tools/intent"
)

// order is a sentence that somebody says.
type order struct {
	bed.Speech
	talk bool // to nobody here
	text string
}

// house has the names of the devices that the orders speak of.
const house = `kitchen light,bedroom lamp,coffee machine,living room lights,desk lamp,hallway light,reading lamp,floor lamp,` +
	`garage door,living room blinds,bedroom curtains,kitchen blinds,front door,back door,robot vacuum,freezer temperature,thermostat,` +
	`porch light,bathroom light,bathroom heater,dining room light,ceiling fan,washing machine,dishwasher,television,garden lights,` +
	`office light,nursery light,movie night,water pump,bedroom light`

// spokenOrders reads what rigs/hearing/orders/fetch.sh has made.
func (b *bench) spokenOrders() ([]order, error) {
	f, err := os.Open(filepath.Join(b.orders, "list.tsv"))
	if err != nil {
		return nil, fmt.Errorf("find orders (rigs/hearing/orders/fetch.sh makes them): %w", err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.LazyQuotes = '\t', true
	rows, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("read orders: %w", err)
	}
	var list []order
	for _, row := range rows {
		s, err := bed.Utterance(filepath.Join(b.orders, row[0]))
		if err != nil {
			return nil, err
		}
		list = append(list, order{s, row[2] == "talk", row[3]})
	}
	return list, nil
}

// outcomes counts what became of sentences.
type outcomes struct{ said, right, asked, askedWrong, wrong, rejected int }

// recognition measures the built-in recogniser on orders and talk.
func (b *bench) recognition(ctx context.Context) error {
	b.w.title(2, "Spoken orders")
	if b.leftOut("recorded") {
		return nil
	}
	o, err := b.orderly()
	if err != nil {
		return err
	}
	defer os.RemoveAll(o.dir)
	if err := b.strangersTalk(ctx, o); err != nil || b.leftOut("orders") {
		return err
	}
	list, err := b.spokenOrders()
	if err != nil {
		return err
	}
	noises, err := b.recordedNoises(ctx)
	if err != nil {
		return err
	}
	b.w.text("What the built-in recogniser and the matcher make of the orders of neural voices (`rigs/hearing/orders`) in a window that "+
		"was opened by hand, cut by the front end, close by at -28 dBFS over the recorded noises in turn; %d devices. Asked: read back; "+
		"wrong: done, though something else was said. Talk: what nobody says to the box, short words among it, and what of it would be done.",
		len(strings.Split(house, ",")))
	var rows [][]string
	for _, snr := range []float64{math.Inf(1), 18, 12} {
		scenes := beside(noises, snr)
		var orders, talk outcomes
		for i, said := range list {
			count := &orders
			if said.talk {
				if count = &talk; o.call(said.text) != "" {
					continue // it asks for something
				}
			}
			if err := o.hear(ctx, b.ears(ctx, nil), &scenes[i%len(scenes)], said, count); err != nil {
				return err
			}
		}
		name := fmt.Sprintf("%g dB", snr)
		if math.IsInf(snr, 1) {
			name = "clean"
		}
		rows = append(rows, []string{name, fmt.Sprint(orders.said), percent(orders.right, orders.said), percent(orders.asked, orders.said),
			percent(orders.askedWrong, orders.said), percent(orders.rejected, orders.said), percent(orders.wrong, orders.said),
			fmt.Sprintf("%d of %d", talk.wrong, talk.said)})
	}
	b.w.table([]string{"condition", "orders", "right", "asked, right", "asked, wrong", "not understood", "wrong", "talk done"}, rows)
	return ctx.Err()
}

// strangersTalk counts what is done of what recorded people say to nobody here, without noise.
func (b *bench) strangersTalk(ctx context.Context, o *orderly) error {
	const most = 40 // of a package
	b.w.text("Recorded people who talk to nobody here, each sentence in a window that was opened by hand.")
	var rows [][]string
	scene := beside(nil, math.Inf(1))[0]
	for _, r := range bed.RecordedPeople() {
		people, err := r.Sentences(ctx, b.recorded, most)
		if err != nil {
			return err
		}
		var talk outcomes
		for _, s := range people {
			if err := o.hear(ctx, b.ears(ctx, nil), &scene, order{s, true, ""}, &talk); err != nil {
				return err
			}
		}
		rows = append(rows, []string{r.Name, fmt.Sprint(talk.said), fmt.Sprint(talk.wrong), fmt.Sprint(talk.askedWrong),
			fmt.Sprint(talk.rejected)})
	}
	b.w.table([]string{"people", "sentences", "done", "asked", "not understood"}, rows)
	return ctx.Err()
}

func (b *bench) recordedNoises(ctx context.Context) ([]bed.Noise, error) {
	var list []bed.Noise
	for _, r := range bed.RecordedNoises() {
		n, err := r.Noise(ctx, b.recorded)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

// beside are scenes with the noises snr dB below a person.
func beside(noises []bed.Noise, snr float64) []hearing.Scene {
	const level = -28
	if math.IsInf(snr, 1) {
		return []hearing.Scene{{Response: []float64{1}, Level: level}}
	}
	var list []hearing.Scene
	for _, n := range noises {
		seed := uint64(0)
		list = append(list, hearing.Scene{Response: []float64{1}, Level: level, Under: func(samples int) []float64 {
			seed++
			x := n.Make(samples, seed)
			for i := range x {
				x[i] *= math.Pow(10, (level-snr)/20)
			}
			return x
		}})
	}
	return list
}

// orderly is who understands orders.
type orderly struct {
	matcher *intent.Matcher
	engine  *stt.Pocketsphinx
	dir     string
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
	return &orderly{m, e, dir}, err
}

// call is what a text asks for, or nothing.
func (o *orderly) call(text string) string {
	m, ok := o.matcher.Match(text)
	if !ok {
		return ""
	}
	return m.Call.Name + " " + string(bytes.TrimSpace(m.Call.Arguments))
}

// hear counts what becomes of said: the first utterance that is not rejected counts.
func (o *orderly) hear(ctx context.Context, e hearing.Ears, s *hearing.Scene, said order, count *outcomes) error {
	cut, err := s.Cut(e, said.Speech)
	if err != nil {
		return err
	}
	count.said++
	for _, samples := range cut {
		t, err := o.recognise(ctx, samples)
		if err != nil {
			return err
		}
		got := o.call(t.Text)
		right := got == o.call(said.text)
		done := stt.Sure(t) && !(t.Rival && !tells(got))
		switch {
		case got == "":
			continue
		case done && right:
			count.right++
		case done:
			count.wrong++
		case right:
			count.asked++
		default:
			count.askedWrong++
		}
		return nil
	}
	count.rejected++
	return nil
}

// tells reports whether a call is of a tool that only reads: what has a rival is done all the same.
func tells(call string) bool {
	tool, _, _ := strings.Cut(call, " ")
	return slices.Contains([]string{"calc", "convert_unit", "date_today", "home_read", "list_show", "time_now", "timer_left",
		"weather_forecast"}, tool)
}

func (o *orderly) recognise(ctx context.Context, samples []int16) (t llm.Transcript, err error) {
	s, err := o.engine.Open(ctx)
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
