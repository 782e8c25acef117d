package gguf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Script is what a model can say. It is JSON-able, so that a test may keep it in a
// file.
type Script struct {
	// Context is the longest prompt with its answer, in tokens. Zero: 8,192.
	Context int `json:"context,omitempty"`
	// Corpus is text whose frequent pieces become tokens, so that prompts of its kind
	// have about as many tokens as with a real vocabulary. Without it every byte is a
	// token.
	Corpus string `json:"corpus,omitempty"`
	// Slots are things that a prompt may name: by kind, the words for a value and the
	// text that stands for it in an answer. The word "" is for prompts without any.
	Slots map[string]map[string]string `json:"slots,omitempty"`
	Lines []Line                       `json:"lines"`
}

// Line is one answer.
type Line struct {
	Name string `json:"name"`
	// Triggers are words, phrases or marks of Template. The last one in a prompt
	// decides; "" stands for a prompt without any. A word in small letters is found
	// with a capital too, and never inside another word.
	Triggers []string `json:"triggers"`
	// Text is said, with {kind} replaced by what the prompt names. Each slot may
	// stand in a line once, behind text and before text.
	Text string `json:"text"`
	// Thought is said before Text, between the marks of thinking, unless the request
	// is not to think.
	Thought string `json:"thought,omitempty"`
	// Loop says Text for ever.
	Loop bool `json:"loop,omitempty"`
	// Form is what a model says that has to answer in JSON and whose trigger chose
	// no JSON. One line may have it.
	Form bool `json:"form,omitempty"`
}

// Marks of Template, each on a line of its own. They may be triggers.
const (
	MarkSystem    = "<|system|>"
	MarkTools     = "<|tools|>"
	MarkUser      = "<|user|>"
	MarkAssistant = "<|assistant|>"
	MarkTool      = "<|tool|>"   // before the result of a tool
	MarkResult    = "<|result|>" // behind it
	MarkEnd       = "<|end|>"
	markDirect    = "<|direct|>" // before an answer without thinking
)

func marks() []string {
	return []string{MarkSystem, MarkTools, MarkUser, MarkAssistant, MarkTool, MarkResult, MarkEnd, markDirect}
}

// Bounds of a script: the weights grow with the square of its tokens.
const (
	maxLines   = 64
	maxText    = 4 << 10 // bytes of all texts of a line
	maxSlots   = 8
	maxCorpus  = 1 << 20
	maxContext = 128 << 10
)

var (
	slotRef  = regexp.MustCompile(`\{[a-z_]+\}`)
	slotName = regexp.MustCompile(`^[a-z_]+$`)
)

// Parse reads a script and checks it.
func Parse(text []byte) (Script, error) {
	var s Script
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return Script{}, fmt.Errorf("parse script: %w", err)
	}
	return s, s.check()
}

// check gives all that is wrong with s but the splitting of its texts.
func (s *Script) check() error {
	var errs []error
	refuse := func(bad bool, format string, args ...any) {
		if bad {
			errs = append(errs, fmt.Errorf("check script: "+format, args...))
		}
	}
	refuse(len(s.Lines) == 0 || len(s.Lines) > maxLines, "%d lines, want 1 to %d", len(s.Lines), maxLines)
	refuse(s.Context < 0 || s.Context > maxContext, "a context of %d tokens, want at most %d", s.Context, maxContext)
	refuse(len(s.Corpus) > maxCorpus, "a corpus of %d bytes, want at most %d", len(s.Corpus), maxCorpus)
	refuse(len(s.Slots) > maxSlots, "%d slots, want at most %d", len(s.Slots), maxSlots)
	for kind, words := range s.Slots {
		refuse(!slotName.MatchString(kind), "slot %q: want small letters", kind)
		refuse(len(words) == 0, "slot %q has no words", kind)
		for w, v := range words {
			refuse(v == "", "slot %q: the word %q stands for nothing", kind, w)
		}
	}
	names, triggers, forms := map[string]bool{}, map[string]string{}, 0
	for _, l := range s.Lines {
		refuse(l.Name == "" || names[l.Name], "line %q: the name is empty or taken", l.Name)
		names[l.Name] = true
		refuse(l.Text == "" || len(l.Text)+len(l.Thought) > maxText, "line %q: want 1 to %d bytes of text", l.Name, maxText)
		refuse(strings.Contains(l.Text+l.Thought, "<|"), "line %q says a mark", l.Name)
		refuse(slotRef.MatchString(l.Thought), "line %q: a thought has no slots", l.Name)
		for _, t := range l.Triggers {
			refuse(triggers[t] != "", "line %q: trigger %q belongs to %q", l.Name, t, triggers[t])
			triggers[t] = l.Name
			refuse(strings.HasPrefix(t, "<|") && !slices.Contains(marks(), t), "line %q: there is no mark %s", l.Name, t)
		}
		if l.Form {
			forms++
			refuse(!strings.HasPrefix(l.Text, "{"), "line %q is a form and does not begin with {", l.Name)
		}
		errs = append(errs, s.checkSlots(l)...)
	}
	refuse(forms > 1, "%d lines are forms, want at most one", forms)
	refuse(triggers[""] == "", `no line has the trigger ""`)
	return errors.Join(errs...)
}

// checkSlots sees that every slot of a line says unmistakably what comes after it.
func (s *Script) checkSlots(l Line) []error {
	var errs []error
	refuse := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("check script: line %q: "+format, append([]any{l.Name}, args...)...))
	}
	end, owner := 0, map[string]string{}
	for _, at := range slotRef.FindAllStringIndex(l.Text, -1) {
		kind := l.Text[at[0]+1 : at[1]-1]
		words, ok := s.Slots[kind]
		if !ok {
			refuse("there is no slot {%s}", kind)
			continue
		}
		if at[0] == end || at[1] == len(l.Text) {
			refuse("slot {%s} needs text on both sides", kind)
		}
		end = at[1]
		seen := map[string]bool{}
		for _, v := range words {
			if other := owner[v]; other != "" && !seen[v] {
				refuse("{%s} and {%s} both stand for %q", other, kind, v)
			}
			seen[v], owner[v] = true, kind
		}
	}
	return errs
}
