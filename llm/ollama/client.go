package ollama

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ollama/ollama/api"

	"hearthd/llm"
)

const (
	// To look a model up, Ollama reads the head of its file: seconds from a cold
	// SD card.
	readyTimeout = 10 * time.Second
	// A box on the same LAN that does not accept a connection within this time is off.
	dialTimeout = 3 * time.Second
	// Ollama sends nothing before the model is loaded and the prompt is read,
	// which takes up to 100 s on a small box.
	defaultHeaderTimeout = 2 * time.Minute
	// While a model writes a tool call Ollama holds the tokens back: 100 tokens
	// at 4 tokens/s.
	defaultIdleTimeout = 25 * time.Second
)

// Options says which model to reach, and how.
type Options struct {
	URL   string // http://host:11434
	Model string
	// KeepAlive is how long the server keeps the model loaded after an answer: negative means
	// without end, zero not at all. An unloaded model costs the next turn its load time.
	KeepAlive time.Duration
	NumCtx    int  // context length in tokens
	Think     bool // let a thinking model think before it answers
	// HeaderTimeout bounds the wait for the first line of an answer, which
	// includes the loading of the model. Zero: 2 minutes.
	HeaderTimeout time.Duration
	// IdleTimeout bounds the wait for each further line. Zero: 25 seconds.
	IdleTimeout time.Duration
	Log         *slog.Logger
}

// Client talks to one model of one server.
type Client struct {
	opt  Options
	base *url.URL
	http http.RoundTripper
	held prefix
	lost lost
	// cannot says that the model shall think and is known not to be able to: thinking is then not
	// requested, for Ollama would refuse every request.
	cannot atomic.Bool
}

// New checks o and opens nothing.
func New(o Options) (*Client, error) {
	base, err := url.Parse(o.URL)
	switch {
	case err != nil:
		return nil, fmt.Errorf("parse ollama url: %w", err)
	case base.Scheme != "http" && base.Scheme != "https" || base.Host == "":
		return nil, fmt.Errorf("parse ollama url %q: want http://host:port", base.Redacted())
	case o.Model == "":
		return nil, errors.New("ollama: no model")
	case o.NumCtx <= 0:
		return nil, fmt.Errorf("ollama: context length of %d tokens", o.NumCtx)
	case o.HeaderTimeout < 0 || o.IdleTimeout < 0:
		return nil, errors.New("ollama: negative timeout")
	case o.Log == nil:
		return nil, errors.New("ollama: no logger")
	}
	o.HeaderTimeout, o.IdleTimeout = cmp.Or(o.HeaderTimeout, defaultHeaderTimeout),
		cmp.Or(o.IdleTimeout, defaultIdleTimeout)
	dialer := net.Dialer{Timeout: dialTimeout}
	return &Client{opt: o, base: base, http: &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialer.DialContext,
		TLSHandshakeTimeout: dialTimeout,
		MaxIdleConnsPerHost: 2,
		IdleConnTimeout:     time.Minute,
	}}, nil
}

// Chat asks the model. The sequence yields text and tool calls as they arrive
// and ends with the usage, or with an error that is one of this package's
// sentinels or ctx's own. Each call has an id that is unique in the household's
// history. To end ctx or to stop ranging closes the request; nothing is yielded
// after that but, for ctx, its error.
func (c *Client) Chat(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		wire, err := c.wire(req)
		if err != nil {
			yield(llm.Delta{}, err)
			return
		}
		err = c.stream(ctx, wire, func(d llm.Delta) bool { return yield(d, nil) })
		if err != nil && !errors.Is(err, errStopped) {
			yield(llm.Delta{}, &llm.ServerError{Server: "Ollama", Model: c.opt.Model, Err: err})
		}
	}
}

// Forget drops what is known of the last prompt; nothing of the next one counts as evaluated
// already.
func (c *Client) Forget() { c.held.forget() }

// Ready returns nil when the server answers and has the model, and the model can think if it shall;
// otherwise llm.ErrUnreachable, llm.ErrModel, llm.ErrNoThinking, or another of llm's.
func (c *Client) Ready(ctx context.Context) error {
	ctx, call := newCall(ctx, c.http, readyTimeout, readyTimeout)
	defer call.end()
	got, err := call.client(c.base).Show(ctx, &api.ShowRequest{Model: c.opt.Model})
	if err = call.verdict(ctx, err); err != nil {
		return fmt.Errorf("look for %q: %w", c.opt.Model, err)
	}
	// Old servers do not say what a model can do.
	c.cannot.Store(c.opt.Think && len(got.Capabilities) > 0 && !slices.Contains(got.Capabilities, "thinking"))
	if c.cannot.Load() {
		return fmt.Errorf("look for %q: %w", c.opt.Model, llm.ErrNoThinking)
	}
	return nil
}

var (
	errStopped = errors.New("consumer stopped ranging")
	errDone    = errors.New("answer is complete")
)

// stream sends wire and gives the deltas of the answer to emit, on the
// goroutine that called it. It reads no further than the line that is marked
// done, whatever the server goes on to say.
func (c *Client) stream(ctx context.Context, wire *api.ChatRequest, emit func(llm.Delta) bool) error {
	if c.lost.take() {
		c.unload(ctx)
	}
	ctx, call := newCall(ctx, c.http, c.opt.HeaderTimeout, c.opt.IdleTimeout)
	defer call.end()
	var answer strings.Builder
	begun, answering, asked := time.Now(), false, len(wire.Messages) > 0
	err := call.client(c.base).Chat(ctx, wire, func(r api.ChatResponse) error {
		call.timer.Stop() // while the consumer works
		defer call.timer.Reset(call.idle)
		if asked && !answering {
			answering = true
			c.lost.heard()
		}
		answer.WriteString(r.Message.Content)
		for _, t := range r.Message.ToolCalls {
			answer.WriteString(called(t))
		}
		for d := range deltas(r) {
			if d.Usage != nil && asked {
				d.Usage.Evaluated = evaluated(r.Metrics, c.held.share(wire, answer.String(), d.Usage.Load > 0))
			}
			// Lines that arrived before ctx ended are still handed over.
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if !emit(d) {
				return errStopped
			}
		}
		if r.Done {
			return errDone
		}
		return nil
	})
	if asked && !errors.Is(err, errDone) {
		c.lost.left(answering, time.Since(begun) >= c.opt.IdleTimeout)
	}
	switch {
	case errors.Is(err, errDone):
		return nil
	case errors.Is(err, errStopped):
		return err
	case err == nil && call.status < http.StatusBadRequest:
		err = errCut
	}
	err = call.verdict(ctx, err)
	if errors.Is(err, llm.ErrNoThinking) {
		c.cannot.Store(true)
	}
	return err
}
