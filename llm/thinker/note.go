package thinker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"hearthd/llm"
)

// Bounds of the notes of one reflection, in bytes for texts.
const (
	maxNotes     = 5
	maxNoteText  = 300
	maxTopics    = 3
	maxTopicText = 40
)

// notesSchema is the form that the answer of a reflection must have.
const notesSchema = `{"type":"object","properties":{"notes":{"type":"array","maxItems":5,"items":{"type":"string"}},` +
	`"topics":{"type":"array","maxItems":3,"items":{"type":"string"}}},"required":["notes"]}`

func (r *Reflector) note(ctx context.Context, age int, person string, turns []llm.Exchange) error {
	text, err := r.ask(ctx, age, llm.Request{
		Messages: []llm.Message{{Role: llm.System, Content: r.prompts.Load().Reflect},
			{Role: llm.User, Content: transcript(turns)}},
		Schema: json.RawMessage(notesSchema),
	})
	if err != nil {
		return err
	}
	notes, topics, err := r.parseNotes(text)
	if err != nil {
		return err
	}
	return r.write(age, func() error {
		var errs [2]error
		if len(notes) > 0 {
			errs[0] = r.opt.Journal.AddNotes(ctx, person, notes)
		}
		if len(topics) > 0 {
			errs[1] = r.opt.Journal.AddTopics(ctx, person, topics)
		}
		return errors.Join(errs[:]...)
	})
}

// parseNotes reads the answer of a reflection. Servers may ignore the schema, so nothing about the
// answer is taken for granted.
func (r *Reflector) parseNotes(text string) (notes, topics []string, err error) {
	var answer struct {
		Notes  []string `json:"notes"`
		Topics []string `json:"topics"`
	}
	if err := json.Unmarshal([]byte(strings.TrimSpace(text)), &answer); err != nil {
		return nil, nil, fmt.Errorf("parse notes of the model: %w", err)
	}
	return r.lines(answer.Notes, maxNotes, maxNoteText), r.lines(answer.Topics, maxTopics, maxTopicText), nil
}

// lines are the texts that say something, at most n, each of at most limit bytes.
func (r *Reflector) lines(texts []string, n, limit int) []string {
	var out []string
	for _, s := range texts {
		s = r.writing.speakable(s)
		if s != "" && len(s) <= limit && !nothing(s) && len(out) < n {
			out = append(out, s)
		}
	}
	return out
}

// nothing reports whether a note only says that there is nothing to note.
func nothing(note string) bool {
	words := strings.Join(fold(note), " ")
	for _, start := range []string{"nothing to note", "nothing", "none", "no notes", "no durable",
		"n a", "there is nothing", "empty"} {
		if words == start || strings.HasPrefix(words, start+" ") && len(start) > len("nothing") {
			return true
		}
	}
	return false
}
