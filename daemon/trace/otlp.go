package trace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// maxReply bounds what is read of what a collector says, in bytes.
const maxReply = 64 << 10

// client delivers spans by OTLP over HTTP in its JSON encoding (OTLP specification
// 1.x, "OTLP/HTTP"): names in lower camel case, ids in hex, whole numbers of 64 bits
// as text, enumerations as numbers. The library's exporter, with protobuf, would
// bring gRPC into the program.
type client struct {
	url, key string
	http     *http.Client
}

var _ sdk.SpanExporter = (*client)(nil)

func newClient(url, key string) *client {
	return &client{url: url, key: key, http: &http.Client{
		Timeout:   exportLimit,
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConns: 1, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("the collector redirects elsewhere")
		},
	}}
}

// ExportSpans delivers spans once: the batcher has the next ones soon.
func (c *client) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	if len(spans) == 0 {
		return nil
	}
	body, err := json.Marshal(request(spans))
	if err != nil {
		return fmt.Errorf("encode spans: %w", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("deliver spans: %w", err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "hearthd")
	if c.key != "" {
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	w, err := c.http.Do(r)
	if err != nil {
		return fmt.Errorf("deliver spans: %w", err)
	}
	defer w.Body.Close()
	if w.StatusCode/100 != 2 {
		return fmt.Errorf("deliver spans: the collector says %s", w.Status)
	}
	return refused(w.Body)
}

// refused reads how many spans a collector did not want, which it may say in a reply
// that is otherwise well.
func refused(body io.Reader) error {
	var reply struct {
		PartialSuccess struct {
			RejectedSpans json.RawMessage `json:"rejectedSpans"` // a number, or one as text
			ErrorMessage  string          `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	if json.NewDecoder(io.LimitReader(body, maxReply)).Decode(&reply) != nil {
		return nil // they are taken, whatever the rest may be
	}
	p := &reply.PartialSuccess
	n, _ := strconv.ParseUint(string(bytes.Trim(p.RejectedSpans, `"`)), 10, 64) // nothing is none
	if n == 0 {
		return nil
	}
	return fmt.Errorf("deliver spans: the collector refuses %d: %.200s", n, p.ErrorMessage)
}

// Shutdown lets go of the connection.
func (c *client) Shutdown(context.Context) error {
	c.http.CloseIdleConnections()
	return nil
}

// The documents are those of opentelemetry/proto/trace/v1/trace.proto.
type (
	document struct {
		ResourceSpans []resourceSpans `json:"resourceSpans"`
	}
	resourceSpans struct {
		Resource   attributed   `json:"resource"`
		ScopeSpans []scopeSpans `json:"scopeSpans"`
	}
	attributed struct {
		Attributes []keyValue `json:"attributes,omitempty"`
	}
	scopeSpans struct {
		Scope struct {
			Name string `json:"name"`
		} `json:"scope"`
		Spans []span `json:"spans"`
	}
	span struct {
		TraceID      string      `json:"traceId"`
		SpanID       string      `json:"spanId"`
		ParentSpanID string      `json:"parentSpanId,omitempty"`
		Flags        uint32      `json:"flags"`
		Name         string      `json:"name"`
		Kind         int         `json:"kind"`
		Start        int64       `json:"startTimeUnixNano,string"`
		End          int64       `json:"endTimeUnixNano,string"`
		Attributes   []keyValue  `json:"attributes,omitempty"`
		Events       []spanEvent `json:"events,omitempty"`
		Status       *status     `json:"status,omitempty"`
	}
	spanEvent struct {
		Time int64  `json:"timeUnixNano,string"`
		Name string `json:"name"`
	}
	status struct {
		Code    int    `json:"code"`
		Message string `json:"message,omitempty"`
	}
	keyValue struct {
		Key   string `json:"key"`
		Value value  `json:"value"`
	}
	value struct {
		Text  *string `json:"stringValue,omitempty"`
		Yes   *bool   `json:"boolValue,omitempty"`
		Whole *int64  `json:"intValue,string,omitempty"`
	}
)

// Numbers of trace.proto.
const (
	kindInternal    = 1
	statusError     = 2
	flagKnowsRemote = 0x100 // the next flag is meant
	flagRemote      = 0x200 // the parent comes from elsewhere
)

// request holds spans, all of which are of one tracer.
func request(list []sdk.ReadOnlySpan) *document {
	s := scopeSpans{Spans: make([]span, len(list))}
	s.Scope.Name = list[0].InstrumentationScope().Name
	for i, one := range list {
		s.Spans[i] = newSpan(one)
	}
	return &document{[]resourceSpans{{
		Resource: attributed{keyValues(list[0].Resource().Attributes())}, ScopeSpans: []scopeSpans{s},
	}}}
}

func newSpan(s sdk.ReadOnlySpan) span {
	at, parent := s.SpanContext(), s.Parent()
	out := span{
		TraceID: at.TraceID().String(), SpanID: at.SpanID().String(), Flags: uint32(at.TraceFlags()) | flagKnowsRemote,
		Name: s.Name(), Kind: kindInternal, Start: s.StartTime().UnixNano(), End: s.EndTime().UnixNano(),
		Attributes: keyValues(s.Attributes()),
	}
	if parent.SpanID().IsValid() {
		out.ParentSpanID = parent.SpanID().String()
	}
	if parent.IsRemote() {
		out.Flags |= flagRemote
	}
	for _, e := range s.Events() {
		out.Events = append(out.Events, spanEvent{e.Time.UnixNano(), e.Name})
	}
	if st := s.Status(); st.Code == codes.Error {
		out.Status = &status{statusError, st.Description}
	}
	return out
}

func keyValues(list []attribute.KeyValue) []keyValue {
	out := make([]keyValue, len(list))
	for i, a := range list {
		out[i].Key = string(a.Key)
		switch v := &out[i].Value; a.Value.Type() {
		case attribute.BOOL:
			v.Yes = new(a.Value.AsBool())
		case attribute.INT64:
			v.Whole = new(a.Value.AsInt64())
		default:
			v.Text = new(a.Value.String())
		}
	}
	return out
}
