package stt

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"hearthd/audio"
	"hearthd/llm"
	"hearthd/llm/proc"
)

// PocketsphinxOptions is what NewPocketsphinx takes.
type PocketsphinxOptions struct {
	Grammar string   // a JSGF grammar with one public rule
	Words   []string // every word of Grammar
	Dir     string   // an existing directory of the engine's own, for the files that the program reads

	program string // default pocketsphinx_batch
	// Rivals reports whether text b, which may be the beginning of one of the grammar, asks for
	// something else than text a; nil: every other text does.
	Rivals func(a, b string) bool
	Log    *slog.Logger
}

// hopeless is the margin, see Pocketsphinx, below which what was found is no guess any more. Without
// noise, grammatical sentences in voices that the recogniser copes with reach -12 at worst and chatter
// -33 at best, with the sentences in tools/intent/testdata; at 20 dB of white noise -8 to -20, and
// one chatter sentence of eleven passed -20. Sure says what is more than a guess.
const hopeless = -20

const (
	// apart is how far a rival has to be behind, in the program's units, not to count. It was
	// chosen with nine neural voices; of nine others, with it and with half of it, 4 and 6 of 270
	// orders were done wrong, and 29 and 23 asked for that were right (2026-11, rigs/hearing/RESULTS.md).
	apart = 300

	paths    = 300 // that the program writes, most of which differ in where a word begins only
	rivalExt = ".rivals"
)

// modelDir is where Debian has the model.
const modelDir = "/usr/share/pocketsphinx/model/en-us"

// PocketsphinxLanguage is the language of the model.
const PocketsphinxLanguage = "en"

// Pocketsphinx is Debian's recogniser, bound to a grammar. For each utterance
// it runs the program twice, side by side: one search forced into the grammar,
// and one free to hear any phones. The forced search always finds something;
// what says whether it was really said is the margin, its acoustic score minus
// that of the free search per 10 ms frame of words. All senones are computed in
// both, because the program scales each frame's scores by the best one computed,
// and the two must be scaled alike.
//
// Noise is soon taken for another order of the same length, and "fifty" for "fifteen": of the
// other paths through the grammar the best one that asks for something else is the rival, and
// where it is about as good as the one that was found, that is a guess.
//
// Both load their model while the person still speaks, but decode when the
// utterance is complete: only then can the program subtract the mean of the
// whole. Fed as a stream it starts from the mean of its training microphone,
// which costs nearly all commands at 20 dB of white noise.
type Pocketsphinx struct {
	dir      string
	program  string
	searches [][]string // their arguments: in the grammar, and for phones; or for the one phrase
	phrase   string     // as NewPhrase writes it in its dictionary; empty: sentences of a grammar
	rivals   func(a, b string) bool
	log      *slog.Logger
}

// ErrNotInstalled says that the program or its model is not there.
var ErrNotInstalled = errors.New("it is not installed")

// NewPocketsphinx writes the grammar and a dictionary of its words to Dir. It
// refuses a word that the model's dictionary lacks, because the program would
// refuse the whole grammar, and names the Debian package that is missing. What else
// the program does not take shows in Try.
func NewPocketsphinx(o PocketsphinxOptions) (*Pocketsphinx, error) {
	if o.Log == nil || o.Dir == "" || o.Grammar == "" {
		return nil, errors.New("use pocketsphinx: log, directory and grammar are required")
	}
	o.program = cmp.Or(o.program, "pocketsphinx_batch")
	program, err := exec.LookPath(o.program)
	if err != nil {
		return nil, fmt.Errorf("find program %q (Debian package pocketsphinx): %w: %w", o.program, ErrNotInstalled, err)
	}
	dict, err := cutDictionary(filepath.Join(modelDir, "cmudict-en-us.dict"), o.Words)
	if err != nil {
		return nil, err
	}
	grammar, err := compile(o.Grammar)
	if err != nil {
		return nil, err
	}
	if o.Rivals == nil {
		o.Rivals = func(a, b string) bool { return a != b }
	}
	file := func(name string) string { return filepath.Join(o.Dir, name) }
	for name, data := range map[string]string{
		"command.fsg":  grammar,
		"command.dict": dict,
	} {
		if err := os.WriteFile(file(name), []byte(data), 0o600); err != nil {
			return nil, fmt.Errorf("write file %q: %w", file(name), err)
		}
	}
	common := append([]string{"-dict", file("command.dict"), "-compallsen", "yes", "-bestpath", "no"}, batch(o.Dir)...)
	return &Pocketsphinx{
		dir:     o.Dir,
		program: program,
		searches: [][]string{
			// The program's own beams (-beam and -pbeam 1e-48) prune the right path of a large grammar.
			// -wbeam is what keeps the lattice small, of which the rivals are read: to make it takes
			// longer than the search, and with 1e-40 twice as long as with 1e-34, which still leaves
			// words that are 760 units behind. With -lw 7 the grammar's weights count, and -silprob
			// and -fillprob, which it is applied to as well, stay as dear as they are with the 3 that
			// a grammar without weights wants.
			append([]string{"-fsg", file("command.fsg"), "-lw", "7.0", "-silprob", "0.1", "-fillprob", "4e-4",
				"-beam", "1e-54", "-pbeam", "1e-54", "-wbeam", "1e-34",
				"-nbest", strconv.Itoa(paths), "-nbestdir", o.Dir, "-nbestext", rivalExt}, common...),
			// Weights and beams as the CMUSphinx phoneme recognition tutorial has
			// them; context-independent phones, which is a fifth of the work.
			append([]string{"-allphone", filepath.Join(modelDir, "en-us-phone.lm.bin"),
				"-allphone_ci", "yes", "-lw", "2.0", "-beam", "1e-20", "-pbeam", "1e-20"}, common...),
		},
		rivals: o.Rivals,
		log:    o.Log,
	}, nil
}

