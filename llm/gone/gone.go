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

// Told is an *Error if that is what a service says with the status, code and words of a
// refusal, each of which may be missing; else nil.
func Told(model string, status int, code, words string) error {
	switch {
	case status == http.StatusTooManyRequests, status >= http.StatusInternalServerError:
		return nil // the model may be back in a moment
	case status == http.StatusGone, about(code, "model", "deployment") && says(code), speaksOf(model, words) && says(words):
		return &Error{Model: model, Successor: successor(model, words)}
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

// successor is what words name to be used in place of model.
func successor(model, words string) string {
	fields := strings.Fields(words)
	advised := false
	for _, f := range fields {
		name := strings.Trim(f, "`'\"“”‘’.,;:!?()[]<>*")
		switch {
		case about(name, "use", "instead", "migrate", "switch", "replace", "successor", "recommend", "upgrade", "try") && !isName(name):
			advised = true
		case advised && name != model && isName(name):
			return name
		}
	}
	return ""
}

// isName reports whether s looks like the name of a model: with a digit and a mark within.
// A key does not, nor does an address.
func isName(s string) bool {
	if len(s) < 3 || len(s) > maxName || strings.HasPrefix(s, "sk-") || strings.Contains(s, "://") || strings.HasPrefix(s, "http") {
		return false
	}
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:/-") != "" || isDate(s) {
		return false
	}
	if strings.Contains(s, "/v1") || strings.HasSuffix(s, ".html") {
		return false
	}
	return strings.ContainsAny(s, "-_:.") && strings.ContainsAny(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") &&
		!strings.Contains(s, ".com") && !strings.HasPrefix(s, "/")
}

// isDate reports whether s is one, such as 2027-01-20.
func isDate(s string) bool { return strings.Trim(s, "0123456789-") == "" }
