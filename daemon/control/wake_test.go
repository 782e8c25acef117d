package control

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"hearthd/daemon/api"
	"hearthd/daemon/refusal"
)

func TestWakeWordsAreListed(t *testing.T) {
	r := onSocket(t)
	if code, body := r.do("GET", "/v1/wake", ""); code != 200 || body != "[]" {
		t.Errorf("no words: %d %s", code, body)
	}
	r.speaker.words = []api.Word{
		{Model: "hey_jarvis", Name: "jarvis", Type: "model", Configured: true, Kind: "wake", Route: "local"},
		{Model: "stop", Name: "stop", Type: "model", Error: "it is damaged"},
	}
	if code, body := r.do("GET", "/v1/wake", ""); code != 200 ||
		body != `[{"model":"hey_jarvis","name":"jarvis","type":"model","configured":true,"kind":"wake","route":"local"},`+
			`{"model":"stop","name":"stop","type":"model","configured":false,"error":"it is damaged"}]` {
		t.Errorf("words: %d %s", code, body)
	}
}

func TestModelOfSomeMegabytesIsInstalledAndALargerOneRefused(t *testing.T) {
	r := onSocket(t)
	install := func(network []byte) (int, string) {
		body, err := json.Marshal(api.Install{Name: "a_word", Manifest: json.RawMessage(`{"type":"micro"}`),
			Network: network})
		if err != nil {
			t.Fatal(err)
		}
		return r.do("POST", "/v1/wake/install", string(body))
	}
	code, body := install([]byte{1, 2, 255})
	if code != 200 || body != `{"model":"a_word","name":"a word","type":"model","configured":false}` ||
		r.speaker.told() != `install a_word {"type":"micro"} 0102ff` {
		t.Errorf("%d %s", code, body)
	}
	if code, body := install(make([]byte, 4<<20)); code != 200 {
		t.Errorf("a network of 4 MiB: %d %s", code, body)
	}
	r.speaker.told()
	if code, body := install(make([]byte, 5<<20)); code != 400 || !strings.Contains(body, "too large") ||
		r.speaker.told() != "" {
		t.Errorf("a network of 5 MiB: %d %s", code, body)
	}
	r.speaker.err = refusal.Error("that is no model")
	if code, body := install([]byte{1}); code != 409 || body != `{"error":"that is no model"}` {
		t.Errorf("%d %s", code, body)
	}
	if code,
		_ := r.do("POST", "/v1/wake/install",
		`{"name":"a","network":"`+base64.StdEncoding.EncodeToString([]byte{1})[:3]+`!"}`); code != 400 {
		t.Errorf("what is not base64: %d", code)
	}
}

// enrolling opens the stream of an enrolment.
func (r *rig) enrolling(ctx context.Context) *http.Response {
	r.t.Helper()
	req, err := http.NewRequestWithContext(ctx, "POST", "http://hearthd/v1/wake/enroll",
		strings.NewReader(`{"name":"hey hearth"}`))
	if err != nil {
		r.t.Fatal(err)
	}
	res, err := r.Do(req)
	if err != nil || res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/event-stream" {
		r.t.Fatalf("%v, %v", res, err)
	}
	return res
}

func TestEnrolmentIsToldStepByStep(t *testing.T) {
	r := onSocket(t)
	for _, c := range []struct {
		err  error
		last string
	}{
		{nil, `data: {"state":"done","good":3,"of":3,"spread":0.25,"model":"a_word"}`},
		{refusal.Error("nobody spoke"), `data: {"error":"nobody spoke"}`},
	} {
		r.speaker.err = c.err
		res := r.enrolling(t.Context())
		var got []string
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			if lines.Text() != "" {
				got = append(got, lines.Text())
			}
		}
		res.Body.Close()
		if len(got) != 3 || got[1] != `data: {"state":"say","good":0,"of":3}` || got[2] != c.last {
			t.Errorf("lines %q, want the last %s", got, c.last)
		}
	}
	if code, body := r.do("POST", "/v1/wake/enroll", `{"words":1}`); code != 400 ||
		!strings.Contains(body, "unknown field") {
		t.Errorf("%d %s", code, body)
	}
}

func TestTuningIsToldStepByStep(t *testing.T) {
	r := onSocket(t)
	code, got := r.do("POST", "/v1/wake/tune", `{"phrase":"hey kitchen","server":"unix:/s","minutes":60}`)
	if want := `{"minutes":60,"cutoff":0.45,"alarms":3,"done":true}`; code != 200 || !strings.Contains(got, want) ||
		r.speaker.told() != "tune {Phrase:hey kitchen Server:unix:/s Minutes:60}" {
		t.Errorf("%d %s", code, got)
	}
	if code, _ := r.do("POST", "/v1/wake/tune", `{"word":1}`); code != 400 {
		t.Errorf("%d", code)
	}
}

func TestVoicesAreListedEnrolledAndRemoved(t *testing.T) {
	r := onSocket(t)
	for _, c := range []struct{ method, path, body, want, told string }{
		{"GET", "/v1/voice", "", `[{"person":"anna","prints":3,"model":"m"}]`, ""},
		{"POST", "/v1/voice/remove", `{"person":"anna"}`, `{}`, "remove anna"},
	} {
		if code, got := r.do(c.method, c.path, c.body); code != 200 || got != c.want || r.speaker.told() != c.told {
			t.Errorf("%s: %d %s", c.path, code, got)
		}
	}
	if code, got := r.do("POST", "/v1/voice/enroll", `{"person":"anna"}`); code != 200 ||
		!strings.Contains(got, `"state":"done"`) || r.speaker.told() != `enroll "anna"` {
		t.Errorf("%d %s", code, got)
	}
}

func TestEnrolmentEndsWhenItsReaderHangsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := onPipes(t)
		r.speaker.slow = true
		ctx, cancel := context.WithCancel(t.Context())
		res := r.enrolling(ctx)
		go io.Copy(io.Discard, res.Body)
		synctest.Wait()
		cancel()
		synctest.Wait()
		if told := r.speaker.told(); told != `enroll "hey hearth", enrolment ended` {
			t.Errorf("told %s", told)
		}
		r.stop()
	})
}
