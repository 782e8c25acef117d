package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// web asks the console for something, as a browser or a program of this machine does.
func web(t *testing.T, method, url, bearer, body string) *http.Response {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	check(t, err)
	req.Header.Set("Content-Type", "application/json")
	if bearer != "" {
		req.Header.Set("Authorization", "Bearer "+bearer)
	}
	answer, err := (&http.Client{Transport: &http.Transport{}}).Do(req)
	check(t, err)
	t.Cleanup(func() { answer.Body.Close() })
	return answer
}

// What a page follows is the room: it ends when who opened it has logged out, whatever
// way it is followed, and the session does not come back with a restart.
func TestLoggingOutEndsWhatASessionFollows(t *testing.T) {
	k := newKitchen(t)
	k.begin()
	at, token, err := k.Console(t.Context())
	check(t, err)
	enter := func() string {
		var in struct{ Session string }
		check(t, json.NewDecoder(web(t, "POST", at+"session", "", `{"token":"`+token+`"}`).Body).Decode(&in))
		return in.Session
	}
	session, other := enter(), enter()
	ended := make(chan string)
	paths := []string{"v1/events", "v1/meter", "v1/log"}
	for _, path := range paths {
		answer := web(t, "GET", at+path, session, "")
		if _, err := io.ReadFull(answer.Body, make([]byte, 1)); answer.StatusCode != 200 || err != nil {
			t.Fatalf("%s: %s, %v", path, answer.Status, err)
		}
		go func() {
			_, _ = io.Copy(io.Discard, answer.Body)
			ended <- path
		}()
	}
	if answer := web(t, "DELETE", at+"session", session, ""); answer.StatusCode != 200 {
		t.Fatal(answer.Status)
	}
	for range paths {
		select {
		case <-ended:
		case <-time.After(patience):
			t.Fatal("a stream goes on")
		}
	}
	check(t, k.Stop())
	k.begin()
	at, _, err = k.Console(t.Context())
	check(t, err)
	for bearer, want := range map[string]int{session: 401, other: 200, token: 200, "": 401, token + "x": 401} {
		for _, path := range []string{"v1/status", "v1/tools", "metrics"} {
			if got := web(t, "GET", at+path, bearer, ""); got.StatusCode != want {
				t.Errorf("%s: %s, want %d", path, got.Status, want)
			}
		}
	}
	if got := web(t, "POST", at+"v1/tools/run", session, `{"name":"speaker_mute"}`); got.StatusCode != 401 || k.status().Muted {
		t.Errorf("the session that ended closes the microphone: %s", got.Status)
	}
	var page bytes.Buffer
	_, err = io.Copy(&page, web(t, "GET", at, "", "").Body)
	check(t, err)
	if strings.Contains(page.String(), token) {
		t.Error("the page tells the token to whoever asks")
	}
}
