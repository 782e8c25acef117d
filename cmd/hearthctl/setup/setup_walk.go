package setup

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/config"
)

// maxLine bounds an answer, in bytes.
const maxLine = 2000

// maxWrong is how often a question is asked.
const maxWrong = 5

// errEnded is that of a walk whose input ends.
var errEnded = errors.New("setup ended before it was done; nothing was written")

// walk is a setup that goes on.
type walk struct {
	c     *ctl.Client
	cmd   *cobra.Command
	in    *bufio.Reader
	out   io.Writer
	yes   bool              // nothing is asked
	given map[string]string // answers from flags
	file  string            // configuration
	path  string            // of the file that is written
	creds string
	root  string // of /proc

	listens time.Duration // how long the microphone is tried
	asked   string        // the flag of the last question
	written bool

	now     config.Config // before the walk
	from    config.Origins
	entries []config.Entry
	key     string // of the cloud service, for creds
}

func (w *walk) say(format string, args ...any) { fmt.Fprintf(w.out, format, args...) }

// line asks for one line.
func (w *walk) line(question string) (string, error) {
	w.say("%s: ", question)
	text, err := w.in.ReadString('\n')
	switch {
	case err != nil && w.written:
		return "", errors.New("setup ended; what was written stays")
	case err != nil && (text == "" || !errors.Is(err, io.EOF)):
		return "", errEnded
	case len(text) > maxLine:
		return "", fmt.Errorf("an answer of %d bytes is longer than any", len(text))
	}
	return strings.TrimSpace(text), nil
}

// ask gives the answer to a question: that of the flag, that of the person, or usual.
func (w *walk) ask(flag, question, usual string) (string, error) {
	w.asked = flag
	if v, ok := w.given[flag]; ok {
		return v, nil
	}
	if w.yes {
		return usual, nil
	}
	text, err := w.line(fmt.Sprintf("%s [%s]", question, usual))
	if text == "" {
		text = usual
	}
	return text, err
}

// agree asks for yes or no.
func (w *walk) agree(question string, usual bool) (bool, error) {
	if w.yes {
		return usual, nil
	}
	hint := "y/N"
	if usual {
		hint = "Y/n"
	}
	for range maxWrong {
		text, err := w.line(fmt.Sprintf("%s [%s]", question, hint))
		switch strings.ToLower(text) {
		case "":
			return usual, err
		case "y", "yes":
			return true, err
		case "n", "no":
			return false, err
		}
		w.say("Please answer y or n.\n")
	}
	return false, errEnded
}

// option is one of a list; its value may stand for it.
type option struct{ value, text string }

// choose lets a person take one of a list by its number, or type something else.
func (w *walk) choose(flag, question string, list []option, usual string) (string, error) {
	if _, ok := w.given[flag]; ok || w.yes {
		return w.ask(flag, question, usual)
	}
	for i, o := range list {
		mark := ' '
		if o.value == usual {
			mark = '*'
		}
		w.say("  %c %d  %s\n", mark, i+1, ctl.Visible(o.text))
	}
	text, err := w.ask(flag, question, usual)
	if n, wrong := strconv.Atoi(text); wrong == nil && n >= 1 && n <= len(list) {
		return list[n-1].value, err
	}
	return text, err
}

// set keeps an answer, if it is one that the key takes. The error says why not.
func (w *walk) set(key, value, remark string) error {
	if _, err := config.Edit(nil, key, value); err != nil {
		return err
	}
	entries := append(slices.Clone(w.entries), config.Entry{Key: key, Value: value, Remark: remark})
	text, err := config.Document("", entries)
	if err != nil {
		return err
	}
	_, err = config.Load(config.Source{File: w.file, Instead: map[string][]byte{w.path: text}})
	var ps config.Problems
	if errors.As(err, &ps) {
		for _, p := range ps {
			if p.Key == key || strings.HasPrefix(p.Key, key+"[") {
				return errors.New(p.Reason)
			}
		}
	} else if err != nil {
		return err
	}
	w.entries = entries
	return nil
}

// until asks again while take refuses the answer. Without a person the first refusal
// is the end.
func (w *walk) until(ask func() (string, error), take func(answer string) error) error {
	for n := 1; ; n++ {
		answer, err := ask()
		if err != nil {
			return err
		}
		if err = take(answer); err == nil {
			return nil
		}
		if w.yes || n == maxWrong {
			return fmt.Errorf("%q: %w", answer, err)
		}
		w.say("%s: %v\n", ctl.Visible(answer), err)
		delete(w.given, w.asked) // an answer that was refused is asked for
	}
}
