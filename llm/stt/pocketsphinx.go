package stt

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"hearthd/audio"
	"hearthd/llm"
)

// PocketsphinxOptions is what NewPocketsphinx takes.
type PocketsphinxOptions struct {
	Grammar string   // a JSGF grammar with one public rule
	Words   []string // every word of Grammar
	Dir     string   // an existing directory of the engine's own, for the files that the program reads

	Program   string  // default pocketsphinx_batch
	ModelDir  string  // default /usr/share/pocketsphinx/model/en-us
	Threshold float64 // least margin, see Pocketsphinx; 0 means the default, -15
	Log       *slog.Logger
}

// defaultThreshold lies between the worst margin of grammatical sentences in a
// voice that the recogniser copes with (-4) and the best of chatter (-33), both
// measured with the sentences in tools/intent/testdata.
const defaultThreshold = -15

// Pocketsphinx is Debian's recogniser, bound to a grammar. For each utterance
// it searches the program twice, side by side: one search forced into the grammar,
// and one free to hear any phones. Both load their model and decode while the
// person still speaks. The forced search always finds something; what says
// whether it was really said is the margin, its acoustic score minus that of
// the free search per 10 ms frame of words. All senones are computed in both,
// because the program scales each frame's scores by the best one computed, and
// the two must be scaled alike.
type Pocketsphinx struct {
	program   string
	command   []string // arguments of the search in the grammar
	free      []string // arguments of the search for phones
	threshold float64
	log       *slog.Logger
}

// NewPocketsphinx writes the grammar and a dictionary of its words to Dir. It
// refuses a word that the model's dictionary lacks, because the program would
// refuse the whole grammar, and names the Debian package that is missing.
func NewPocketsphinx(o PocketsphinxOptions) (*Pocketsphinx, error) {
	if o.Log == nil || o.Dir == "" || o.Grammar == "" {
		return nil, errors.New("use pocketsphinx: log, directory and grammar are required")
	}
	if o.Program == "" {
		o.Program = "pocketsphinx_batch"
	}
	if o.ModelDir == "" {
		o.ModelDir = "/usr/share/pocketsphinx/model/en-us"
	}
	if o.Threshold == 0 {
		o.Threshold = defaultThreshold
	}
	program, err := exec.LookPath(o.Program)
	if err != nil {
		return nil, fmt.Errorf("find program %q (Debian package pocketsphinx): %w", o.Program, err)
	}
	dict, err := cutDictionary(filepath.Join(o.ModelDir, "cmudict-en-us.dict"), o.Words)
	if err != nil {
		return nil, err
	}
	file := func(name string) string { return filepath.Join(o.Dir, name) }
	for name, data := range map[string]string{
		"command.gram": o.Grammar,
		"command.dict": dict,
		"utterance":    "stdin\n", // the one entry of the list of recordings: /dev/stdin
	} {
		if err := os.WriteFile(file(name), []byte(data), 0o600); err != nil {
			return nil, fmt.Errorf("write file %q: %w", file(name), err)
		}
	}
	common := []string{
		"-hmm", filepath.Join(o.ModelDir, "en-us"), "-dict", file("command.dict"),
		"-ctl", file("utterance"), "-cepdir", "/dev", "-cepext", "", "-adcin", "yes",
		"-hypseg", "/dev/stdout", "-compallsen", "yes", "-bestpath", "no",
	}
	return &Pocketsphinx{
		program: program,
		// The program's own -wbeam 7e-29 prunes the right path of a large grammar
		// behind "hey hearth", and its -lw 6.5 is for a trigram, not for the
		// uniform weights of a grammar: with these, 10 % more commands are exact.
		command: append([]string{"-jsgf", file("command.gram"), "-lw", "3.0", "-wbeam", "1e-40"}, common...),
		// Weights and beams as the CMUSphinx phoneme recognition tutorial has
		// them; context-independent phones, which is a fifth of the work.
		free: append([]string{"-allphone", filepath.Join(o.ModelDir, "en-us-phone.lm.bin"),
			"-allphone_ci", "yes", "-lw", "2.0", "-beam", "1e-20", "-pbeam", "1e-20"}, common...),
		threshold: o.Threshold,
		log:       o.Log,
	}, nil
}