// batch has the program read the names of recordings, which are in dir, and write how it divides them.
func batch(dir string) []string {
	return []string{"-hmm", filepath.Join(modelDir, "en-us"), "-ctl", "/dev/stdin", "-cepdir", dir, "-cepext", "",
		"-adcin", "yes", "-hypseg", "/dev/stdout"}
}

// tryTime is far more than loading a model and a grammar takes, 0.3 s here.
const tryTime = 30 * time.Second

// Try loads the grammar as each utterance will, with nothing to recognise. A rule that is missing,
// or that refers to itself, is reported by the program in its log only: it goes on and recognises
// nothing.
func (e *Pocketsphinx) Try(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	cmd := proc.Group(ctx, append([]string{e.program}, e.searches[0]...), []string{"LC_ALL=C"})
	var errs logTail
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start program %q: %w", e.program, err)
	}
	err := proc.Finish(cmd)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	switch what := errs.String(); {
	case what != "":
		return fmt.Errorf("use grammar: %w: %s", errGrammar, what)
	case err != nil: // such as 127: a library that it needs is not there yet
		return fmt.Errorf("run program %q: %w", e.program, err)
	}
	return nil
}

// errGrammar says that the program refuses a grammar.
var errGrammar = errors.New("pocketsphinx does not take it")

