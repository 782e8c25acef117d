package stt

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"hearthd/audio"
)

// Bounds of what one run of the program may take and give.
const (
	maxSpool = 60 * audio.Rate * 2 // bytes: a minute of samples
	maxLine  = 64 << 10            // bytes: a minute of one-phone words is 40 KB
	maxTail  = 300                 // bytes of an error message
)

// cutDictionary gives the lines of a CMU dictionary for words, with every
// pronunciation.
func cutDictionary(file string, words []string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", fmt.Errorf("open dictionary (Debian package pocketsphinx-en-us): %w", err)
	}
	defer f.Close() //nolint:errcheck // only read
	missing := map[string]bool{}
	for _, w := range words {
		missing[w] = true
	}
	wanted := func(w string) bool { _, ok := missing[w]; return ok }
	var b strings.Builder
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		head, _, _ := strings.Cut(sc.Text(), " ")
		if base, _, _ := strings.Cut(head, "("); wanted(base) {
			missing[base] = false
			b.WriteString(sc.Text() + "\n")
		}
	}
	if err := sc.Err(); err != nil {
		return "", fmt.Errorf("read dictionary %q: %w", file, err)
	}
	var names []string
	for w, yes := range missing {
		if yes {
			names = append(names, w)
		}
	}
	if len(names) > 0 {
		slices.Sort(names)
		return "", fmt.Errorf("use grammar: not in dictionary %q: %s", file, strings.Join(names, ", "))
	}
	return b.String(), nil
}

// spool holds the samples of an utterance, so that a writer never waits for
// the programs that read them.
type spool struct {
	mu    sync.Mutex
	more  sync.Cond
	data  []byte
	ended bool
}

func newSpool() *spool {
	s := &spool{data: make([]byte, 0, 4*audio.Rate*2)}
	s.more.L = &s.mu
	return s
}

func (s *spool) write(f *audio.Frame) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return errors.New("write frame: the utterance is finished")
	}
	if len(s.data)+2*len(f) > maxSpool {
		return errors.New("write frame: the utterance is longer than a minute")
	}
	for _, v := range f {
		s.data = binary.LittleEndian.AppendUint16(s.data, uint16(v))
	}
	s.more.Broadcast()
	return nil
}

func (s *spool) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.more.Broadcast()
}

func (s *spool) reader() *spoolReader { return &spoolReader{s: s} }

// spoolReader reads a spool from its start, waiting for more until it ends.
type spoolReader struct {
	s   *spool
	off int
}

// Read gives the samples as little-endian S16.
func (r *spoolReader) Read(p []byte) (int, error) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	for r.off == len(r.s.data) && !r.s.ended {
		r.s.more.Wait()
	}
	if r.off == len(r.s.data) {
		return 0, io.EOF
	}
	n := copy(p, r.s.data[r.off:])
	r.off += n
	return n, nil
}

// firstLine keeps the first line of an output; ready is closed when it is there.
type firstLine struct {
	ready chan struct{}
	mu    sync.Mutex
	buf   []byte
	whole bool
}

// Write drops what follows the first line and refuses a line without end.
func (l *firstLine) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.whole {
		return len(p), nil
	}
	line, _, found := bytes.Cut(p, []byte("\n"))
	if len(l.buf)+len(line) > maxLine {
		return 0, errors.New("result line is too long")
	}
	l.buf = append(l.buf, line...)
	if found {
		l.whole = true
		close(l.ready)
	}
	return len(p), nil
}

func (l *firstLine) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.buf)
}

// logTail keeps the last complaint of the program's log. The rest of the log
// is dropped: it holds what was said.
type logTail struct {
	mu   sync.Mutex
	line []byte
	last string
}

// Write takes a piece of the log.
func (t *logTail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range p {
		switch {
		case c == '\n':
			if bytes.HasPrefix(t.line, []byte("ERROR")) || bytes.HasPrefix(t.line, []byte("FATAL")) {
				t.last = string(t.line)
			}
			t.line = t.line[:0]
		case len(t.line) < maxTail:
			t.line = append(t.line, c)
		}
	}
	return len(p), nil
}

func (t *logTail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last
}