// Open starts both searches.
func (e *Pocketsphinx) Open(ctx context.Context) (Stream, error) {
	ctx, cancel := context.WithCancel(ctx)
	s := &pocketsphinxStream{engine: e, ended: ctx.Done(), cancel: cancel, audio: newSpool()}
	s.release = context.AfterFunc(ctx, s.audio.end)
	for i, args := range [][]string{e.command, e.free} {
		if err := s.searches[i].start(ctx, e.program, args, s.audio.reader()); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

// pocketsphinxStream is one utterance: two searches of the program that read the
// same spool.
type pocketsphinxStream struct {
	engine   *Pocketsphinx
	ended    <-chan struct{} // closed when the context of Open, or Close, ended the utterance
	cancel   context.CancelFunc
	release  func() bool
	audio    *spool
	searches [2]search
}

// Write takes the next frame.
func (s *pocketsphinxStream) Write(f *audio.Frame) error {
	return s.audio.write(f)
}

// Finish waits for both searches to reach the end of the utterance.
func (s *pocketsphinxStream) Finish(ctx context.Context) (llm.Transcript, error) {
	began := time.Now()
	s.audio.end()
	var found [2]path
	for i := range s.searches {
		line, err := s.searches[i].line(ctx, s.ended)
		if err != nil {
			return llm.Transcript{}, fmt.Errorf("recognise utterance: %w", err)
		}
		if found[i], err = parsePath(line); err != nil {
			return llm.Transcript{}, fmt.Errorf("recognise utterance: %w", err)
		}
	}
	s.engine.log.Debug("utterance recognised", "component", "stt", "took_ms", time.Since(began).Milliseconds())
	return s.engine.judge(found[0], found[1]), nil
}

// judge takes or rejects what the search in the grammar found.
func (e *Pocketsphinx) judge(command, free path) llm.Transcript {
	if command.frames == 0 {
		return llm.Transcript{Rejected: free.frames > 0}
	}
	if command.margin(free) < e.threshold {
		return llm.Transcript{Rejected: true}
	}
	return llm.Transcript{Text: command.text}
}

// Close kills what still searches and waits for it.
func (s *pocketsphinxStream) Close() error {
	s.cancel()
	s.release()
	s.audio.end()
	for i := range s.searches {
		s.searches[i].wait()
	}
	return nil
}

// search is one run of the program, in a process group of its own.
type search struct {
	out  firstLine
	errs logTail
	done chan struct{} // closed when the program and its copying goroutines have ended
	err  error         // valid once done is closed
}

func (r *search) start(ctx context.Context, program string, args []string, stdin *spoolReader) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = []string{"LC_ALL=C"} // numbers with a decimal point
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second // for a child of the child that keeps the pipes
	r.out.ready = make(chan struct{})
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &r.out, &r.errs
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start program %q: %w", program, err)
	}
	r.done = make(chan struct{})
	go func() {
		r.err = cmd.Wait()
		close(r.done)
	}()
	return nil
}

// line waits for the result line. It does not wait for the program to end,
// which takes it some milliseconds more.
func (r *search) line(ctx context.Context, ended <-chan struct{}) (string, error) {
	select {
	case <-r.out.ready:
		return r.out.String(), nil
	case <-ctx.Done():
		return "", ctx.Err()
	case <-ended:
		return "", errors.New("the utterance was given up")
	case <-r.done:
	}
	select {
	case <-r.out.ready:
		return r.out.String(), nil
	default:
		return "", fmt.Errorf("pocketsphinx ended without a result (%w): %s", errors.Join(r.err, errNoResult), r.errs.String())
	}
}

var errNoResult = errors.New("no result line")

func (r *search) wait() {
	if r.done != nil {
		<-r.done
	}
}
