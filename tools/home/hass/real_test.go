package hass

import (
	"log/slog"
	"os"
	"testing"
	"time"

	"hearthd/tools/phrase"
)

// A Home Assistant at HEARTHD_TEST_HASS with an input_boolean called Fountain, and a token of
// an administrator in HEARTHD_TEST_HASS_TOKEN.
func TestARealHomeAssistantIsOfferedWhatIsSaid(t *testing.T) {
	url, key := os.Getenv("HEARTHD_TEST_HASS"), os.Getenv("HEARTHD_TEST_HASS_TOKEN")
	if url == "" {
		t.Skip("HEARTHD_TEST_HASS is not set")
	}
	told := make(chan error, 100)
	c, err := New(Options{
		URL: url, Token: key, Book: phrase.English(), Changed: func(err error) { told <- err }, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = c.Run(t.Context()) }()
	if err := await(t, told); err != nil {
		t.Fatal(err)
	}
	if _, err := c.call(t.Context(), map[string]any{
		"type": "homeassistant/expose_entity", "assistants": []string{"conversation"},
		"entity_ids": []string{"input_boolean.fountain"}, "should_expose": true,
	}); err != nil {
		t.Fatal(err)
	}
	for _, w := range []struct {
		text  string
		taken bool
		says  bool
	}{
		{"turn on the fountain", true, true}, {"turn off the fountain", true, true},
		{"why is the sky blue", false, false}, {"turn on the waterfall", false, true},
	} {
		begun := time.Now()
		r, taken, err := c.Offer(t.Context(), w.text, "en")
		if taken != w.taken || (r.Text != "") != w.says || r.Foreign || err != nil {
			t.Errorf("%s: taken %t, %+v, %v", w.text, taken, r, err)
		}
		t.Logf("%s: %q in %v", w.text, r.Text, time.Since(begun))
	}
}
