package bed

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"hearthd/audio"
)

// Recording is sound in unpacked Debian packages that nothing of hearthd was
// trained or tuned on; vad/neural/train/measure/HELD.md says so of each.
type Recording struct {
	Name     string
	Packages []string
}

// RecordedPeople are two groups of people, RecordedNoises two of what surrounds them.
func RecordedPeople() []Recording {
	return []Recording{
		{"prompts and reading", []string{"asterisk-prompt-fr-armelle", "asterisk-prompt-es-co", "pocketsphinx-testdata"}},
		{"a cast of actors", []string{"flight-of-the-amazon-queen"}},
	}
}

func RecordedNoises() []Recording {
	return []Recording{
		{"music", []string{"singularity-music", "asc-music"}},
		{"home and town", []string{"minetest-mod-homedecor", "minetest-data", "gnome-shell-pomodoro-data", "lincity-ng-data",
			"bucklespring-data"}},
	}
}

const (
	sentences = 40 // of a package, spread over all that it has
	shortest  = 1.5
	longest   = 10.0 // seconds of a sentence
	sounds    = 60   // of a package of noises
	piece     = 60   // seconds of one
)

// Speech is what the people say: dir holds a folder for each package. A sentence
// is speech where it stands out of the recording's own noise.
func (r Recording) Speech(ctx context.Context, dir string) ([]Speech, error) {
	return r.Sentences(ctx, dir, sentences)
}

// Sentences are up to most of each package.
func (r Recording) Sentences(ctx context.Context, dir string, most int) ([]Speech, error) {
	var list []Speech
	for _, p := range r.Packages {
		clips, err := clips(filepath.Join(dir, p))
		if err != nil {
			return nil, err
		}
		found := 0
		for _, c := range spread(clips, 2*most) {
			s := Speech{Voice: p, Text: c.name}
			if s.Sound, err = c.decode(ctx, longest); err != nil {
				return nil, err
			}
			if len(s.Sound) < shortest*audio.Rate || found == most {
				continue
			}
			l := slices.Sorted(slices.Values(levels(s.Sound)))
			top, floor := l[len(l)-1], l[len(l)/20]
			s.trim(math.Max(top-audible, math.Min(floor+9, top-22)))
			list = append(list, s)
			found++
		}
	}
	return list, nil
}

// Noise is one sound after the other, in an order of each seed.
func (r Recording) Noise(ctx context.Context, dir string) (Noise, error) {
	var list [][]float64
	for _, p := range r.Packages {
		clips, err := clips(filepath.Join(dir, p))
		if err != nil {
			return Noise{}, err
		}
		for _, c := range spread(clips, sounds) {
			x, err := c.decode(ctx, piece)
			if err != nil {
				return Noise{}, err
			}
			if power(x) > 1e-8 {
				list = append(list, level(x, 0))
			}
		}
	}
	return Noise{Name: r.Name, Make: func(n int, seed uint64) []float64 {
		rnd, x := rand.New(rand.NewPCG(seed, 0x4ec0)), make([]float64, n)
		for at := 0; at < n; at += int(rnd.ExpFloat64() * 0.25 * audio.Rate) {
			g := math.Pow(10, (rnd.Float64()-0.7)*10/20)
			for _, v := range list[rnd.IntN(len(list))] {
				if at == n {
					break
				}
				x[at] = g * v
				at++
			}
		}
		return level(x, 0)
	}}, nil
}

// clip is a sound in a file, or within one.
type clip struct {
	name, format string // format is ffmpeg's where the sound does not say it
	from, size   int64  // size 0: all of the file
}

// clips are the sounds of a package in the order of their names.
func clips(dir string) ([]clip, error) {
	formats := map[string]string{".ogg": "", ".wav": "", ".mp3": "", ".gsm": "gsm"}
	var list []clip
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		format, ok := formats[filepath.Ext(name)]
		switch {
		case err != nil || !e.Type().IsRegular():
		case ok:
			list = append(list, clip{name: name, format: format})
		case filepath.Ext(name) == ".1c":
			list, err = queen(name)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look for recordings (rigs/hearing/recorded.sh fetches them): %w", err)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("look for recordings in %s: there are none", dir)
	}
	return list, nil
}

// queen lists the speech in the file of Flight of the Amazon Queen as ScummVM
// packs it: "QTBL", a version, a count of entries of a name of 12 bytes, a
// number, the place and the size, most significant byte first. Names of speech
// begin with six digits.
func queen(name string) ([]clip, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	const head, entry = 15, 21
	if len(b) < head || string(b[:4]) != "QTBL" {
		return nil, errors.New("not a file of Flight of the Amazon Queen")
	}
	var list []clip
	for i := range int(binary.BigEndian.Uint16(b[13:])) {
		e := b[head+i*entry:][:entry]
		if strings.Trim(string(e[:6]), "0123456789") == "" {
			from, size := binary.BigEndian.Uint32(e[13:]), binary.BigEndian.Uint32(e[17:])
			list = append(list, clip{name, "mp3", int64(from), int64(size)})
		}
	}
	return list, nil
}

// spread takes count of the clips from first to last.
func spread(list []clip, count int) []clip {
	if len(list) <= count {
		return list
	}
	var some []clip
	for i := range count {
		some = append(some, list[i*len(list)/count])
	}
	return some
}

// decode is the sound at audio.Rate, seconds of it at most.
func (c clip) decode(ctx context.Context, seconds float64) ([]float64, error) {
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		return nil, fmt.Errorf("decode recordings (packaging/deps.sh hearing installs it): %w", err)
	}
	args := []string{"-v", "error"}
	if c.format != "" {
		args = append(args, "-f", c.format)
	}
	input := c.name
	if c.size > 0 {
		input = fmt.Sprintf("subfile,,start,%d,end,%d,,:%s", c.from, c.from+c.size, c.name)
	}
	args = append(args, "-i", input, "-t", fmt.Sprint(seconds),
		"-f", "s16le", "-ar", fmt.Sprint(audio.Rate), "-ac", "1", "-")
	b, err := exec.CommandContext(ctx, "ffmpeg", args...).Output()
	if err != nil {
		return nil, fmt.Errorf("decode %s: %w", c.name, err)
	}
	x := make([]float64, len(b)/2)
	for i := range x {
		x[i] = float64(int16(binary.LittleEndian.Uint16(b[2*i:]))) / 32768
	}
	return x, nil
}
