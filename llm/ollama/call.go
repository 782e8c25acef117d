package ollama

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/ollama/ollama/api"

	"hearthd/config/letters"
	"hearthd/llm"
)

const (
	// maxAnswer bounds the bytes of one answer on the wire. A line of the stream
	// is about 150 bytes and carries one token, so this is over 20,000 tokens.
	maxAnswer = 4 << 20
	// maxErrorText bounds what is kept of a server's own words.
	maxErrorText = 200
)

// call is one request. It is the http.RoundTripper of its own api.Client, so
// that it sees the status and bounds the body, which api does not.
type call struct {
	cancel context.CancelCauseFunc
	timer  *time.Timer
	idle   time.Duration
	next   http.RoundTripper
	status int
}

// newCall starts a request. first is how long its first line may take, and idle how long each one
// after that. The context is the request's. The caller must end it.
func newCall(ctx context.Context, next http.RoundTripper, first, idle time.Duration) (context.Context, *call) {
	ctx, cancel := context.WithCancelCause(ctx)
	c := &call{cancel: cancel, idle: idle, next: next}
	c.timer = time.AfterFunc(first, func() { cancel(llm.ErrStalled) })
	return ctx, c
}

func (c *call) client(base *url.URL) *api.Client {
	return api.NewClient(base, &http.Client{Transport: c, CheckRedirect: func(*http.Request, []*http.Request) error {
		return errors.New("the server redirects elsewhere")
	}})
}

// end closes the connection if the answer was not read to its end.
func (c *call) end() {
	c.timer.Stop()
	c.cancel(nil)
}

// RoundTrip implements http.RoundTripper.
func (c *call) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := c.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	c.status = resp.StatusCode
	limit := int64(maxAnswer)
	if c.status >= http.StatusBadRequest {
		limit = maxErrorText
	}
	resp.Body = &bounded{ReadCloser: resp.Body, left: limit, status: c.status}
	return resp, nil
}

// bounded is a body of limited length. More of it is an error, or, when it only
// explains a status, not read.
type bounded struct {
	io.ReadCloser
	left   int64
	status int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		if b.status >= http.StatusBadRequest {
			return 0, io.EOF
		}
		return 0, fmt.Errorf("%w: longer than %d bytes", llm.ErrBroken, maxAnswer)
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// errCut is an answer that ended in the middle: the server may have stopped.
var errCut = fmt.Errorf("%w: %w", llm.ErrBroken, io.ErrUnexpectedEOF)

// verdict turns what api returned into one of the sentinels. It keeps the error
// of the request's ctx when the caller ended that.
func (c *call) verdict(ctx context.Context, err error) error {
	var status api.StatusError
	switch {
	case ctx.Err() != nil: // ended by the caller, or by the timer with its sentinel
		return context.Cause(ctx)
	case errors.As(err, &status):
		return byStatus(status.StatusCode, status.ErrorMessage)
	case c.status >= http.StatusBadRequest: // no body, or one that api has its own type for
		return byStatus(c.status, http.StatusText(c.status))
	case err == nil, errors.Is(err, llm.ErrBroken):
		return err
	case c.status == 0:
		return fmt.Errorf("%w: %w", llm.ErrUnreachable, err)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return fmt.Errorf("%w: %w", errCut, err)
	}
	return fmt.Errorf("%w: %s", llm.ErrBroken, clip(err.Error()))
}

// byStatus maps the statuses of Ollama v0.24.
func byStatus(code int, text string) error {
	text = clip(text)
	switch {
	case code == http.StatusNotFound && strings.Contains(text, "model"):
		return fmt.Errorf("%w: %s", llm.ErrModel, text)
	case code == http.StatusNotFound, code == http.StatusMethodNotAllowed:
		// Plain text: something else than Ollama lives at this address.
		return fmt.Errorf("%w: %d %s", llm.ErrUnreachable, code, text)
	case code == http.StatusBadRequest && strings.Contains(text, "does not support thinking"):
		return fmt.Errorf("%w: %s", llm.ErrNoThinking, text)
	case code == http.StatusTooManyRequests:
		return fmt.Errorf("%w: %s", llm.ErrRate, text)
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return fmt.Errorf("%w: %s", llm.ErrKey, text)
	case code == http.StatusServiceUnavailable:
		return fmt.Errorf("%w: %s", llm.ErrBusy, text)
	case code == http.StatusBadGateway, code == http.StatusGatewayTimeout: // of a proxy before a server that is away
		return fmt.Errorf("%w: %d %s", llm.ErrUnreachable, code, text)
	case code >= http.StatusInternalServerError:
		return fmt.Errorf("%w: %d %s", llm.ErrBroken, code, text)
	}
	return fmt.Errorf("%w: %d %s", llm.ErrRefused, code, text)
}

// clip bounds a server's own words, which end in the log.
func clip(s string) string {
	return strings.TrimSpace(letters.Cut(s, maxErrorText))
}
