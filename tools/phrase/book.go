package phrase

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"text/template"
	"unicode"
	"unicode/utf8"

	"hearthd/config/input"
	"hearthd/language"
)

// Options say which words a Book has.
type Options struct {
	Language string // folder of a language that comes with hearthd; empty means en
	// Extra is a folder of a household, whose answers take the place of those of Language, or
	// are those of a language that does not come with hearthd. Nil means none.
	Extra  fs.FS
	Hour24 bool // "15:20" instead of "3:20 PM", where people say both
	Log    *slog.Logger
}

// Args are the arguments of a sentence by name.
type Args = map[string]any

// Book is the sentences of a language.
type Book struct {
	grammar grammar
	texts   *template.Template // one of each key
	spare   *Book              // has what this one has no words for; nil: there is none
	hour24  bool
	log     *slog.Logger
	filling atomic.Int32 // answers that are being filled in, each with its parts
}

// maxFilling bounds these: an answer of a household may include itself.
const maxFilling = 1000

// English is a Book for callers that need no other.
var English = sync.OnceValue(func() *Book {
	b, err := New(Options{})
	if err != nil {
		panic(err) // the built-in answers are tested
	}
	return b
})

// New reads the sentences. Its error names every file and key with a mistake. Sentences that a
// language from outside hearthd lacks are said in English.
func New(o Options) (*Book, error) {
	if o.Language == "" {
		o.Language = "en"
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	b := &Book{hour24: o.Hour24, log: o.Log}
	b.texts = template.New("").Option("missingkey=error").Funcs(b.functions())
	own, built := language.Folder(o.Language)
	var errs []error
	if built {
		errs = append(errs, b.read(own))
	} else {
		spare := o
		spare.Language, spare.Extra = "", nil
		var err error
		if b.spare, err = New(spare); err != nil {
			return nil, err
		}
	}
	if o.Extra != nil {
		errs = append(errs, b.read(o.Extra))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("read answers: %w", err)
	}
	if b.spare != nil && len(b.grammar.Months) == 0 {
		b.grammar = b.spare.grammar
	}
	if err := b.grammar.seal(); err != nil {
		return nil, fmt.Errorf("read answers: grammar.yaml: %w", err)
	}
	return b, nil
}

const maxFile = 256 << 10 // bytes

// read adds the answers of a folder of a language.
func (b *Book) read(dir fs.FS) error {
	names, err := fs.Glob(dir, "answers/*.yaml")
	if err != nil {
		return err
	}
	var errs []error
	for _, name := range names {
		if err := b.readFile(dir, name); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

func (b *Book) readFile(dir fs.FS, name string) error {
	text, err := input.ReadFS(dir, name, maxFile)
	if err != nil {
		return err
	}
	if path.Base(name) == "grammar.yaml" {
		return input.DecodeYAML(text, &b.grammar)
	}
	texts := map[string]string{}
	if err := input.DecodeYAML(text, &texts); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	var errs []error
	for key, text := range texts {
		key = strings.TrimSuffix(path.Base(name), ".yaml") + "." + key
		if strings.TrimSpace(text) == "" {
			errs = append(errs, fmt.Errorf("%s is empty", key))
		} else if _, err := b.texts.New(key).Parse(text); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Say is the sentences of a key, filled in.
func (b *Book) Say(key string, args ...Args) string { return Sentence(b.Part(key, args...)) }

// Part is text that is put into a sentence: it begins as it is written.
func (b *Book) Part(key string, args ...Args) string {
	return strings.Join(strings.Fields(b.text(key, args)), " ")
}

// Lines are the lines of a key that is a list.
func (b *Book) Lines(key string, args ...Args) []string {
	return strings.Split(strings.TrimSpace(b.text(key, args)), "\n")
}

// text is a key filled in, or, if that fails, one plain sentence and a line in the log: nobody is
// left without an answer.
func (b *Book) text(key string, args []Args) string {
	var with any
	if len(args) > 0 {
		with = args[0]
	}
	text, err := b.fill(key, with)
	if err != nil {
		b.log.Error("answer has no words", "component", "tools", "error", err)
		text, err = b.fill("core.wordless", nil)
	}
	if err != nil {
		return key
	}
	return text
}

func (b *Book) fill(key string, with any) (string, error) {
	t := b.texts.Lookup(key)
	if t == nil && b.spare != nil {
		return b.spare.fill(key, with)
	}
	if t == nil {
		return "", fmt.Errorf("say %s: there is no such answer", key)
	}
	if with == nil {
		with = Args{}
	}
	defer b.filling.Add(-1)
	if b.filling.Add(1) > maxFilling {
		return "", fmt.Errorf("say %s: it includes itself", key)
	}
	var text strings.Builder
	if err := t.Execute(&text, with); err != nil {
		return "", fmt.Errorf("say %s: %w", key, err)
	}
	return text.String(), nil
}

// Sentence begins text with a capital letter.
func Sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}
