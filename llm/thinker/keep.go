package thinker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// pointing are words by which a request leans on what was said before, so that its
// answer fits no other conversation.
var pointing = []string{"that", "this", "these", "those", "there", "he", "him", "his", "she", "her", "they", "them",
	"their", "same", "again", "else", "instead", "more", "other"}

// key is what an answer to the request is kept under, or "" when it must not be:
// the domain, the words, and all that the answer depends on.
func (r *run) key() string {
	words := fold(r.ask.Text)
	// "Will it rain" points at nothing, "how long does it take" does.
	if r.domain.Name == Fallback && (slices.Contains(words, "it") || slices.Contains(words, "its")) {
		return ""
	}
	if r.t.opt.Answers == nil || r.domain.Cache <= 0 || len(words) < 2 || words[0] == "and" || words[0] == "what" && words[1] == "about" ||
		slices.ContainsFunc(words, func(w string) bool { return slices.Contains(pointing, w) }) {
		return ""
	}
	var names []string
	for _, s := range r.specs {
		names = append(names, s.Name)
	}
	depends := strings.Join([]string{r.t.opt.Depends(), r.ask.Person, r.system, strings.Join(names, " ")}, "\n")
	sum := sha256.Sum256([]byte(depends))
	return r.domain.Name + " " + hex.EncodeToString(sum[:8]) + " " + cutText(strings.Join(words, " "), maxPhrase)
}

// kept gives an answer that was found a moment ago, in sentences.
func (r *run) kept(ctx context.Context) ([]string, bool) {
	key := r.key()
	if key == "" {
		return nil, false
	}
	a, ok := r.t.opt.Answers.Answer(ctx, key)
	if !ok {
		return nil, false
	}
	r.usage.Sources = a.Sources
	r.t.opt.Log.InfoContext(ctx, "answer taken from the cache", "component", "thinker", "domain", r.domain.Name)
	r.cached = true
	return sentences(a.Text), true
}

// keep keeps the answer of a turn in which nothing failed.
func (r *run) keep(ctx context.Context) {
	key := r.key()
	if key == "" || r.cached || r.failed || r.promise {
		return
	}
	// With the lock, so that nothing is kept of what is being forgotten.
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	if text := r.ex.answer; text != "" && !r.ex.closed {
		r.t.opt.Answers.KeepAnswer(ctx, key, r.domain.Name, Kept{text, r.usage.Sources}, r.domain.Cache)
	}
}
