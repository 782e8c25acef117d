package stt

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
)

// Bounds of what one run of the program may take and give.
const (
	maxLine = 64 << 10 // bytes: half a minute of one-phone words is 20 KB
	maxTail = 300      // bytes of an error message
)

// cutDictionary gives the lines of a CMU dictionary for words, with every
// pronunciation.
func cutDictionary(file string, words []string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", fmt.Errorf("open dictionary (Debian package pocketsphinx-en-us): %w: %w", ErrNotInstalled, err)
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
		return "", &UnknownWordsError{Dictionary: file, Words: names}
	}
	return b.String(), nil
}

// UnknownWordsError says that a grammar has words that the recogniser's
// dictionary lacks.
type UnknownWordsError struct {
	Dictionary string
	Words      []string // sorted
}

func (e *UnknownWordsError) Error() string {
	return fmt.Sprintf("use grammar: not in dictionary %q: %s", e.Dictionary, strings.Join(e.Words, ", "))
}

// writeUtterance writes data to a new file in dir.
func writeUtterance(dir string, data []byte) (name string, err error) {
	f, err := os.CreateTemp(dir, "utterance-")
	if err != nil {
		return "", fmt.Errorf("create utterance file: %w", err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("write utterance file: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return f.Name(), nil
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
