package control

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/daemon/api"
	"hearthd/daemon/event"
	"hearthd/daemon/refusal"
	"hearthd/daemon/visitors"
)

func TestCommandsReachTheSpeaker(t *testing.T) {
	r := onSocket(t)
	for _, c := range []struct{ path, body, told string }{
		{"/v1/say", `{"text":"Grüße"}`, `announce "Grüße" false false`},
		{"/v1/say", `{"text":"a","chime":true}`, `announce "a" true false`},
		{"/v1/announce", `{"text":"a"}`, `announce "a" true false`},
		{"/v1/announce", `{"text":"a","chime":false,"priority":"urgent"}`, `announce "a" false true`},
		{"/v1/listen", `{}`, "listen"},
		{"/v1/stop", `{}`, "stop"}, {"/v1/mqtt/withdraw", `{}`, "withdraw"},
		{"/v1/mute", `{"muted":true}`, "mute true"},
		{"/v1/mute", `{"muted":false}`, "mute false"},
		{"/v1/volume", `{"percent":0}`, "volume 0"},
		{"/v1/volume", ` {"percent":100} ` + "\n", "volume 100"},
	} {
		code, body := r.do("POST", c.path, c.body)
		if told := r.speaker.told(); code != 200 || body != "{}" || told != c.told {
			t.Errorf("POST %s %s: %d %s, told %q", c.path, c.body, code, body, told)
		}
	}
}

func TestAskSaysWhoAsks(t *testing.T) {
	r := onSocket(t)
	r.do("POST", "/v1/ask", `{"text":"what do you know about me","as":"anna"}`)
	if told := r.speaker.told(); told != `ask "anna: what do you know about me"` {
		t.Errorf("told %s", told)
	}
}

func TestAskAnswersWithTheTurn(t *testing.T) {
	r := onSocket(t)
	r.speaker.turn = event.Turn{Route: "intent", Outcome: "answered", Answer: "It is noon."}
	code, body := r.do("POST", "/v1/ask", `{"text":"what time is it"}`)
	var got event.Turn
	if err := json.Unmarshal([]byte(body), &got); err != nil || code != 200 {
		t.Fatalf("%d %s: %v", code, body, err)
	}
	if d := cmp.Diff(r.speaker.turn, got); d != "" || r.speaker.told() != `ask "what time is it"` {
		t.Errorf("turn (-want +got):\n%s", d)
	}
}

func TestListsAreShownAndPrioritiesChecked(t *testing.T) {
	r := onSocket(t)
	if code, body := r.do("GET", "/v1/lists", ""); code != 200 || body != `{"shopping":["milk","eggs"]}` {
		t.Errorf("lists: %d %s", code, body)
	}
	if code, _ := r.do("POST", "/v1/announce", `{"text":"a","priority":"loud"}`); code != 400 {
		t.Errorf("an unknown priority: %d", code)
	}
}

