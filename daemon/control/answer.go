package control

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"hearthd/daemon/api"
)

// writeLimit is how long a reader may take for one piece of an answer.
const writeLimit = 10 * time.Second

// badRequest is the error of a request that makes no sense.
type badRequest string

func (b badRequest) Error() string { return string(b) }

// command decodes a body strictly, runs do, and answers with its result.
func command[B any](do func(context.Context, B) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var body B
		if err := decode(r.Body, &body); err != nil {
			fail(w, r, err)
			return
		}
		result, err := do(r.Context(), body)
		switch {
		case err != nil:
			fail(w, r, err)
		case result == nil:
			answer(w, http.StatusOK, struct{}{})
		default:
			answer(w, http.StatusOK, result)
		}
	}
}

// decode takes one JSON object, without unknown fields and nothing behind it.
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

// fail answers with err: 400 for a request that makes no sense, 409 for one that
// is refused, 503 when the daemon stops, 500 for everything else.
func fail(w http.ResponseWriter, r *http.Request, err error) {
	var bad badRequest
	var refused interface{ Refused() }
	switch {
	case errors.As(err, &bad):
		answer(w, http.StatusBadRequest, api.Failure{Error: err.Error()})
	case errors.As(err, &refused):
		answer(w, http.StatusConflict, api.Failure{Error: err.Error()})
	case r.Context().Err() != nil:
		answer(w, http.StatusServiceUnavailable, api.Failure{Error: "hearthd is shutting down"})
	default:
		answer(w, http.StatusInternalServerError, api.Failure{Error: err.Error()})
	}
}

// answer writes v as JSON. It fails only for a client that hung up or does not
// read, and then nobody is there to be told.
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
