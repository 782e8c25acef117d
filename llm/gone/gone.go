// Package gone tells from what a service answers that it does not have a model, or not
// any more, and which one it names instead. It knows no model by name. The words of a
// service are not repeated: of them only what looks like the name of a model is kept.
// It runs no goroutine and imports nothing but llm.
package gone

import (
	"net/http"
	"strings"

	"hearthd/llm"
)

// Error says that a service does not have a model. It matches llm.ErrModel.
type Error struct {
	Model     string // as it was asked for
	Successor string // that the service names; empty: none
}

func (e *Error) Error() string {
	text := llm.ErrModel.Error() + " " + e.Model
	if e.Successor != "" {
		text += ", it names " + e.Successor
	}
	return text
}

// Unwrap makes it an llm.ErrModel.
func (e *Error) Unwrap() error { return llm.ErrModel }

// maxName bounds the name of a model, in bytes. The longest of today have 60.
const maxName = 80

// missing are the words for what is not there, in codes and in sentences.
var missing = []string{
	"not_found", "not found", "not exist", "not_exist", "notfound", "deprecated", "decommissioned", "retired", "shut down", "shutdown", "shut_down",
	"sunset", "removed", "discontinued", "no longer", "not available", "unavailable", "not_available", "unknown model",
	"unknown_model", "invalid model", "invalid_model", "unsupported_model", "not supported", "not_supported", "end of life",
}

// Refusal is what a service answers, of which each may be missing.
type Refusal struct {
	Status             int
	Code, Param, Words string
}

// Told is an *Error if r says that there is no such model; else nil.
func Told(model string, r Refusal) error {
	switch {
	case r.Status == http.StatusTooManyRequests, r.Status >= http.StatusInternalServerError:
		return nil // the model may be back in a moment
	case r.Status == http.StatusGone,
		about(r.Code, "model", "deployment") && says(r.Code),
		about(r.Code, "deprecated", "decommissioned", "retired", "sunset") && !about(r.Code, "param"),
		strings.HasSuffix(r.Param, "model") && (says(r.Code+r.Words) || about(r.Code, "invalid_value")),
		speaksOf(model, r.Words) && says(r.Words):
		return &Error{Model: model, Successor: successor(model, r.Words)}
	}
	return nil
}

func says(s string) bool { return about(s, missing...) }

// about reports whether s holds one of words.
func about(s string, words ...string) bool {
	s = strings.ToLower(s)
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// speaksOf reports whether words are about the model, and not about something else of it
// that is not found or not supported, such as a parameter.
func speaksOf(model, words string) bool {
	if about(words, "parameter", "endpoint", "voice", "format", "language", "tool", "modalit", "feature", "not supported with", "not supported by", "not support ") {
		return false
	}
	return model != "" && strings.Contains(words, model) ||
		about(words, "this model", "the model", "model not found", "requested model") && !about(words, "this model does not")
}

// advice are the words before the model that takes the place of another.
var advice = []string{"use", "instead", "migrat", "switch", "replace", "successor", "recommend", "upgrade", "try", "supported", "available"}

// successor is what words name to be used in place of model.
func successor(model, words string) string {
	advised := false
	for _, f := range strings.Fields(words) {
		name := strings.Trim(f, "`'\"“”‘’.,;:!?()[]<>*")
		family, _, _ := strings.Cut(model, "-")
		sure := strings.ContainsAny(f, "`'\"") || strings.ContainsAny(name, "0123456789") || family != "" && strings.HasPrefix(name, family+"-")
		switch {
		case name == model:
		case advised && sure && isName(name):
			return name
		case about(name, advice...):
			advised = true
		}
	}
	return ""
}

// isName reports whether s looks like the name of a model, such as maker/model-3:small. A
// key, a date and an address do not.
func isName(s string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	switch {
	case len(s) < 3, len(s) > maxName, strings.Trim(s, letters+"0123456789._:/-") != "", isDate(s):
		return false
	case strings.HasPrefix(s, "sk-"), strings.HasPrefix(s, "http"), strings.HasPrefix(s, "/"), strings.Contains(s, "://"),
		strings.Contains(s, "/v1"), strings.Contains(s, ".com"), strings.HasSuffix(s, ".html"):
		return false
	}
	return strings.ContainsAny(s, "-_:.") && strings.ContainsAny(s, letters)
}

// isDate reports whether s is one, such as 2027-01-20.
func isDate(s string) bool { return strings.Trim(s, "0123456789-") == "" }
