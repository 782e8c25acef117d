package control

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"time"

	"hearthd/daemon/api"
)

// Bounds of a request's body.
const (
	maxBody   = 16 << 10 // bytes
	bodyLimit = 5 * time.Second

	// maxModel bounds that of a wake word that is installed: a network of 4 MiB in base64,
	// and its manifest.
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
			answer(w, http.StatusBadRequest, api.Failure{Error: "read request: " + err.Error()})
			return
		}
		if err := conn.SetReadDeadline(time.Time{}); err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}
