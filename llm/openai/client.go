package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/sashabaranov/go-openai"

	"hearthd/llm"
	"hearthd/llm/speechapi"
)

const (
	dialTimeout  = 3 * time.Second
	readyTimeout = 10 * time.Second
	// defaultFirst is the wait for the first piece of an answer: a server that
	// loads the model first takes up to 100 s on a small box.
	defaultFirst = 2 * time.Minute
	// defaultIdle is the wait for each further piece.
	defaultIdle = 25 * time.Second
	// maxAnswer bounds the bytes of one answer: a piece is about 250 bytes and
	// carries one token.
	maxAnswer = 8 << 20
)

// Options says which model to reach, and how.
type Options struct {
	Name         string // of the server, for errors; empty: that of BaseURL
	BaseURL      string // up to and with /v1
	Key          string // bearer token, empty for none
	Model        string
	FirstTimeout time.Duration // zero: 2 minutes
	IdleTimeout  time.Duration // zero: 25 seconds
}

// Client talks to one model of one server.
type Client struct {
	opt    Options
	client *openai.Client
}

// New checks o and opens nothing.
func New(o Options) (*Client, error) {
	if o.Model == "" || o.FirstTimeout < 0 || o.IdleTimeout < 0 {
		return nil, errors.New("chat server: want a model and no negative timeout")
	}
	if o.FirstTimeout == 0 {
		o.FirstTimeout = defaultFirst
	}
	if o.IdleTimeout == 0 {
		o.IdleTimeout = defaultIdle
	}
	config, err := speechapi.Config(speechapi.Options{BaseURL: o.BaseURL, Key: o.Key, DialTimeout: dialTimeout,
		MaxBody: maxAnswer})
	if err != nil {
		return nil, err
	}
	o.Name = cmp.Or(o.Name, o.BaseURL)
	return &Client{opt: o, client: openai.NewClientWithConfig(config)}, nil
}

// Chat asks the model. The sequence yields text as it arrives and tool calls when
// they are complete, and ends with the usage, or with an error that matches one of
// llm's or is ctx's own. To end ctx or to stop ranging closes the request; nothing
// is yielded after that but, for ctx, its error.
func (c *Client) Chat(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		err := c.stream(ctx, req, func(d llm.Delta) bool { return yield(d, nil) })
		if err != nil && !errors.Is(err, errStopped) {
			yield(llm.Delta{}, c.failed(err))
		}
	}
}

func (c *Client) failed(err error) error {
	return &llm.ServerError{Server: c.opt.Name, Model: c.opt.Model, Err: err}
}

// Ready returns nil when the server answers and accepts the key. It asks for the list of models,
// which costs nothing. Its errors are those of Chat.
func (c *Client) Ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, readyTimeout, llm.ErrStalled)
	defer cancel()
	_, err := c.client.ListModels(ctx)
	switch statusOf(err) {
	case 0, http.StatusUnauthorized, http.StatusForbidden, http.StatusBadGateway, http.StatusServiceUnavailable,
		http.StatusGatewayTimeout:
	default:
		return nil // a server without such a list answers all the same
	}
	if err == nil {
		return nil
	}
	return c.failed(c.verdict(ctx, err))
}

// statusOf is the status that an error came with, or 0.
func statusOf(err error) int {
	if api := speechapi.Refused(err); api != nil {
		return api.HTTPStatusCode
	}
	return 0
}

// says reports whether a server's refusal contains one of words, in its code, type or message.
func says(err error, words ...string) bool {
	api := speechapi.Refused(err)
	if api == nil {
		return false
	}
	code, _ := api.Code.(string)
	said := strings.ToLower(code + " " + api.Type + " " + api.Message)
	return slices.ContainsFunc(words, func(s string) bool { return strings.Contains(said, s) })
}

// spent reports whether a server refuses because the account is used up. OpenAI and servers like it
// say so with the status of too many requests, others with that of a bad request. The error of a
// rate limit may mention the billing page, too.
func spent(err error) bool {
	return says(err, "quota", "billing", "credit") && !says(err, "rate_limit", "rate limit")
}

var errStopped = errors.New("consumer stopped ranging")

