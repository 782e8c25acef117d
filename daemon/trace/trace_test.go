package trace

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"hearthd/daemon/event"
	"hearthd/daemon/timeline"
)

// backend is a collector: OTLP over HTTP with JSON (OTLP 1.x). It takes what the
// published schema has and refuses every other field.
type backend struct {
	*httptest.Server
	mu       sync.Mutex
	key      string
	spans    []*otlp.Span
	resource *otlp.ResourceSpans
}

func newBackend(t *testing.T) *backend {
	b := &backend{}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/json" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		var request otlp.TracesData // which has the one field of an ExportTraceServiceRequest
		if err := protojson.Unmarshal(protobufIDs(t, data), &request); err != nil {
			t.Error(err)
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.key = r.Header.Get("Authorization")
		for _, resource := range request.ResourceSpans {
			b.resource = resource
			for _, scope := range resource.ScopeSpans {
				b.spans = append(b.spans, scope.Spans...)
			}
		}
	}))
	t.Cleanup(b.Close)
	return b
}

// protobufIDs writes ids, which OTLP wants in hex, as protobuf's JSON wants bytes.
func protobufIDs(t *testing.T, data []byte) []byte {
	t.Helper()
	return regexp.MustCompile(`"(traceId|spanId|parentSpanId)":"([0-9a-f]*)"`).ReplaceAllFunc(data,
		func(b []byte) []byte {
			key, id, _ := strings.Cut(string(b), ":")
			raw, err := hex.DecodeString(strings.Trim(id, `"`))
			if err != nil {
				t.Error(err)
			}
			return fmt.Appendf(nil, "%s:%q", key, base64.StdEncoding.EncodeToString(raw))
		})
}

