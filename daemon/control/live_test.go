package control

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"hearthd/daemon/api"
	"hearthd/daemon/event"
)

// look opens a page on r, and says what it wants to see.
func (r *rig) look(t *testing.T, headers http.Header) (*websocket.Conn, error) {
	t.Helper()
	conn, res, err := websocket.Dial(t.Context(), "ws://hearthd/v1/live",
		&websocket.DialOptions{HTTPClient: r.Client, HTTPHeader: headers})
	if err != nil {
		if res != nil && res.Body != nil {
			res.Body.Close()
		}
		return nil, err
	}
	t.Cleanup(func() { conn.CloseNow() })
	if kind, _ := next(t, conn); kind != "hello" {
		t.Fatalf("the first message is %q", kind)
	}
	return conn, nil
}

func next(t *testing.T, conn *websocket.Conn) (kind, data string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	_, text, err := conn.Read(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		Kind string          `json:"kind"`
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	return m.Kind, string(m.Data)
}

func TestPageSeesEventsAndTheMeterOnlyWhileItWants(t *testing.T) {
	r := onSocket(t)
	conn, err := r.look(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.bus.Publish(&event.VolumeChanged{Percent: 40})
	if kind, data := next(t, conn); kind != "event" || !strings.Contains(data, `"type":"volume"`) {
		t.Errorf("%s %s", kind, data)
	}
	wave := api.Meter{Level: -30, Wave: [][3]int8{{-20, 75, 1}}}
	for _, c := range []struct {
		wish string
		wave bool
	}{{`{"want":["meter"]}`, false}, {`{"want":["wave"]}`, true}} {
		if err := conn.Write(t.Context(), websocket.MessageText, []byte(c.wish)); err != nil {
			t.Fatal(err)
		}
		right := false
		for end := time.Now().Add(30 * time.Second); !right && time.Now().Before(end); { // the first may be from before the wish
			r.meter <- wave
			kind, data := next(t, conn)
			right = kind == "meter" && strings.Contains(data, "wave") == c.wave
		}
		if !right {
			t.Errorf("wish %s is not heeded", c.wish)
		}
	}
	ended := func() {
		for told := ""; !strings.Contains(told, "meter ended"); told += r.speaker.told() {
		}
	}
	ended() // and began anew, with the last minute
	if err := conn.Write(t.Context(), websocket.MessageText, []byte(`{"want":[]}`)); err != nil {
		t.Fatal(err)
	}
	ended()
}

func TestPageReadsTheLogAndFollowsIt(t *testing.T) {
	r := onSocket(t)
	for path, want := range map[string]string{
		"/v1/log": "turn ended", "/v1/log?turn=7": "turn ended", "/v1/log?turn=8": "[]",
		"/v1/log?turn=x": "turn: want the id of one",
	} {
		if _, body := r.do("GET", path, ""); !strings.Contains(body, want) {
			t.Errorf("%s: %s", path, body)
		}
	}
	conn, err := r.look(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Write(t.Context(), websocket.MessageText, []byte(`{"want":["log"]}`)); err != nil {
		t.Fatal(err)
	}
	if kind, data := next(t, conn); kind != "log" || !strings.Contains(data, `"more"`) {
		t.Errorf("%s %s", kind, data)
	}
}

func TestPageOfAnotherSiteSeesNothing(t *testing.T) {
	r := onSocket(t)
	if _, err := r.look(t, http.Header{"Origin": {"https://example.com"}}); err == nil {
		t.Error("another site looks")
	}
	if _, err := r.look(t, http.Header{"Origin": {"http://hearthd"}}); err != nil {
		t.Errorf("the page itself: %v", err)
	}
}

func TestPagesAreBoundedAndTheirPlacesComeBack(t *testing.T) {
	r := onSocket(t)
	var open []*websocket.Conn
	for range maxPages {
		conn, err := r.look(t, nil)
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, conn)
	}
	if _, err := r.look(t, nil); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("one page more: %v", err)
	}
	open[0].CloseNow()
	var err error
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); {
		if _, err = r.look(t, nil); err == nil {
			return
		}
	}
	t.Errorf("a place that is free again: %v", err)
}

// What a page sends ends the connection if it is no wish.
func TestPageThatSaysNonsenseIsLetGo(t *testing.T) {
	for _, text := range []string{"{", `{"want":"meter"}`, `{"want":["` + strings.Repeat("x", maxWish) + `"]}`} {
		r := onSocket(t)
		conn, err := r.look(t, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.Write(t.Context(), websocket.MessageText, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if _, _, err := conn.Read(t.Context()); err == nil {
			t.Errorf("%.20s is taken", text)
		}
	}
}

// BenchmarkPages is what an event costs the one who publishes it while 20 pages
// look.
func BenchmarkPages(b *testing.B) {
	bus := event.NewBus()
	for range 20 {
		sub := bus.Subscribe("page", pageQueue)
		defer sub.Close()
		ctx, cancel := context.WithCancel(b.Context())
		defer cancel()
		go func() {
			for {
				select {
				case <-ctx.Done():
					return
				case e := <-sub.C():
					_, _ = json.Marshal(message{"event", e})
				}
			}
		}()
	}
	for b.Loop() {
		bus.Publish(&event.SpeechStarted{Utterance: 1})
	}
}
