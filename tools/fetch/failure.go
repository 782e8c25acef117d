package fetch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
	"unicode"

	"hearthd/tools"
)

// Failure is the error of a tool whose service did not answer properly. The service is given
// as in a sentence: "the weather service".
func Failure(service string, err error) *tools.Failure {
	return &tools.Failure{Say: sentence(service, err), Cause: err}
}

func sentence(service string, err error) string {
	var refused *StatusError
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case errors.As(err, &refused):
		return refusal(service, refused)
	case errors.Is(err, context.DeadlineExceeded), isTimeout(err):
		return tools.Sentence(service) + " does not answer."
	case errors.As(err, &dns), errors.As(err, &op):
		return "I can't reach " + service + " right now."
	}
	return tools.Sentence(service) + " gave an answer that I do not understand."
}

func refusal(service string, refused *StatusError) string {
	code, later := refused.Code, "later"
	if wait := refused.RetryAfter; wait > 0 && wait <= time.Hour {
		later = "in " + tools.Duration(wait)
	}
	switch {
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return tools.Sentence(service) + " does not let me in."
	case code == http.StatusTooManyRequests:
		return tools.Sentence(service) + " was asked too often. Please try again " + later + "."
	case code >= 500:
		return tools.Sentence(service) + " is out of order right now."
	}
	return tools.Sentence(service) + " did not take the question."
}

func isTimeout(err error) bool {
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}

// Named is err with the reason that a service gave, for the log: as one line, and cut.
func Named(err error, reason string) error {
	if reason = Line(reason, 200); reason == "" {
		return err
	}
	return fmt.Errorf("%w: %s", err, reason)
}

// WithReason is err with the values of these fields in the JSON of a refusal, for the log.
func WithReason(err error, fields ...string) error {
	var refused *StatusError
	var body map[string]any
	if !errors.As(err, &refused) || json.Unmarshal(refused.Body, &body) != nil {
		return err
	}
	var said []string
	for _, field := range fields {
		if text, ok := body[field].(string); ok {
			said = append(said, text)
		}
	}
	return Named(err, strings.Join(said, ": "))
}

// Line is a text of others as one line of at most limit runes, without control and formatting
// characters, which could hide or reorder what is read.
func Line(text string, limit int) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == unicode.ReplacementChar, !unicode.IsPrint(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	runes := []rune(strings.Join(strings.Fields(clean), " "))
	if len(runes) <= limit {
		return string(runes)
	}
	cut := string(runes[:limit])
	if at := strings.LastIndexByte(cut, ' '); at > limit/2 {
		cut = cut[:at]
	}
	return strings.TrimRight(cut, " ,;:.") + " …"
}
