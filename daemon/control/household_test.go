package control

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"hearthd/daemon/api"
	"hearthd/daemon/refusal"
)

// fakeHousehold has one timer, 3, and writes down what it is told.
type fakeHousehold struct{ told []string }

func (f *fakeHousehold) did(format string, args ...any) {
	f.told = append(f.told, fmt.Sprintf(format, args...))
}

func (f *fakeHousehold) CancelTimer(_ context.Context, id int64) (bool, error) { return id == 3, nil }
func (f *fakeHousehold) ChangeList(_ context.Context, c api.ListChange) ([]string, error) {
	f.did("%+v", c)
	return append(c.Add, "eggs"), nil
}

func (f *fakeHousehold) ReadStations() { f.did("stations") }
func (f *fakeHousehold) Devices() ([]api.Device, []string) {
	return []api.Device{{ID: "a", Kind: "light", Name: "Lamp", State: map[string]any{"on": true}}}, nil
}
func (f *fakeHousehold) SetEntrance(_ context.Context, id string, is *bool) error {
	if is == nil {
		f.did("%s: as it looks", id)
	} else {
		f.did("%s: %v", id, *is)
	}
	return nil
}

func (f *fakeHousehold) Explain(text string) any { return map[string]string{"text": text} }
func (f *fakeHousehold) SetPolicy(_ context.Context, policy string) error {
	f.did("policy %s", policy)
	return nil
}

func (f *fakeHousehold) SetDND(_ context.Context, on bool) error {
	f.did("dnd %v", on)
	return nil
}
func (f *fakeHousehold) Hearing() api.Hearing { return api.Hearing{Threshold: 0.5, Configured: true} }
func (f *fakeHousehold) InstallSpeech() error { return refusal.Error("nobody can") }
func (f *fakeHousehold) Engines() (api.Engines, error) {
	return api.Engines{Hears: "pocketsphinx", Speaks: "flite", Models: []api.SpeechModel{}, Command: "install"}, nil
}
func (f *fakeHousehold) Tune(h api.Hearing) error {
	if h.Threshold > 1 {
		return errors.New("listen.threshold: must be between 0 and 1")
	}
	return nil
}

func TestHouseholdIsChangedByHand(t *testing.T) {
	r := onSocket(t)
	for _, c := range []struct {
		method, path, body string
		code               int
		want               string
	}{
		{"POST", "/v1/timers/cancel", `{"id":3}`, 200, `{}`},
		{"POST", "/v1/timers/cancel", `{"id":4}`, 400, `{"error":"id: there is no such timer"}`},
		{"POST", "/v1/lists", `{"list":"shopping","add":["milk"]}`, 200, `["milk","eggs"]`},
		{"POST", "/v1/lists", `{"list":"shopping"}`, 400,
			`{"error":"want a list, and 1 to 100 names to add or remove"}`},
		{"POST", "/v1/stations/read", `{}`, 200, `{}`},
		{"GET", "/v1/devices", ``, 200,
			`{"devices":[{"id":"a","kind":"light","name":"Lamp","state":{"on":true}}],"skipped":[]}`},
		{"POST", "/v1/devices/entrance", `{"id":"a","is":true}`, 200, `{}`},
		{"POST", "/v1/devices/entrance", `{"id":"a","auto":true}`, 200, `{}`},
		{"POST", "/v1/devices/entrance", `{"id":"a"}`, 400, `{"error":"want an id, and either is or auto"}`},
		{"POST", "/v1/devices/entrance", `{"id":"a","is":true,"auto":true}`, 400,
			`{"error":"want an id, and either is or auto"}`},
		{"POST", "/v1/intents/try", `{"text":"stop"}`, 200, `{"text":"stop"}`},
		{"POST", "/v1/intents/try", `{"text":""}`, 400, `{"error":"text: want 1 to 1000 bytes"}`},
		{"POST", "/v1/intents/try", `{"text":"` + strings.Repeat("x", maxSentence+1) + `"}`, 400,
			`{"error":"text: want 1 to 1000 bytes"}`},
		{"POST", "/v1/policy", `{"policy":"local"}`, 200, `{}`},
		{"POST", "/v1/policy", `{"policy":"cloud"}`, 400, `{"error":"policy: want auto or local"}`},
		{"POST", "/v1/dnd", `{"on":true}`, 200, `{}`},
		{"POST", "/v1/dnd", `{}`, 400, `{"error":"on is missing"}`},
		{"GET", "/v1/hearing", ``, 200,
			`{"threshold":0.5,"release":0,"pre_roll_ms":0,"min_speech_ms":0,"end_silence_ms":0,"max_utterance_ms":0,"configured":true}`},
		{"POST", "/v1/engines/install", `{}`, 409, `{"error":"nobody can"}`},
		{"GET", "/v1/engines", ``, 200, `{"hears":"pocketsphinx","speaks":"flite","models":[],"command":"install"}`},
		{"POST", "/v1/hearing", `{"threshold":2}`, 400, `{"error":"listen.threshold: must be between 0 and 1"}`},
	} {
		if code, got := r.do(c.method, c.path, c.body); code != c.code || got != c.want {
			t.Errorf("%s %s %.40s: %d %s, want %d %s", c.method, c.path, c.body, code, got, c.code, c.want)
		}
	}
}
