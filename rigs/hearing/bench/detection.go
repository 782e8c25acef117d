package main

import (
	"context"
	"fmt"
	"path/filepath"

	"hearthd/rigs/hearing"
	"hearthd/vad"
	"hearthd/vad/neural"
	"hearthd/vad/silero"
)

// sileroFile is the name under which its authors publish the network.
const sileroFile = "silero_vad_16k_op15.onnx"

// detectors are the engines that there are; Silero's model is not in the
// repository.
func (b *bench) detectors() []hearing.Detector {
	list := []hearing.Detector{{Name: "neural", New: func() (vad.Detector, error) { return neural.New() }}}
	if b.models == "" {
		b.w.text("Silero is left out: HEARTHD_TEST_MODELS names no folder with %s.", sileroFile)
		return list
	}
	return append(list, hearing.Detector{Name: "silero", New: func() (vad.Detector, error) {
		return silero.Open(filepath.Join(b.models, sileroFile))
	}})
}

// detection compares the detectors, alone and without the stages before them.
func (b *bench) detection(ctx context.Context) error {
	b.w.title(2, "Speech detection")
	b.w.text("Per frame, detectors alone: area under the ROC curve / true positives at 5 %% false. Each noise has a " +
		"conversation of 40 s at each level, close and in a kitchen (RT60 0.45 s), with speech at -24, -32 or -40 dBFS.")
	all := b.detectors()
	found, err := b.detected(ctx)
	if err != nil {
		return err
	}
	var rows [][]string
	for _, n := range b.noises {
		name := n.Name
		if n.Talk {
			name += " (people speak in it)"
		}
		for _, e := range all {
			row := []string{name, e.Name}
			for _, snr := range hearing.SNRs() {
				row = append(row, scores(found[detecting{e.Name, fmt.Sprintf("%s %g dB", n.Name, snr)}]))
			}
			rows = append(rows, row)
			name = ""
		}
	}
	b.w.table([]string{"noise", "detector", "20 dB", "10 dB", "5 dB", "0 dB"}, rows)
	b.w.text("The same by level and place, without television. Onset: from the first sample of a sentence to the end " +
		"of the frame that reached 0.5; offset: from its last sample to the end of the last frame above 0.35. Missed: " +
		"sentences without an onset.")
	rows = nil
	for _, place := range append(hearing.Places(), "all") {
		name := place
		for _, e := range all {
			d := found[detecting{e.Name, place}]
			rows = append(rows, []string{name, e.Name, scores(d),
				ms(d.Onset.At(.5)), ms(d.Onset.At(.95)), ms(d.Offset.At(.5)), ms(d.Offset.At(.95)), percent(d.Missed, d.Stretches)})
			name = ""
		}
	}
	b.w.table([]string{"condition", "detector", "AUC / TP", "onset", "95 %", "offset", "95 %", "missed"}, rows)
	return nil
}

// detecting is a detector under a condition.
type detecting struct{ detector, condition string }

// detected has each detector listen under each condition.
func (b *bench) detected(ctx context.Context) (map[detecting]*hearing.Detection, error) {
	found := make(map[detecting]*hearing.Detection)
	add := func(detector, condition string, d hearing.Detection) {
		k := detecting{detector, condition}
		if found[k] == nil {
			found[k] = &hearing.Detection{}
		}
		found[k].Add(d)
	}
	engines := b.detectors()
	return found, hearing.Conditions(b.people, b.noises, hearing.TrackSeconds, func(c hearing.Condition) error {
		for _, e := range engines {
			d, err := hearing.Detect(e, c.Track)
			if err != nil {
				return err
			}
			add(e.Name, c.Noise+" "+c.Name(), d)
			if c.Talk {
				continue // people who speak are no false alarm of a detector
			}
			add(e.Name, c.Place(), d)
			add(e.Name, "all", d)
		}
		return ctx.Err()
	})
}

func scores(d *hearing.Detection) string {
	return fmt.Sprintf("%.3f / %.0f", d.AUC(), 100*d.TruePositives(0.05))
}