// Open starts both searches.
func (e *Pocketsphinx) Open(ctx context.Context) (Stream, error) {
	ctx, cancel := context.WithCancel(ctx)
	s := &pocketsphinxStream{engine: e, ended: ctx.Done(), cancel: cancel, audio: make([]byte, 0, 4*audio.Rate*2)}
	s.load = func() error { return s.start(ctx) }
	if err := s.load(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// pocketsphinxStream is one utterance: two searches of the program that read the
// same spool, and before them two for each Peek.
type pocketsphinxStream struct {
	engine   *Pocketsphinx
	ended    <-chan struct{} // closed when the context of Open, or Close, ended the utterance
	cancel   context.CancelFunc
	load     func() error // starts the next two searches
	audio    []byte       // little-endian S16
	finished bool
	searches []*search // the two that wait for the recording, or none
	started  []*search // all
	idle     int       // frames that were written while there were none
}

// reload is how much must follow a Peek, in frames, before the next searches load
// their model: what follows is mostly the silence that ends the utterance.
const reload = 15

func (s *pocketsphinxStream) start(ctx context.Context) error {
	s.searches, s.idle = nil, 0
	for _, args := range s.engine.searches {
		r := &search{}
		if err := r.start(ctx, s.engine.program, args); err != nil {
			s.searches = nil
			return err
		}
		s.searches, s.started = append(s.searches, r), append(s.started, r)
	}
	return nil
}

// Write takes the next frame.
func (s *pocketsphinxStream) Write(f *audio.Frame) error {
	if s.finished {
		return errFinished
	}
	if len(s.audio)+2*len(f) > 2*maxSamples {
		return errTooLong
	}
	for _, v := range f {
		s.audio = binary.LittleEndian.AppendUint16(s.audio, uint16(v))
	}
	if s.searches == nil {
		if s.idle++; s.idle == reload {
			return s.load()
		}
	}
	return nil
}

// Peek gives two searches what was written so far.
func (s *pocketsphinxStream) Peek(ctx context.Context, _ func(llm.Transcript)) (llm.Transcript, error) {
	if s.finished {
		return llm.Transcript{}, errFinished
	}
	return s.recognise(ctx)
}

// Finish gives both searches the utterance and waits for what they find.
func (s *pocketsphinxStream) Finish(ctx context.Context) (llm.Transcript, error) {
	if s.finished {
		return llm.Transcript{}, errFinished
	}
	s.finished = true
	return s.recognise(ctx)
}

func (s *pocketsphinxStream) recognise(ctx context.Context) (llm.Transcript, error) {
	if len(s.audio) == 0 {
		return llm.Transcript{}, nil
	}
	if s.searches == nil {
		if err := s.load(); err != nil {
			return llm.Transcript{}, err
		}
	}
	began, searches := time.Now(), s.searches
	s.searches, s.idle = nil, 0
	file, err := writeUtterance(s.engine.dir, trim(s.audio))
	if err != nil {
		return llm.Transcript{}, err
	}
	defer os.Remove(file)            //nolint:errcheck // nothing can be done about it
	defer os.Remove(file + rivalExt) //nolint:errcheck // nor about this one
	defer stop(searches)
	for _, r := range searches {
		r.decode(filepath.Base(file))
	}
	found := make([]path, len(searches))
	for i, r := range searches {
		line, err := r.line(ctx, s.ended)
		if err != nil {
			return llm.Transcript{}, fmt.Errorf("recognise utterance: %w", err)
		}
		if s.engine.phrase != "" {
			return opening(line, s.engine.phrase)
		}
		if found[i], err = parsePath(line); err != nil {
			return llm.Transcript{}, fmt.Errorf("recognise utterance: %w", err)
		}
	}
	margin, behind := found[0].margin(found[1]), math.Inf(1)
	// What is less is a guess or nothing whatever else there is, and of what is no order the program
	// writes paths for longer than anybody waits: 20 s and more of a processor for 5 s of talk.
	if found[0].frames > 0 && margin >= sure {
		if behind, err = s.rival(ctx, searches[0], file+rivalExt, found[0].text); err != nil {
			return llm.Transcript{}, fmt.Errorf("recognise utterance: %w", err)
		}
	}
	s.engine.log.Debug("utterance recognised", "component", "stt", "took_ms", time.Since(began).Milliseconds(),
		"margin", math.Round(margin))
	return judge(found[0], found[1], behind), nil
}

// rival is how far the best path that asks for something else than text is behind it. The program
// writes the paths after the result line, at its end.
func (s *pocketsphinxStream) rival(ctx context.Context, r *search, file, text string) (float64, error) {
	select {
	case <-r.done:
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-s.ended:
		return 0, errClosed
	}
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return math.Inf(1), nil // there is no other path
	}
	if err != nil {
		return 0, err
	}
	return behind(string(b), text, s.engine.rivals)
}

// judge takes or rejects what the search in the grammar found.
func judge(command, free path, rival float64) llm.Transcript {
	if command.frames == 0 {
		return llm.Transcript{Rejected: free.frames > 0}
	}
	margin := command.margin(free)
	if margin < hopeless {
		return llm.Transcript{Rejected: true}
	}
	return llm.Transcript{Text: command.text, Margin: margin, Rival: rival < apart}
}

// Close kills what still searches and waits for it.
func (s *pocketsphinxStream) Close() error {
	s.finished = true
	s.cancel()
	stop(s.started)
	return nil
}

// search is one run of the program, in a process group of its own.
type search struct {
	list io.WriteCloser // the program's list of recordings
	kill context.CancelFunc
	out  firstLine
	errs logTail
	done chan struct{} // closed when the program and its copying goroutines have ended
	err  error         // valid once done is closed
}

func (r *search) start(ctx context.Context, program string, args []string) error {
	ctx, r.kill = context.WithCancel(ctx)
	cmd := proc.Group(ctx, append([]string{program}, args...), []string{"LC_ALL=C"}) // numbers with a decimal point
	r.out.ready = make(chan struct{})
	cmd.Stdout, cmd.Stderr = &r.out, &r.errs
	var err error
	if r.list, err = cmd.StdinPipe(); err != nil {
		return fmt.Errorf("start program %q: %w", program, err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start program %q: %w", program, err)
	}
	r.done = make(chan struct{})
	go func() {
		r.err = proc.Finish(cmd)
		close(r.done)
	}()
	return nil
}

// decode names the one recording. A program that has died does not take it;
// line says so.
func (r *search) decode(name string) {
	_, _ = io.WriteString(r.list, name+"\n")
	_ = r.list.Close()
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
		return "", errClosed
	case <-r.done:
	}
	select {
	case <-r.out.ready:
		return r.out.String(), nil
	default:
		return "", fmt.Errorf("pocketsphinx ended without a result (%w): %s", errors.Join(r.err, errNoResult),
			r.errs.String())
	}
}

var _ Peeker = (*pocketsphinxStream)(nil)

var errNoResult = errors.New("no result line")

// stop ends searches, whatever they still do, and waits for them.
func stop(searches []*search) {
	for _, r := range searches {
		r.kill()
	}
	for _, r := range searches {
		<-r.done
	}
}
