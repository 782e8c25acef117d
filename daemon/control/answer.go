package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"hearthd/daemon/refusal"
	"hearthd/daemon/visitors"
)

// writeLimit is how long a reader may take for one piece of an answer.
const writeLimit = 10 * time.Second

// badRequest marks a request that makes no sense, notFound one for something that does not exist.
type (
	badRequest string
	notFound   string
)

func (b badRequest) Error() string { return string(b) }
func (n notFound) Error() string   { return string(n) }

// question serves a request with the result of ask, as JSON.
func question(ask func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Context().Err() != nil {
			fail(w, r, refusal.ErrUnbegun)
			return
		}
		result, err := ask(r)
		if err != nil {
			fail(w, r, err)
			return
		}
		answer(w, http.StatusOK, result)
	}
}

// orNone returns an empty list instead of a nil one, which JSON would show as null. It takes the
// results of a call.
func orNone[T any](list []T, err error) ([]T, error) {
	if list == nil {
		list = []T{}
	}
	return list, err
}

// command decodes a body strictly, calls do, and answers with its result.
func command[B any](do func(context.Context, B) (any, error)) http.HandlerFunc {
	return question(func(r *http.Request) (any, error) {
		var body B
		if err := decode(r.Body, &body); err != nil {
			return nil, err
		}
		result, err := do(r.Context(), body)
		if result == nil {
			result = struct{}{}
		}
		return result, err
	})
}

// order is a command without an answer.
func order(do func(context.Context) error) http.HandlerFunc {
	return command(func(ctx context.Context, _ struct{}) (any, error) { return nil, do(ctx) })
}

// decode reads one JSON object, without unknown fields and with nothing after it.
func decode(r io.Reader, into any) error {
	dec := json.NewDecoder(r)
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	if errors.Is(err, io.EOF) {
		return badRequest("read request: there is no JSON object")
	}
	if err != nil {
		return badRequest("read request: " + err.Error())
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return badRequest("read request: there is more than one JSON object")
	}
	return nil
}

// fail answers with err: 400 for a request that makes no sense, 404 for something that does not exist,
// 409 for one that is refused, 503 when the daemon stops, 500 for everything else.
func fail(w http.ResponseWriter, r *http.Request, err error) {
	var bad badRequest
	var absent notFound
	var refused refusal.Error
	code, text := http.StatusInternalServerError, err.Error()
	switch {
	case errors.Is(err, refusal.ErrUnbegun):
		code, text = http.StatusServiceUnavailable, "hearthd is shutting down"
		w.Header().Set("Retry-After", "1") // the next hearthd does it
	case errors.As(err, &bad):
		code = http.StatusBadRequest
	case errors.As(err, &absent):
		code = http.StatusNotFound
	case errors.As(err, &refused):
		code = http.StatusConflict
	case r.Context().Err() != nil:
		code, text = http.StatusServiceUnavailable, "hearthd is shutting down"
	}
	answer(w, code, refusal.Failure{Error: text})
}

// answer writes v as JSON. It fails only for a client that hung up or does not read, who cannot be
// told.
func answer(w http.ResponseWriter, code int, v any) {
	if err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeLimit)); err != nil {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v)
}

// maxListed bounds the entries of one answer; an export has no bound.
const maxListed = 1000

// limitOf is how many entries are asked for.
func limitOf(q url.Values) (int, error) {
	text := q.Get("limit")
	if text == "" {
		return 100, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxListed {
		return 0, badRequest("limit: want 1 to " + strconv.Itoa(maxListed))
	}
	return n, nil
}

// Bounds of a request's body.
const (
	maxBody   = 16 << 10 // bytes
	bodyLimit = 5 * time.Second

	// maxModel bounds the body for a wake word that is installed: a network of 4 MiB in base64, and
	// its manifest.
	maxModel    = 6 << 20
	installPath = "/v1/wake/install"
)

// bounded reads the body of every request within limits of size and time, so
// that no handler waits for a client, and the server notices one that hangs up.
func bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn := http.NewResponseController(w)
		// Deadlines of the last request on this connection are over by now.
		err := errors.Join(conn.SetWriteDeadline(time.Time{}), conn.SetReadDeadline(time.Now().Add(bodyLimit)))
		if err != nil {
			return // the connection is closed
		}
		limit := int64(maxBody)
		if r.URL.Path == installPath {
			limit = maxModel
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
		if err != nil {
			answer(w, http.StatusBadRequest, refusal.Failure{Error: "read request: " + err.Error()})
			return
		}
		if err := conn.SetReadDeadline(time.Time{}); err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// untilHungUp is ctx for a request whose answer is worth waiting for when the daemon ends: then end cuts its sound, and
// only what does not come for all that is given up.
func untilHungUp(ctx context.Context, end func(context.Context) error) (context.Context, func()) {
	until, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		defer cancel()
		if errors.Is(context.Cause(ctx), errEnding) {
			limited, done := context.WithTimeout(until, visitors.DrainLimit/2)
			defer done()
			_ = end(limited) // who does not hear of it is given up
			<-limited.Done()
		}
	})
	return until, func() { stop(); cancel() }
}
