package control

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/daemon/event"
	"hearthd/daemon/visitors"
)

// stream opens the event stream and has read its first line, so that it is
// subscribed.
func (r *rig) stream() *bufio.Scanner {
	r.t.Helper()
	res, err := r.Get("http://hearthd/v1/events")
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { res.Body.Close() })
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/event-stream" {
		r.t.Fatalf("%s, %s", res.Status, res.Header)
	}
	lines := bufio.NewScanner(res.Body)
	if !lines.Scan() || lines.Text() != ": hearthd" {
		r.t.Fatalf("first line %q, %v", lines.Text(), lines.Err())
	}
	return lines
}

func TestEventsArriveInTheirOrderAsTheirJSON(t *testing.T) {
	r := onSocket(t)
	lines := r.stream()
	const n = 200
	for i := range n {
		r.bus.Publish(&event.VolumeChanged{Percent: i})
	}
	for i := 0; i < n && lines.Scan(); {
		if lines.Text() == "" {
			continue
		}
		want := fmt.Sprintf(`data: {"type":"volume","seq":%d,"time":`, i+1)
		if got := lines.Text(); !strings.HasPrefix(got, want) ||
			!strings.HasSuffix(got, fmt.Sprintf(`,"percent":%d}`, i)) {
			t.Fatalf("line %q, want %s…", got, want)
		}
		i++
	}
	if err := lines.Err(); err != nil {
		t.Error(err)
	}
}

// raw sends a request for the stream and reads nothing.
func (r *rig) raw() net.Conn {
	r.t.Helper()
	c := r.dial()
	if _, err := io.WriteString(c, "GET /v1/events HTTP/1.1\r\nHost: h\r\n\r\n"); err != nil {
		r.t.Fatal(err)
	}
	return c
}

func TestSlowReaderIsToldHowManyEventsItMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := onPipes(t)
		c := r.raw() // a pipe has no buffer: the server waits with its first line
		synctest.Wait()
		for i := range eventQueue + 44 {
			r.bus.Publish(&event.VolumeChanged{Percent: i})
		}
		res, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		go func() {
			for lines := bufio.NewScanner(res.Body); lines.Scan(); {
				got = append(got, lines.Text())
			}
		}()
		synctest.Wait()
		r.bus.Publish(&event.VolumeChanged{Percent: 1000})
		synctest.Wait()
		if d := cmp.Diff([]string{": hearthd", "", "event: missed", "data: 44", ""}, got[:5]); d != "" {
			t.Errorf("begin of the stream (-want +got):\n%s", d)
		}
		events := 0
		for _, l := range got[5:] {
			if strings.HasPrefix(l, "data: {") {
				events++
			}
		}
		if events != eventQueue+1 || strings.Count(strings.Join(got, "\n"), "missed") != 1 ||
			!strings.Contains(got[len(got)-2], `"percent":1000}`) {
			t.Errorf("%d events, the last %q", events, got[len(got)-2])
		}
		r.stop()
	})
}

func TestReaderThatDoesNotReadIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := onPipes(t)
		c := r.raw()
		time.Sleep(writeLimit + time.Millisecond)
		synctest.Wait()
		// What was written before the deadline is gone with the connection.
		if n, err := io.Copy(io.Discard, c); n != 0 || err != nil {
			t.Errorf("read %d bytes, %v, want a closed connection", n, err)
		}
		r.stop()
	})
}

func TestQuietStreamIsKeptOpenByBeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := onPipes(t)
		lines := r.stream()
		var beats int
		go func() {
			for lines.Scan() {
				if lines.Text() == ": " {
					beats++
				}
			}
		}()
		time.Sleep(10*time.Minute + time.Second)
		synctest.Wait()
		if beats != 40 {
			t.Errorf("%d beats in 10 min, want 40", beats)
		}
		r.bus.Publish(&event.MuteChanged{})
		r.stop()
	})
}

func TestStreamThatItsReaderClosesIsUnsubscribed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := onPipes(t)
		ctx, cancel := context.WithCancel(t.Context())
		for range maxStreams {
			req, err := http.NewRequestWithContext(ctx, "GET", "http://hearthd/v1/events", nil)
			if err != nil {
				t.Fatal(err)
			}
			res, err := r.Do(req)
			if err != nil || res.StatusCode != 200 {
				t.Fatalf("%v, %v", res, err)
			}
			defer res.Body.Close()
		}
		if code, body := r.do("GET", "/v1/events", ""); code != 503 || body != `{"error":"too many streams are open"}` {
			t.Errorf("one stream too many: %d %s", code, body)
		}
		if code, _ := r.do("POST", "/v1/stop", "{}"); code != 200 {
			t.Errorf("stop while the streams are used up: %d", code)
		}
		cancel()
		synctest.Wait()
		r.stream()
		r.stop()
	})
}

// All that a client can be in the middle of ends with the server: streams and
// questions at once, silent clients within the limit. The bubble fails when a
// goroutine is left.
func TestShutdownEndsEveryRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := onPipes(t)
		r.speaker.slow = true
		ended := make(chan string)
		for range 3 {
			lines := r.stream()
			go func() {
				for lines.Scan() {
				}
				ended <- "stream"
			}()
		}
		go func() {
			code, body := r.do("POST", "/v1/ask", `{"text":"a"}`)
			if strings.Contains(body, `"outcome"`) {
				body = "what was answered"
			}
			ended <- fmt.Sprint(code, " ", body)
		}()
		synctest.Wait()
		begun := time.Now()
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			r.stop()
		}()
		got := make(map[string]int)
		for range 4 {
			got[<-ended]++
		}
		if d := cmp.Diff(map[string]int{"stream": 3, "200 what was answered": 1}, got); d != "" {
			t.Errorf("ends (-want +got):\n%s", d)
		}
		<-stopped
		if took := time.Since(begun); took >= visitors.DrainLimit {
			t.Errorf("clients that read kept the server for %v", took)
		}
	})
}

func TestShutdownCutsOffClientsThatNeitherSendNorRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := onPipes(t)
		silent, deaf := r.dial(), r.raw()
		defer silent.Close()
		defer deaf.Close()
		synctest.Wait()
		begun := time.Now()
		r.stop()
		if took := time.Since(begun); took != visitors.DrainLimit {
			t.Errorf("stopped after %v, want %v", took, visitors.DrainLimit)
		}
		if c := r.dial(); c != nil {
			if _, err := c.Read(make([]byte, 1)); err == nil {
				t.Error("served after the end")
			}
		}
	})
}