func TestStatusAndTimersShowWhatIs(t *testing.T) {
	r := onSocket(t)
	if code, body := r.do("GET", "/v1/status", ""); code != 200 ||
		body != `{"node":"kitchen","time":"2026-11-20T18:30:00Z","wake":"phrase","version":"1.2","state":"idle",`+
			`"muted":false,"volume":40,"turns":9,"uptime_s":61,"frames":3000,"dropped":0,"broker":"connected",`+
			`"conditions":[{"code":"speaker","severity":"error","text":"It is gone.","since":"2026-11-20T18:30:00Z"}],`+
			`"timers":[{"id":3,"kind":"timer","label":"pasta","ends":"2026-11-20T18:30:00Z"}],`+
			`"media":{"state":"stopped","percent":70}}` {
		t.Errorf("status: %d %s", code, body)
	}
	if code, body := r.do("GET", "/v1/timers", ""); code != 200 ||
		body != `[{"id":3,"kind":"timer","label":"pasta","ends":"2026-11-20T18:30:00Z"}]` {
		t.Errorf("timers: %d %s", code, body)
	}
	if code, body := r.do("GET", "/v1/media", ""); code != 200 || body != `{"state":"stopped","percent":70}` {
		t.Errorf("media: %d %s", code, body)
	}
	r.status = func(context.Context) (api.Status, error) { return api.Status{}, nil }
	if code, body := r.do("GET", "/v1/timers", ""); code != 200 || body != "[]" {
		t.Errorf("no timers: %d %s", code, body)
	}
	if _, body := r.do("GET", "/v1/status", ""); !strings.HasSuffix(body,
		`"conditions":[],"timers":[],"media":{"state":"","percent":0}}`) {
		t.Errorf("empty status: %s", body)
	}
	r.status = func(context.Context) (api.Status, error) { return api.Status{}, errors.New("no loop") }
	for _, path := range []string{"status", "timers"} {
		if code, body := r.do("GET", "/v1/"+path, ""); code != 500 || body != `{"error":"read `+path+`: no loop"}` {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
}

func TestBadBodiesAreRefusedWithTheReason(t *testing.T) {
	r := onSocket(t)
	for _, c := range []struct{ path, body, want string }{
		{"/v1/say", ``, "there is no JSON object"},
		{"/v1/say", `hello`, "invalid character"},
		{"/v1/say", `{"text":"a"`, "unexpected EOF"},
		{"/v1/say", `{"text":"a"}{"text":"b"}`, "more than one"},
		{"/v1/say", `{"text":"a"} x`, "more than one"},
		{"/v1/say", `{"text":7}`, "cannot unmarshal number"},
		{"/v1/say", `["a"]`, "cannot unmarshal array"},
		{"/v1/say", `{"text":"a","loud":true}`, `unknown field "loud"`},
		{"/v1/say", `{"text":"` + strings.Repeat("a", maxBody) + `"}`, "too large"},
		{"/v1/say", strings.Repeat("a", 4<<20), "too large"},
		{"/v1/stop", `{"all":true}`, `unknown field "all"`},
		{"/v1/mute", `{}`, "muted is missing"},
		{"/v1/mute", `{"muted":null}`, "muted is missing"},
		{"/v1/mute", `{"muted":"yes"}`, "cannot unmarshal string"},
		{"/v1/volume", `{}`, "percent is missing"},
		{"/v1/volume", `{"percent":40.5}`, "cannot unmarshal number 40.5"},
		{"/v1/volume", `{"percent":99999999999999999999}`, "cannot unmarshal number"},
	} {
		code, body := r.do("POST", c.path, c.body)
		var f refusal.Failure
		if err := json.Unmarshal([]byte(body), &f); err != nil || code != 400 || !strings.Contains(f.Error, c.want) {
			t.Errorf("POST %s %.40s: %d %s, want 400 and %q", c.path, c.body, code, body, c.want)
		}
	}
	if told := r.speaker.told(); told != "" {
		t.Errorf("the speaker was told %s", told)
	}
}

func TestRefusalsAndFailuresDiffer(t *testing.T) {
	r := onSocket(t)
	commands := map[string]string{
		"say": `{"text":"a"}`, "ask": `{"text":"a"}`, "listen": `{}`, "stop": `{}`,
		"mute": `{"muted":true}`, "volume": `{"percent":101}`,
	}
	for _, c := range []struct {
		err  error
		code int
	}{{refusal.Error("busy"), 409}, {errors.New("disk full"), 500}} {
		r.speaker.err = c.err
		for name, body := range commands {
			code, got := r.do("POST", "/v1/"+name, body)
			if want := `{"error":"` + c.err.Error() + `"}`; code != c.code || got != want {
				t.Errorf("%s: %d %s, want %d %s", name, code, got, c.code, want)
			}
		}
	}
}

func TestOtherMethodsPathsAndHostsAreNotServed(t *testing.T) {
	r := onSocket(t)
	for _, c := range []struct {
		method, path string
		code         int
	}{
		{"GET", "/v1/say", 405}, {"PUT", "/v1/volume", 405}, {"POST", "/v1/status", 405}, {"DELETE", "/v1/events", 405},
		{"GET", "/", 404}, {"GET", "/v2/status", 404}, {"POST", "/v1/say/x", 404}, {"GET", "/v1/../v1/status", 200},
		{"HEAD", "/v1/status", 200}, {"HEAD", "/v1/events", 200},
	} {
		if code, _ := r.do(c.method, c.path, ""); code != c.code {
			t.Errorf("%s %s: %d, want %d", c.method, c.path, code, c.code)
		}
	}
	for request, want := range map[string]string{
		"GET /v1/status HTTP/1.1\r\n\r\n":              "HTTP/1.1 400 ",
		"GET /v1/status HTTP/1.1\r\nHost: a b\r\n\r\n": "HTTP/1.1 400 ",
		"hello\r\n\r\n": "HTTP/1.1 400 ",
		"GET /v1/status HTTP/1.1\r\nHost: h\r\nX: " + strings.Repeat("a", 1<<20) + "\r\n\r\n": "HTTP/1.1 431 ",
	} {
		c := r.dial()
		go io.WriteString(c, request) // the server may not read all of it
		line := make([]byte, len(want))
		if _, err := io.ReadFull(c, line); err != nil || string(line) != want {
			t.Errorf("%.40q: %q, %v, want %q", request, line, err, want)
		}
		c.Close()
	}
}

// A client that sends half a request must not keep its connection.
func TestClientThatSendsNoBodyIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := onPipes(t)
		for request, after := range map[string]time.Duration{
			"POST /v1/say HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n{":  bodyLimit,
			"GET /v1/events HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n": bodyLimit,
			"POST /v1/say HTTP/1.1\r\nHost:":                                  visitors.HeaderLimit,
			"":                                                                visitors.HeaderLimit,
		} {
			begun := time.Now()
			c := r.dial()
			if _, err := io.WriteString(c, request); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadAll(c); err != nil {
				t.Errorf("%q: %v", request, err)
			}
			if took := time.Since(begun); took < after || took > after+time.Second {
				t.Errorf("%q: cut off after %v, want %v", request, took, after)
			}
			c.Close()
		}
		r.stop()
	})
}

