package thinker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"hearthd/config/letters"
)

// pointing are words that refer to what was said before, so that the answer fits no other
// conversation.
var pointing = []string{"that", "this", "these", "those", "there", "he", "him", "his", "she", "her", "they", "them",
	"their", "same", "again", "else", "instead", "more", "other", // and words that refer to places in an answer
	"first", "second", "third", "fourth", "fifth", "last", "previous", "next"}

// momentary are words of questions whose answer holds for this minute only.
var momentary = []string{"now", "time", "clock", "until", "ago", "late", "early", "current", "currently"}

// key is the key under which an answer to the request is kept, or "" when it must not be: the
// domain, the words, and everything that the answer depends on, as of the beginning of the turn.
func (r *run) key(ctx context.Context) string {
	if r.t.opt.Answers == nil || r.domain.Cache <= 0 {
		return ""
	}
	words := fold(r.ask.Text)
	if len(words) < 2 || words[0] == "and" || words[0] == "what" && words[1] == "about" || holds(words, pointing) {
		return ""
	}
	// "Will it rain now" refers to nothing and stays valid, "how late is it" does neither.
	if r.domain.Name == Fallback && (holds(words, momentary) || holds(words, []string{"it", "its"})) {
		return ""
	}
	on, err := r.t.opt.Depends(ctx, r.ask.Person)
	if err != nil {
		r.t.opt.Log.WarnContext(ctx, "answer not kept", "component", "thinker", "error", err)
		return ""
	}
	day := r.begun.In(r.t.opt.Location).Format(time.DateOnly)
	sum := sha256.New()
	// JSON, so that no part can be mistaken for another.
	err = json.NewEncoder(sum).Encode([]any{on, r.ask.Person, day, r.system, r.domain.Prompt, r.t.opt.Tools.Specs()})
	if err != nil {
		return ""
	}
	return r.domain.Name + " " + hex.EncodeToString(sum.Sum(nil)[:8]) + " " +
		letters.Cut(strings.Join(words, " "), maxPhrase)
}

func holds(words, some []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(some, w) })
}

// kept returns an answer that was found a moment ago, in sentences.
func (r *run) kept(ctx context.Context) ([]string, bool) {
	if r.keptAs = r.key(ctx); r.keptAs == "" {
		return nil, false
	}
	a, ok := r.t.opt.Answers.Answer(ctx, r.keptAs)
	if !ok {
		return nil, false
	}
	r.usage.Sources = a.Sources
	r.t.opt.Log.InfoContext(ctx, "answer taken from the cache", "component", "thinker", "domain", r.domain.Name)
	r.cached = true
	return r.t.writing.sentences(a.Text), true
}

// keep keeps the answer of a turn in which nothing failed and nothing was changed: giving the
// answer again would not repeat the change.
func (r *run) keep(ctx context.Context) {
	if r.keptAs == "" || r.cached || r.failed || r.acted || r.promise {
		return
	}
	// Under the lock, so that nothing is kept that is being forgotten.
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	if text := r.ex.answer; text != "" && !r.ex.closed && r.age == r.t.age {
		r.t.opt.Answers.KeepAnswer(ctx, r.keptAs, r.domain.Name, Kept{text, r.usage.Sources}, r.domain.Cache)
	}
}
