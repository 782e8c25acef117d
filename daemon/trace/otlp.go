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
)

// maxReply bounds what is read of what a collector says, in bytes.
const maxReply = 64 << 10

func newHTTP() *http.Client {
	return &http.Client{
		Timeout:   exportLimit,
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConns: 1, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("the collector redirects elsewhere")
		},
	}
}

// deliver sends spans once, and reports whether they arrived; if not, they are dropped, since the
// next ones come soon.
func (x *Exporter) deliver(ctx context.Context, spans []span) error {
	if len(spans) == 0 {
		return nil
	}
	err := x.export(ctx, spans)
	x.opt.Changed(err)
	return err
}

// export sends spans by OTLP over HTTP in its JSON encoding (OTLP specification 1.x,
// "OTLP/HTTP"): names in lower camel case, ids in hex, whole numbers of 64 bits as text,
// enumerations as numbers. OpenTelemetry's own library would bring gRPC into the program,
// or be larger than this without it.
func (x *Exporter) export(ctx context.Context, spans []span) error {
	type object map[string]any
	box := []keyValue{
		text("service.name", "hearthd"), text("service.version", x.opt.Version),
		text("service.instance.id", x.opt.Node), text("host.name", x.opt.Node),
	}
	body, err := json.Marshal(object{"resourceSpans": []object{{
		"resource":   object{"attributes": box},
		"scopeSpans": []object{{"scope": object{"name": "hearthd"}, "spans": spans}},
	}}})
	if err != nil {
		return fmt.Errorf("encode spans: %w", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, x.opt.URL, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("deliver spans: %w", err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "hearthd")
	if x.opt.Key != "" {
		r.Header.Set("Authorization", "Bearer "+x.opt.Key)
	}
	w, err := x.http.Do(r)
	if err != nil {
		return fmt.Errorf("deliver spans: %w", err)
	}
	defer w.Body.Close()
	if w.StatusCode/100 != 2 {
		return fmt.Errorf("deliver spans: the collector says %s", w.Status)
	}
	return refused(w.Body)
}

// refused reads how many spans a collector refused, which a successful reply may say.
func refused(body io.Reader) error {
	var reply struct {
		PartialSuccess struct {
			RejectedSpans json.RawMessage `json:"rejectedSpans"` // a number, or one as text
			ErrorMessage  string          `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	if json.NewDecoder(io.LimitReader(body, maxReply)).Decode(&reply) != nil {
		return nil // the collector took the spans, whatever the rest of the reply is
	}
	p := &reply.PartialSuccess
	n, _ := strconv.ParseUint(string(bytes.Trim(p.RejectedSpans, `"`)), 10, 64) // 0 if it is absent
	if n == 0 {
		return nil
	}
	return fmt.Errorf("deliver spans: the collector refuses %d: %.200s", n, p.ErrorMessage)
}

// A span is that of opentelemetry/proto/trace/v1/trace.proto.
type (
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
	flagSampled     = 1
	flagKnowsRemote = 0x100 // flagRemote is meaningful
	flagRemote      = 0x200 // the parent comes from elsewhere
)

func text(key, v string) keyValue { return keyValue{key, value{Text: &v}} }

func yes(key string, v bool) keyValue { return keyValue{key, value{Yes: &v}} }

func whole[T int | int64 | uint64](key string, v T) keyValue {
	return keyValue{key, value{Whole: new(int64(v))}}
}
