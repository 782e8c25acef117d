package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"hearthd/rigs/hearing"
	"hearthd/rigs/hearing/bed"
)

// order is a sentence that somebody says.
type order struct {
	bed.Speech
	name string // of its recording
	talk bool   // to nobody here
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
		list = append(list, order{s, row[0], row[2] == "talk", row[3]})
	}
	return list, nil
}

// recognition measures who hears on orders and talk.
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
	if err := b.spoken(ctx, o); err != nil {
		return err
	}
	return b.strangersTalk(ctx, o)
}

// spoken measures orders and talk of neural voices.
func (b *bench) spoken(ctx context.Context, o *orderly) error {
	if b.leftOut("orders") {
		return nil
	}
	list, err := b.spokenOrders()
	if err != nil {
		return err
	}
	noises, err := b.recordedNoises(ctx)
	if err != nil {
		return err
	}
	b.w.text("What the recognisers and the matcher make of the orders of neural voices (`rigs/hearing/orders`) in a "+
		"window that "+
		"was opened by hand, cut by the front end, close by at -28 dBFS over the recorded noises in turn; %d devices. "+
		"Asked: read back; wrong: done, though something else was said. Talk: what nobody says to the box, short words "+
		"among it, and what of it would be done.",
		len(strings.Split(house, ",")))
	var rows [][]string
	for _, snr := range []float64{math.Inf(1), 18, 12, 6} {
		name := fmt.Sprintf("%g dB", snr)
		if math.IsInf(snr, 1) {
			name = "clean"
		}
		scenes := beside(noises, snr)
		orders, talk := make([]outcomes, len(o.ways)), make([]outcomes, len(o.ways))
		for i, said := range list {
			count := orders
			if said.talk {
				if count = talk; o.call(said.text) != "" {
					continue // it asks for something
				}
			}
			if err := o.hear(ctx, b.ears(ctx, nil), &scenes[i%len(scenes)], said, name, count); err != nil {
				return err
			}
		}
		for i, w := range o.ways {
			n := orders[i]
			rows = append(rows, []string{name, w.name, fmt.Sprint(n.said), percent(n.right, n.said), percent(n.asked, n.said),
				percent(n.askedWrong, n.said), percent(n.rejected, n.said), percent(n.wrong, n.said),
				fmt.Sprintf("%d of %d", talk[i].wrong, talk[i].said)})
		}
	}
	b.w.table([]string{"condition", "heard by", "orders", "right", "asked, right", "asked, wrong", "not understood",
		"wrong", "talk done"}, rows)
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
		talk := make([]outcomes, len(o.ways))
		for i, s := range people {
			name := fmt.Sprintf("%s %d", r.Name, i)
			if err := o.hear(ctx, b.ears(ctx, nil), &scene, order{s, name, true, ""}, "clean", talk); err != nil {
				return err
			}
		}
		for i, w := range o.ways {
			n := talk[i]
			rows = append(rows, []string{r.Name, w.name, fmt.Sprint(n.said), fmt.Sprint(n.wrong), fmt.Sprint(n.askedWrong),
				fmt.Sprint(n.rejected)})
		}
	}
	b.w.table([]string{"people", "heard by", "sentences", "done", "asked", "not understood"}, rows)
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
