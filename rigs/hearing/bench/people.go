package main

import (
	"context"

	"hearthd/rigs/hearing"
	"hearthd/rigs/hearing/bed"
)

// recordedSeconds is the length of a conversation of recorded people.
const recordedSeconds = 240

// recordings compares the detectors on people and noises that were recorded.
func (b *bench) recordings(ctx context.Context) error {
	b.w.title(2, "Speech detection on recorded people")
	if b.leftOut("recorded") {
		return nil
	}
	b.w.text("Recordings out of Debian packages that `vad/neural/train/measure/HELD.md` keeps out of training and " +
		"tuning. Per frame, " +
		"detectors alone: area under the ROC curve / true positives at 5 %% false. Each column has a conversation of 4 " +
		"min close by and in a kitchen (RT60 0.45 s), pooled; labels are the energy of the recording by itself.")
	var noises []bed.Noise
	for _, r := range bed.RecordedNoises() {
		n, err := r.Noise(ctx, b.recorded)
		if err != nil {
			return err
		}
		noises = append(noises, n)
	}
	engines := b.detectors()
	var rows [][]string
	for _, r := range bed.RecordedPeople() {
		people, err := r.Speech(ctx, b.recorded)
		if err != nil {
			return err
		}
		found, err := b.heard(ctx, engines, people, noises)
		if err != nil {
			return err
		}
		rows = append(rows, recordedRows(r.Name, engines, noises, found)...)
	}
	b.w.table([]string{"people", "noise", "detector", "without", "20 dB", "10 dB", "5 dB", "0 dB", "all"}, rows)
	return nil
}

// heard has each detector listen to the people under each noise, without it, and to all.
func (b *bench) heard(
	ctx context.Context, engines []hearing.Detector, people []bed.Speech, noises []bed.Noise,
) (map[detecting]*hearing.Detection, error) {
	found := make(map[detecting]*hearing.Detection)
	return found, hearing.Conditions(people, noises, recordedSeconds, func(c hearing.Condition) error {
		for _, e := range engines {
			d, err := hearing.Detect(e, c.Track)
			if err != nil {
				return err
			}
			for _, condition := range []string{c.Noise + " " + c.Name(), c.Noise + " all"} {
				k := detecting{e.Name, condition}
				if found[k] == nil {
					found[k] = &hearing.Detection{}
				}
				found[k].Add(d)
			}
		}
		return ctx.Err()
	})
}

func recordedRows(
	name string, engines []hearing.Detector, noises []bed.Noise, found map[detecting]*hearing.Detection,
) [][]string {
	var rows [][]string
	for _, n := range noises {
		noise := n.Name
		for _, e := range engines {
			row := []string{name, noise, e.Name, scores(found[detecting{e.Name, " clean"}])}
			for _, snr := range hearing.SNRs() {
				row = append(row, scores(found[detecting{e.Name,
					n.Name + " " + hearing.Condition{Noise: n.Name, SNR: snr}.Name()}]))
			}
			rows = append(rows, append(row, scores(found[detecting{e.Name, n.Name + " all"}])))
			name, noise = "", ""
		}
	}
	return rows
}
