package calendar

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

func TestChangesOfOthersInTheFileAreNotOverwritten(t *testing.T) {
	r := newRig(t, ics("SUMMARY:Dentist\nDTSTART;TZID=Europe/Berlin:20260323T090000",
		"SUMMARY:Yoga\nDTSTART;TZID=Europe/Berlin:20260324T090000"), Options{})
	s := &fileStore{path: r.path, name: "Home", home: now.Location()}
	near := func() []*entry {
		t.Helper()
		entries, _, _, err := s.near(t.Context(), now, now.AddDate(0, 0, 7))
		if err != nil || len(entries) != 2 {
			t.Fatalf("%v %v", entries, err)
		}
		return entries
	}
	old := near()
	if err := os.WriteFile(r.path, []byte(strings.Replace(r.file(), "Dentist", "Orthodontist", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.change(t.Context(), old[0]); !errors.Is(err, errChanged) {
		t.Errorf("change: %v", err)
	}
	if err := s.remove(t.Context(), old[0]); !errors.Is(err, errChanged) {
		t.Errorf("remove: %v", err)
	}
	if err := s.remove(t.Context(), old[1]); err != nil { // another event of the file
		t.Errorf("remove what is as it was: %v", err)
	}
	if err := s.change(t.Context(), old[1]); !errors.Is(err, errGone) {
		t.Errorf("change what is gone: %v", err)
	}
	if !strings.Contains(r.file(), "Orthodontist") || strings.Contains(r.file(), "Yoga") {
		t.Error(r.file())
	}
}

// A server with weak tags refuses every If-Match, as RFC 9110 wants it.
func TestWeakTagsAreComparedHere(t *testing.T) {
	tag, puts := `W/"1"`, 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if _, err := io.Copy(io.Discard, req.Body); err != nil {
			t.Error(err)
		}
		switch {
		case req.Header.Get("If-Match") != "":
			w.WriteHeader(http.StatusPreconditionFailed)
		case req.Method == http.MethodGet:
			w.Header().Set("ETag", tag)
		default:
			puts++
			w.WriteHeader(http.StatusNoContent)
		}
	}))
	defer server.Close()
	s := &davStore{base: parse(t, server.URL), asker: newAsker("", "", "test"), home: now.Location()}
	e := &entry{uid: "e", place: "/c/e.ics", tag: `W/"1"`, parts: 1}
	if err := errors.Join(s.change(context.Background(), e), s.remove(context.Background(), e)); err != nil || puts != 2 {
		t.Errorf("%v, %d changes", err, puts)
	}
	tag = `W/"2"`
	if err := s.change(context.Background(), e); !errors.Is(err, errChanged) || puts != 2 {
		t.Errorf("%v, %d changes", err, puts)
	}
}

// A calendar server names its places; one that begins with // would be another server, which gets the password.
func TestPlaceOnAnotherServerIsNotAsked(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was asked") }))
	defer elsewhere.Close()
	s := &davStore{base: parse(t, "http://127.0.0.1:1"), asker: newAsker("anna", "secret words", "test"),
		home: now.Location()}
	e := &entry{uid: "e", place: strings.TrimPrefix(elsewhere.URL, "http:") + "/c/e.ics", tag: `"1"`, parts: 1}
	if err := s.remove(context.Background(), e); err == nil || !strings.Contains(err.Error(), "elsewhere") {
		t.Errorf("%v", err)
	}
}