// The limits of a request must not hold for the next one on its connection, nor
// for an answer that takes minutes.
func TestConnectionOutlivesTheLimitsOfItsRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := onPipes(t)
		r.status = func(ctx context.Context) (api.Status, error) {
			select {
			case <-time.After(3 * time.Minute):
				return api.Status{}, nil
			case <-ctx.Done():
				return api.Status{}, ctx.Err()
			}
		}
		dials := 0
		dial := r.Transport.(*http.Transport).DialContext
		r.Transport.(*http.Transport).DialContext = func(ctx context.Context, a, b string) (c net.Conn, err error) {
			dials++
			return dial(ctx, a, b)
		}
		for range 3 {
			if code, body := r.do("GET", "/v1/timers", ""); code != 200 || body != "[]" {
				t.Errorf("%d %s", code, body)
			}
			time.Sleep(30 * time.Second)
			if code, _ := r.do("GET", "/v1/nothing", ""); code != 404 {
				t.Errorf("%d, want 404", code)
			}
		}
		if dials != 1 {
			t.Errorf("%d connections, want one", dials)
		}
		r.stop()
	})
}

func TestFleetIsWhatTheBrokerKnows(t *testing.T) {
	r := onSocket(t)
	if code, body := r.do("GET", "/v1/fleet", ""); code != 200 || !strings.HasPrefix(body, `[{"node":"kitchen"`) {
		t.Errorf("fleet: %d %s", code, body)
	}
}

func TestProbeSaysWhatWasFoundAndByWhom(t *testing.T) {
	r := onSocket(t)
	code, body := r.do("POST", "/v1/probe", `{"check":"broker","cold":true}`)
	want := `{"pid":7,"begun":"0001-01-01T00:00:00Z","state_dir":"","findings":[{"check":"broker","verdict":"ok","text":"well"}]}`
	if told := r.speaker.told(); code != 200 || body != want || told != "probe broker true" {
		t.Errorf("%d %s, told %q", code, body, told)
	}
}
