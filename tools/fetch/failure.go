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
	"hearthd/tools/phrase"
)

// Failure is the error of a tool whose service did not answer properly. The service is given
// as in a sentence: "the weather service".
func Failure(book *phrase.Book, service string, err error) *tools.Failure {
	key, wait := sentence(err)
	return &tools.Failure{Say: book.Say(key, phrase.Args{"service": service, "wait": wait}), Cause: err}
}

// sentence is what is said of an error, and for how long the service wants to be left alone.
func sentence(err error) (key string, wait time.Duration) {
	var refused *StatusError
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case errors.As(err, &refused):
		return refusal(refused)
	case errors.Is(err, context.DeadlineExceeded), isTimeout(err):
		return "fetch.silent", 0
	case errors.As(err, &dns), errors.As(err, &op):
		return "fetch.unreachable", 0
	}
	return "fetch.strange", 0
}

func refusal(refused *StatusError) (key string, wait time.Duration) {
	switch code := refused.Code; {
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return "fetch.locked", 0
	case code == http.StatusTooManyRequests:
		if wait = refused.RetryAfter; wait > time.Hour {
			wait = 0
		}
		return "fetch.too_often", max(0, wait)
	case code >= 500:
		return "fetch.broken", 0
	}
	return "fetch.refused", 0
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