// export runs an exporter over turns and returns what it was told of deliveries.
func export(t *testing.T, url string, turns ...*timeline.Turn) (told []error) {
	t.Helper()
	x, err := New(Options{
		URL: url, Key: "a key", Node: "kitchen", Version: "1", Begun: time.Unix(1, 0),
		Log:     slog.New(slog.DiscardHandler),
		Changed: func(err error) { told = append(told, err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	x.flush = time.Minute // on a busy machine
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- x.Run(ctx) }()
	for _, turn := range turns {
		x.Turn(turn)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	return told
}

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// spoken is a turn whose answer a thinker found with a tool; its words must not leave
// the box.
func spoken(session, id uint64) *timeline.Turn {
	return &timeline.Turn{
		Turn: event.Turn{
			Header: event.Header{Session: session, Turn: id, Time: noon.Add(5 * time.Second)},
			Source: "voice", WokenBy: "phrase", Route: "local", Outcome: "answered", Thinker: "weather",
			Transcript: "secret words", Answer: "more words", PromptTokens: 600,
			Stages: event.StageMS{Endpoint: 400, STT: 100, Route: 1500, Tool: 300, TTS: 50, Play: 20,
				FirstSound: 2070, Total: 5000},
		},
		Begun: noon.Add(500 * time.Millisecond),
		Marks: []timeline.Mark{{Kind: timeline.Wake, At: -900, Text: "hey_jarvis"}},
		Calls: []timeline.Call{{Tool: "weather_get", At: 200, TookMS: 300, Outcome: "ok", Arguments: "secret words",
			Result: "more words"}},
	}
}

// tree draws spans below their parents, with begin and length in ms after noon.
func tree(spans []*otlp.Span, parent string, depth int) string {
	var text string
	slices.SortStableFunc(spans,
		func(a, b *otlp.Span) int { return int(int64(a.StartTimeUnixNano) - int64(b.StartTimeUnixNano)) })
	for _, s := range spans {
		if string(s.ParentSpanId) == parent {
			at := (int64(s.StartTimeUnixNano) - noon.UnixNano()) / 1e6
			text += fmt.Sprintf("%s%s %d+%d\n", strings.Repeat(" ", depth), s.Name, at,
				(s.EndTimeUnixNano-s.StartTimeUnixNano)/1e6)
			text += tree(spans, string(s.SpanId), depth+1)
		}
	}
	return text
}

func TestTurnIsATreeBelowItsSession(t *testing.T) {
	b := newBackend(t)
	told := export(t, b.URL+"/v1/traces", spoken(41, 41), spoken(41, 42))
	if len(told) == 0 || told[0] != nil {
		t.Fatalf("told %v", told)
	}
	one := ` turn 0+5000
  endpoint 0+400
  stt 400+100
  route 500+1500
   thinker weather 500+1500
    tool weather_get 700+300
  tts 2000+50
  play 2050+20
  speak 2070+2930
`
	if diff := cmp.Diff("session 0+5000\n"+one+one, tree(b.spans, "", 0)); diff != "" {
		t.Error(diff)
	}
	if b.key != "Bearer a key" {
		t.Errorf("the key was %q", b.key)
	}
}

func TestNumbersAreThoseOfTheJournal(t *testing.T) {
	b := newBackend(t)
	export(t, b.URL+"/v1/traces", spoken(41, 41), spoken(41, 42), spoken(50, 50))
	traces := map[string]int{}
	for _, s := range b.spans {
		traces[fmt.Sprintf("%x", s.TraceId[8:])]++
		if s.Name != "turn" {
			continue
		}
		have := map[string]int64{}
		for _, a := range s.Attributes {
			have[a.Key] = a.Value.GetIntValue()
		}
		if n := have["hearthd.turn"]; fmt.Sprintf("%016x", n) != fmt.Sprintf("%x", s.SpanId) {
			t.Errorf("turn %d has the span %x", n, s.SpanId)
		}
	}
	if diff := cmp.Diff(map[string]int{"0000000000000029": 19, "0000000000000032": 10}, traces); diff != "" {
		t.Error(diff)
	}
}

func TestNoWordLeavesTheBox(t *testing.T) {
	b := newBackend(t)
	export(t, b.URL+"/v1/traces", spoken(1, 1))
	if len(b.spans) == 0 {
		t.Fatal("nothing arrived")
	}
	for _, s := range b.spans {
		if text := s.String(); strings.Contains(text, "words") {
			t.Error(text)
		}
	}
}

func TestACollectorThatIsAwayIsTold(t *testing.T) {
	b := newBackend(t)
	b.Close()
	if told := export(t, b.URL+"/v1/traces", spoken(1, 1)); len(told) == 0 || told[0] == nil {
		t.Errorf("told %v", told)
	}
	refusing := newBackend(t)
	if told := export(t, refusing.URL+"/elsewhere", spoken(1, 1)); len(told) == 0 || told[0] == nil {
		t.Errorf("told %v", told)
	}
}

func TestWhatFailedIsAnError(t *testing.T) {
	b := newBackend(t)
	turn := spoken(1, 1)
	turn.Outcome, turn.Reason, turn.Calls[0].Outcome = "failed", "thinker", "timeout"
	export(t, b.URL+"/v1/traces", turn)
	have := map[string]string{}
	for _, s := range b.spans {
		if s.Status != nil {
			have[s.Name] = s.Status.Code.String() + " " + s.Status.Message
		}
	}
	want := map[string]string{"turn": "STATUS_CODE_ERROR thinker", "tool weather_get": "STATUS_CODE_ERROR timeout"}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
}

func TestSpansSayWhoseTheyAre(t *testing.T) {
	b := newBackend(t)
	export(t, b.URL+"/v1/traces", spoken(1, 1))
	have := map[string]string{}
	for _, a := range b.resource.Resource.Attributes {
		have[a.Key] = a.Value.GetStringValue()
	}
	want := map[string]string{"service.name": "hearthd", "service.version": "1", "service.instance.id": "kitchen",
		"host.name": "kitchen"}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
	if scope := b.resource.ScopeSpans[0].Scope.Name; scope != "hearthd" {
		t.Errorf("the scope is %q", scope)
	}
}

func TestSpansThatACollectorRefusesAreTold(t *testing.T) {
	for reply, refused := range map[string]bool{
		`{}`: false, ``: false, `nonsense`: false,
		`{"partialSuccess":{"rejectedSpans":"0","errorMessage":"slow down"}}`: false,
		`{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}`:   true,
		`{"partialSuccess":{"rejectedSpans":3}}`:                              true,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_,
				_ = io.WriteString(w, reply)
		}))
		told := export(t, server.URL, spoken(1, 1))
		if len(told) == 0 || (told[0] != nil) != refused {
			t.Errorf("%s: told %v", reply, told)
		}
		server.Close()
	}
}

// A collector elsewhere could have the house ask addresses inside.
func TestCollectorThatSendsElsewhereIsNotFollowed(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter,
		*http.Request) {
		t.Error("it was asked")
	}))
	defer elsewhere.Close()
	s := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer s.Close()
	if told := export(t, s.URL, spoken(1, 1)); len(told) == 0 || told[0] == nil {
		t.Errorf("told %v", told)
	}
}
