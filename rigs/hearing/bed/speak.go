package bed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"hearthd/audio"
)

// Speech is one sentence, trimmed to where it sounds.
type Speech struct {
	Voice, Text string
	Sound       []float64
	Voiced      []bool // per Hop
}

// Manner changes how a sentence is said. The zero value is the voice's own way.
type Manner struct {
	Tempo float64 // 1.1 is a tenth faster; 0 is 1
	Pitch float64 // factor; 0 is 1
}

// Say speaks texts with v, in its manner. Engines that are missing are named in
// the error, which wraps exec.ErrNotFound.
func Say(ctx context.Context, v Voice, m Manner, texts ...string) ([]Speech, error) {
	if _, err := exec.LookPath(v.Engine); err != nil {
		return nil, fmt.Errorf("speak as %s (packaging/deps.sh hearing installs it): %w", v.Name, err)
	}
	dir, err := os.MkdirTemp("", "hearthd-bed-")
	if err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	list, err := say(ctx, dir, v, m.whole(), texts)
	return list, errors.Join(err, os.RemoveAll(dir))
}

func (m Manner) whole() Manner {
	if m.Tempo == 0 {
		m.Tempo = 1
	}
	if m.Pitch == 0 {
		m.Pitch = 1
	}
	return m
}

func say(ctx context.Context, dir string, v Voice, m Manner, texts []string) ([]Speech, error) {
	out := func(i int) string { return filepath.Join(dir, strconv.Itoa(i)+".wav") }
	var err error
	switch v.Engine {
	case "festival": // one process for all, for it takes a second to start
		err = run(exec.CommandContext(ctx, "festival", "--pipe"), festivalScript(v, m, texts, out))
	case "flite":
		for i, text := range texts {
			err = errors.Join(err, run(exec.CommandContext(ctx, "flite", "-voice", v.Name, "-t", text, "-o", out(i),
				"--setf", fmt.Sprintf("duration_stretch=%.3f", 1/m.Tempo),
				"--setf", fmt.Sprintf("int_f0_target_mean=%.0f", flitePitch(v.Name)*m.Pitch)), ""))
		}
	default:
		for i, text := range texts {
			err = errors.Join(err, run(exec.CommandContext(ctx, "espeak-ng", "-v", v.Name, "-w", out(i),
				"-s", fmt.Sprintf("%.0f", 165*m.Tempo), "-p", fmt.Sprintf("%.0f", min(99, 50*m.Pitch*m.Pitch)), text), ""))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("speak as %s: %w", v.Name, err)
	}
	list := make([]Speech, len(texts))
	for i, text := range texts {
		sound, err := load(out(i))
		if err != nil {
			return nil, fmt.Errorf("speak %q as %s: %w", text, v.Name, err)
		}
		list[i] = Speech{Voice: v.Name, Text: text, Sound: sound}
		list[i].trim(list[i].heard())
	}
	return list, nil
}

// flitePitch is the mean fundamental of the voice in Hz, as its speaker had it.
func flitePitch(voice string) float64 {
	switch voice {
	case "slt":
		return 170
	case "awb":
		return 135
	}
	return 105
}

func festivalScript(v Voice, m Manner, texts []string, out func(int) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "(voice_%s)\n(Parameter.set 'Duration_Stretch %.3f)\n", v.Name, 1/m.Tempo)
	for i, text := range texts {
		fmt.Fprintf(&b, "(let ((u (utt.synth (eval (list 'Utterance 'Text %q))))) (utt.save.wave u %q 'riff))\n", text,
			out(i))
	}
	return b.String()
}

func run(cmd *exec.Cmd, stdin string) error {
	cmd.Stdin = strings.NewReader(stdin)
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %.200s", err, said)
	}
	return nil
}

// Utterance is what somebody says in a file.
func Utterance(file string) (Speech, error) {
	sound, err := load(file)
	if err != nil {
		return Speech{}, fmt.Errorf("read speech: %w", err)
	}
	s := Speech{Voice: filepath.Base(file), Sound: sound}
	s.trim(s.heard())
	return s, nil
}

// load reads a WAV at audio.Rate.
func load(path string) ([]float64, error) {
	c, err := audio.ReadWAV(path, audio.WAVOptions{Streaming: true})
	if err != nil {
		return nil, err
	}
	conv, err := audio.NewResampler(c.Rate, audio.Rate)
	if err != nil {
		return nil, err
	}
	all := conv.Flush(conv.Process(nil, c.Samples))
	sound := make([]float64, len(all))
	for i, s := range all {
		sound[i] = float64(s) / 32768
	}
	return sound, nil
}
