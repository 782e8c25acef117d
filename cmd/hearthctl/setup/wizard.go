package setup

import (
	"bufio"
	"cmp"
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

// maxWrong is how often a question is repeated: more often than a person slips, so that only a script
// that answers nonsense is given up.
const maxWrong = 100

// errBack is the error of a question at which a person wants to go back.
var errBack = errors.New("back")

// errEnded is the error of a setup whose input ends.
var errEnded = errors.New("setup ended before it was done; nothing was written")

// wizard is one run through the questions of setup.
type wizard struct {
	c     *ctl.Client
	cmd   *cobra.Command
	in    *bufio.Reader
	out   io.Writer
	yes   bool              // nothing is asked
	given map[string]string // answers from flags
	file  string            // configuration
	path  string            // of the file that is written
	later []string          // files that are read after it, and win
	creds string
	root  string // of /proc

	listens time.Duration // how long the microphone is tried
	written bool
	modern  bool // speech is installed when the rest is done

	asked   int               // questions that were answered in this step
	again   int               // of them, those that are passed over on the way back to a later one
	answers map[string]string // of a person, by the flag of the question
	about   string            // what the present question is for
	now     config.Config     // the configuration before, with the answers of a person
	from    config.Origins
	entries []config.Entry
	secrets map[string]string // by the file of creds
	zone    string            // that the machine shall have
}

func (w *wizard) say(format string, args ...any) { fmt.Fprintf(w.out, format, args...) }

// guide says what only helps to answer, which --yes does without.
func (w *wizard) guide(format string, args ...any) {
	if !w.yes {
		w.say(format, args...)
	}
}

// line asks for one line, and explains the question as often as that is asked for.
func (w *wizard) line(question string) (string, error) {
	for {
		text, err := w.lineOnce(question)
		switch {
		case err != nil || w.written:
			return text, err
		case text == "?":
			w.say("%sEnter keeps what stands in [ ]; < goes back; Ctrl-C ends, and nothing is written.\n", w.about)
		case text == "<" || strings.EqualFold(text, "back"):
			return "", errBack
		default:
			return text, nil
		}
	}
}

func (w *wizard) lineOnce(question string) (string, error) {
	w.say("%s: ", question)
	text, err := ctl.Typed(w.cmd.Context(), func() (string, error) { return w.in.ReadString('\n') })
	switch {
	case err != nil && w.written:
		return "", errors.New("setup ended; what was written stays")
	case err != nil && (text == "" || !errors.Is(err, io.EOF)):
		return "", errEnded
	case len(text) > maxLine:
		return "", fmt.Errorf("an answer of %d bytes is too long", len(text))
	}
	return strings.TrimSpace(text), nil
}

// question is one that the wizard asks, and which a flag may answer too.
type question struct {
	flag, text  string
	usual       string   // the answer to pressing just Enter
	list        []option // choices that are answered by number
	key, remark string   // key of the configuration, and the remark beside it
	optional    bool     // an empty answer keeps nothing
}

// option is one answer of a list.
type option struct{ value, about string }

// ask returns the answer to a question: that of the flag, that of the person, or the usual one.
func (w *wizard) ask(q *question) (string, error) {
	if v, ok := w.given[q.flag]; ok {
		return v, nil
	}
	if w.yes {
		return q.usual, nil
	}
	for i, o := range q.list {
		mark := ' '
		if o.value == q.usual {
			mark = '*'
		}
		w.say("  %c %d  %s\n", mark, i+1, strings.TrimSpace(ctl.Visible(o.value+"  "+o.about)))
	}
	w.about = q.remark
	if q.key != "" {
		w.about = strings.TrimSpace(fmt.Sprintf("%s It is %s in hearthd.yaml(5).", q.remark, q.key))
	}
	if w.about != "" {
		w.about += "\n"
	}
	text, err := w.line(fmt.Sprintf("%s [%s]", q.text, q.usual))
	w.about = ""
	text = cmp.Or(text, q.usual)
	if n, wrong := strconv.Atoi(text); wrong == nil && n >= 1 && n <= len(q.list) {
		text = q.list[n-1].value
	}
	return text, err
}

// affirmed reads yes or no.
func affirmed(answer string) (bool, error) {
	switch strings.ToLower(answer) {
	case "y", "yes":
		return true, nil
	case "n", "no":
		return false, nil
	}
	return false, errors.New("must be yes or no")
}

// agree asks for yes or no.
func (w *wizard) agree(question string, usual bool) (bool, error) {
	if w.yes {
		return usual, nil
	}
	hint := "y/N"
	if usual {
		hint = "Y/n"
	}
	for range maxWrong {
		text, err := w.line(fmt.Sprintf("%s [%s]", question, hint))
		if text == "" {
			return usual, err
		}
		if yes, wrong := affirmed(text); wrong == nil {
			return yes, err
		}
		w.say("Please answer y or n.\n")
	}
	return false, errEnded
}

// set keeps an answer, if the key accepts it; otherwise the error says why.
func (w *wizard) set(key, value, remark string) error {
	entries := slices.DeleteFunc(slices.Clone(w.entries), func(e config.Entry) bool { return e.Key == key })
	entries = append(entries, config.Entry{Key: key, Value: value, Remark: remark})
	text, err := config.Document("", entries)
	if err != nil {
		return err
	}
	instead := map[string][]byte{w.path: text}
	for _, path := range w.later {
		instead[path] = nil // which would hide a mistake
	}
	_, err = config.Load(config.Source{File: w.file, Instead: instead})
	if ps, ok := errors.AsType[config.Problems](err); ok {
		for _, p := range ps {
			if p.Key == key || strings.HasPrefix(p.Key, key+"[") {
				return errors.New(p.Reason)
			}
		}
	} else if err != nil {
		return err
	}
	w.entries = entries
	if now, err := config.With(w.now, key, value); err == nil && !w.yes { // it is the usual one if it is asked again
		w.now = now
	}
	return nil
}

// settled says whether a later file answers a question, so that what is written here would not hold. A flag
// is written all the same.
func (w *wizard) settled(q *question) bool {
	if _, ok := w.given[q.flag]; ok {
		return false
	}
	origin := w.from.Of(q.key)
	if !slices.ContainsFunc(w.later, func(path string) bool { return within(origin, path) }) {
		return false
	}
	w.guide("%s: %s is set by %s, which wins.\n", q.text, q.key, origin)
	return true
}

// put keeps the answer to a question under its key.
func (w *wizard) put(q question) error {
	return w.until(q, func(a string) error { return w.set(q.key, a, q.remark) })
}

// until repeats the question while take refuses the answer. Without a person the first refusal ends
// setup. What is settled is not asked.
func (w *wizard) until(q question, take func(answer string) error) error {
	if w.settled(&q) {
		return nil
	}
	q.usual = cmp.Or(w.answers[q.flag], q.usual)
	for n := 1; ; n++ {
		answer, err := w.answer(&q)
		if err != nil {
			return err
		}
		if number, wrong := strconv.Atoi(answer); wrong == nil && len(q.list) > 0 {
			err = fmt.Errorf("the list has no number %d", number)
		} else if answer != "" || !q.optional {
			err = take(answer)
		}
		switch {
		case err == nil:
			w.answered(&q, answer)
			return nil
		case errors.Is(err, errBack): // from a question about the answer to this one
			continue
		case w.yes || n == maxWrong:
			return fmt.Errorf("%q: %w", answer, err)
		}
		w.say("%s: %v\n", ctl.Visible(answer), err)
		delete(w.given, q.flag) // an answer that was refused is asked for
	}
}

// answer is what ask returns, or what a person has answered before, on the way back to a later question.
func (w *wizard) answer(q *question) (string, error) {
	if _, ok := w.given[q.flag]; !ok && w.again > 0 {
		w.again--
		return q.usual, nil
	}
	return w.ask(q)
}

// answered keeps the answer of a person, which is the usual one if the question is asked again.
func (w *wizard) answered(q *question, answer string) {
	if _, ok := w.given[q.flag]; !ok && !w.yes {
		w.asked++
		w.answers[q.flag] = answer
	}
}