func (c *Client) stream(ctx context.Context, req llm.Request, emit func(llm.Delta) bool) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	clock := time.AfterFunc(c.opt.FirstTimeout, func() { cancel(llm.ErrStalled) })
	defer clock.Stop()
	s, err := c.client.CreateChatCompletionStream(ctx, c.wire(req))
	if err != nil {
		return c.verdict(ctx, err)
	}
	defer s.Close()
	a := answer{}
	for {
		piece, err := s.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return c.verdict(ctx, err)
		}
		clock.Stop() // while the consumer works
		text, err := a.take(piece)
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if text != "" && !emit(llm.Delta{Text: text}) {
			return errStopped
		}
		clock.Reset(c.opt.IdleTimeout)
	}
	clock.Stop()
	// The end of the stream alone proves nothing: a connection that was cut looks
	// the same to go-openai.
	if a.finish == "" {
		return fmt.Errorf("%w: stream ended before the answer did", llm.ErrBroken)
	}
	for _, call := range a.calls {
		if !emit(llm.Delta{Call: &call}) {
			return errStopped
		}
	}
	emit(llm.Delta{Usage: &a.usage})
	return nil
}

// wire is req as the endpoint expects it.
func (c *Client) wire(req llm.Request) openai.ChatCompletionRequest {
	w := openai.ChatCompletionRequest{
		Model: c.opt.Model, Stream: true, MaxCompletionTokens: req.Most,
		StreamOptions: &openai.StreamOptions{IncludeUsage: true},
	}
	for _, m := range req.Messages {
		out := openai.ChatCompletionMessage{Role: string(m.Role), Content: m.Content, ToolCallID: m.CallID}
		for _, call := range m.Calls {
			out.ToolCalls = append(out.ToolCalls, openai.ToolCall{
				ID: call.ID, Type: openai.ToolTypeFunction,
				Function: openai.FunctionCall{Name: call.Name, Arguments: object(call.Arguments)},
			})
		}
		w.Messages = append(w.Messages, out)
	}
	for _, t := range req.Tools {
		w.Tools = append(w.Tools, openai.Tool{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{
			Name: t.Name, Description: t.Description, Parameters: t.Parameters,
		}})
	}
	if len(req.Schema) > 0 {
		w.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type: openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: "answer", Schema: req.Schema,
				Strict: true},
		}
	}
	return w
}

// object is args if they are a JSON object, which servers demand of the history; otherwise the
// empty object.
func object(args json.RawMessage) string {
	var o map[string]any
	if json.Unmarshal(args, &o) != nil || o == nil {
		return "{}"
	}
	return string(args)
}

// verdict turns an error of go-openai into one of llm's. The words of the server
// are kept as far as speechapi does, without the key.
func (c *Client) verdict(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	status := statusOf(err)
	why := speechapi.Error(ctx, err, c.opt.Model, c.opt.Key)
	if errors.Is(why, llm.ErrModel) {
		return why
	}
	kind := llm.ErrBroken
	var netErr net.Error
	var op *net.OpError
	switch refused := status >= http.StatusBadRequest && status < http.StatusInternalServerError; {
	case status == http.StatusPaymentRequired, refused && spent(err):
		kind = llm.ErrQuota
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusBadRequest &&
		says(err, "api key", "api_key"):
		kind = llm.ErrKey
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed, status == http.StatusBadGateway,
		status == http.StatusGatewayTimeout:
		kind = llm.ErrUnreachable // something else lives at this address, or nothing behind it
	case status == http.StatusTooManyRequests, status == 0 && says(err, "rate_limit"):
		kind = llm.ErrRate
	case status == http.StatusServiceUnavailable, says(err, "overloaded"):
		kind = llm.ErrBusy
	case status == http.StatusRequestTimeout:
		kind = llm.ErrStalled
	case refused:
		kind = llm.ErrRefused
	case status == 0 && (errors.As(err, &op) && op.Op == "dial" || errors.As(err, &netErr) && netErr.Timeout()):
		kind = llm.ErrUnreachable
	}
	return fmt.Errorf("%w: %w", kind, why)
}
