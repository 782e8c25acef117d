// Package speechapi connects to servers that have OpenAI's speech endpoints, for
// llm/stt and llm/tts: a go-openai configuration whose connections have limits,
// and errors that hold no secret. Connections are not kept, so that no goroutine
// outlives a request. It imports nothing of hearthd but llm/gone and config/letters.
package speechapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/sashabaranov/go-openai"

	"hearthd/config/letters"
	"hearthd/llm/gone"
)

const (
	maxHeader    = 64 << 10 // bytes of response header; net/http's default is 1 MiB
	maxErrorBody = 16 << 10 // bytes of a refusal that are read
	maxMessage   = 200      // bytes of the server's own words in an error
)

// Options says where a server is. The context of each request says how long it may take.
type Options struct {
	BaseURL     string        // up to and with /v1
	Key         string        // bearer token, empty for none
	DialTimeout time.Duration // for the connection
	MaxBody     int64         // bytes of a good response
}

// Config returns the configuration of a client. A request goes to no other
// server than BaseURL's: redirects are refused.
func Config(o Options) (openai.ClientConfig, error) {
	u, err := url.Parse(o.BaseURL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		// err would show a password
		return openai.ClientConfig{}, errors.New("speech server: want a URL like http://host:8000/v1")
	}
	dialer := &net.Dialer{Timeout: o.DialTimeout}
	c := openai.DefaultConfig(o.Key)
	c.BaseURL = o.BaseURL
	c.HTTPClient = &limited{maxBody: o.MaxBody, client: &http.Client{
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            dialer.DialContext,
			TLSHandshakeTimeout:    o.DialTimeout,
			MaxResponseHeaderBytes: maxHeader,
			DisableKeepAlives:      true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("server redirects elsewhere")
		},
	}}
	return c, nil
}

// limited bounds what is read of a response. The body of a refusal is read here: go-openai would
// read all of it and close none.
type limited struct {
	client  *http.Client
	maxBody int64
}

func (l *limited) Do(req *http.Request) (*http.Response, error) {
	resp, err := l.client.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		resp.Body = http.MaxBytesReader(nil, resp.Body, l.maxBody)
		return resp, nil
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(b))
	return resp, nil
}

// Error says what went wrong with a request, with as much of the server's own
// words as fits a line. They are left out where they hold one of hide, and where
// the key was refused, since servers repeat it. If the server does not have the model
// that was asked for, it is a *gone.Error.
func Error(ctx context.Context, err error, model string, hide ...string) error {
	if ctx.Err() != nil {
		return fmt.Errorf("ask speech server: %w", context.Cause(ctx))
	}
	api := Refused(err)
	if api == nil {
		return fmt.Errorf("ask speech server: %w", err)
	}
	r := gone.Refusal{Status: api.HTTPStatusCode, Words: api.Message}
	if r.Code, _ = api.Code.(string); r.Code == "" { // some servers send a number
		r.Code = api.Type
	}
	if api.Param != nil {
		r.Param = *api.Param
	}
	if gone := gone.FromRefusal(model, r); gone != nil {
		return gone
	}
	return refusal(api.HTTPStatusCode, api.Message, hide)
}

// Refused is what a server answered when it refused a request, or nil if err is something else.
// Servers write it in several ways: as OpenAI does; as a list of that; without the object around
// it; as a plain text; or as "detail". In the middle of an answer only a number in it gives the
// status.
func Refused(err error) *openai.APIError {
	var api *openai.APIError
	var request *openai.RequestError
	switch {
	case errors.As(err, &request):
		api = written(request.Body)
		api.HTTPStatusCode = request.HTTPStatusCode
	case errors.As(err, &api):
		if code, ok := api.Code.(int); ok && api.HTTPStatusCode == 0 {
			api.HTTPStatusCode = code
		}
	}
	return api
}

// written is what a body says that does not follow OpenAI's form, as far as it says something.
func written(body []byte) *openai.APIError {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var shape struct{ Error, Detail, Message, Type, Code, Param json.RawMessage }
	if json.Unmarshal(body, &shape) != nil {
		return &openai.APIError{}
	}
	api := &openai.APIError{}
	if json.Unmarshal(shape.Error, api) == nil {
		return api
	}
	text := func(of json.RawMessage) (s string) {
		if json.Unmarshal(of, &s) != nil {
			return ""
		}
		return s
	}
	param := text(shape.Param)
	return &openai.APIError{Message: cmp.Or(text(shape.Error), text(shape.Detail), text(shape.Message)),
		Type: text(shape.Type), Code: text(shape.Code), Param: &param}
}

func refusal(status int, message string, hide []string) error {
	for _, h := range hide {
		if h != "" && strings.Contains(message, h) {
			message = ""
		}
	}
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden ||
		strings.Contains(strings.ToLower(message), "api key"):
		return fmt.Errorf("speech server refuses the key (status %d)", status)
	case message == "":
		return fmt.Errorf("speech server answers status %d", status)
	}
	return fmt.Errorf("speech server answers status %d: %s", status, letters.Plain(message, maxMessage))
}
