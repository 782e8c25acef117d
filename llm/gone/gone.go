// Package gone recognises from a service's answer that it does not have a model, or no longer has
// it, and which one it names instead. It knows no model by name. The words of a service are not
// repeated: only what looks like the name of a model is kept of them. It runs no goroutine and
// imports nothing but llm.
package gone

import (
	"net/http"
	"slices"
	"strings"
	"time"

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

// maxName bounds the name of a model, in bytes. The longest names today have 60.
const maxName = 80

// ended are the words, in codes and in sentences, for a model that a service has withdrawn, and
// missing also those for one that it never had.
var (
	ended = []string{
		"deprecated", "decommissioned", "retired", "shut down", "shutdown", "shut_down", "sunset", "removed",
		"discontinued",
		"end of life", "end-of-life", "turned off", "obsolete", "withdrawn", "phased out",
	}
	missing = append([]string{
		"not_found", "not found", "not exist", "not_exist", "notfound", "no longer", "not available", "unavailable",
		"not_available",
		"unknown model", "unknown_model", "invalid model", "invalid_model", "not a valid model", "unsupported_model",
		"not supported",
		"not_supported", "no endpoints found",
	}, ended...)
)

// Refusal is the answer of a service; each part may be missing.
type Refusal struct {
	Status             int
	Code, Param, Words string
}

// FromRefusal returns an *Error if r says that there is no such model; otherwise nil.
func FromRefusal(model string, r Refusal) error {
	switch {
	case r.Status == http.StatusTooManyRequests, r.Status >= http.StatusInternalServerError:
		return nil // the model may be available again in a moment
	case r.Status == http.StatusUnauthorized, r.Status == http.StatusPaymentRequired,
		r.Status == http.StatusRequestEntityTooLarge:
		return nil // the status says enough
	case r.Status == http.StatusGone,
		holds(r.Code, "model", "deployment") && saysMissing(r.Code),
		holds(r.Code, "deprecated", "decommissioned", "retired", "sunset") && !holds(r.Code, "param"),
		strings.HasSuffix(r.Param, "model") && (saysMissing(r.Code+r.Words) || holds(r.Code, "invalid_value")),
		r.Status != http.StatusForbidden && speaksOf(model, r.Words) && saysMissing(r.Code+" "+r.Words):
		return &Error{Model: model, Successor: successor(model, r.Words)}
	}
	return nil
}

func saysMissing(s string) bool { return holds(s, missing...) }

// holds reports whether s holds one of words.
func holds(s string, words ...string) bool {
	s = strings.ToLower(s)
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// speaksOf reports whether words are about the model, and not about something else that is missing
// or not supported, such as a parameter.
func speaksOf(model, words string) bool {
	switch {
	case model != "" && strings.Contains(words, "No endpoints found for "+model):
		return true
	case holds(words, "parameter", "endpoint", "voice", "format", "language", "tool", "modalit",
		"feature", "not supported with", "not supported by", "not support "):
		return false
	case model != "" && strings.Contains(words, model):
		return holds(words, ended...) || !onlyFor(model, words)
	}
	return holds(words, "this model", "the model", "model not found", "model not exist", "requested model") &&
		!holds(words, "this model does not", "for this model", "with this model", "by this model")
}

// onlyFor reports whether words mention the model only as what something else belongs to:
// "Streaming is not supported for it".
func onlyFor(model, words string) bool {
	before, _, _ := strings.Cut(words, model)
	ws := strings.Fields(strings.ToLower(strings.Trim(before, "`'\"“‘ ")))
	return len(ws) > 0 && slices.Contains([]string{"for", "of", "with", "by", "on"}, ws[len(ws)-1])
}

// advice are the words that introduce the model to use instead.
var advice = []string{"use", "instead", "migrat", "switch", "replace", "successor", "recommend", "upgrade", "try",
	"supported", "available"}

// successor is the model that words recommend instead of model.
func successor(model, words string) string {
	advised := false
	for _, f := range strings.Fields(words) {
		name := strings.Trim(f, "`'\"“”‘’.,;:!?()[]<>*")
		family, _, _ := strings.Cut(model, "-")
		sure := strings.ContainsAny(f, "`'\"") || strings.ContainsAny(name, "0123456789") ||
			family != "" && strings.HasPrefix(name, family+"-")
		switch {
		case name == model:
		case advised && sure && isName(name):
			return name
		case holds(name, advice...):
			advised = true
		}
	}
	return ""
}

// isName reports whether s looks like the name of a model, such as maker/model-3:small. A key, a
// date, an address, and names of requests or accounts do not.
func isName(s string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	switch {
	case len(s) < 3, len(s) > maxName, strings.Trim(s, letters+"0123456789._:/-") != "", isDate(s):
		return false
	case slices.ContainsFunc([]string{"sk-", "req_", "req-", "org-", "proj_", "http", "/"},
		func(p string) bool { return strings.HasPrefix(s, p) }),
		strings.Contains(s, "://"), strings.Contains(s, "/v1"), strings.Contains(s, ".com"),
		strings.HasSuffix(s, ".html"):
		return false
	}
	if host, _, path := strings.Cut(s, "/"); path && strings.Contains(host, ".") {
		return false
	}
	return strings.ContainsAny(s, "-_:.") && strings.ContainsAny(s, letters)
}

// isDate reports whether s begins with one, such as 2027-01-20.
func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s[:min(len(s), len(time.DateOnly))])
	return err == nil
}
