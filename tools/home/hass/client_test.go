package hass

import (
	"io"
	"log/slog"
	"testing"
)

func TestBadOptionsAreRefused(t *testing.T) {
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	for _, o := range []Options{{URL: "ftp://x", Token: "t", Log: log}, {URL: "http://x", Log: log},
		{URL: "http://x", Token: "t"}} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}
