package config

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCatalogueOfModelsIsWhole(t *testing.T) {
	c := Models()
	on, err := time.Parse(time.DateOnly, c.Date)
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range c.Models {
		if m.Ends != "" {
			if _, err := time.Parse(time.DateOnly, m.Ends); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if next := m.Successor; next != "" && (c.Models[next] == (Model{}) || c.Models[next].Ends != "") {
			t.Errorf("%s is followed by %s, which ends itself or is not known", name, next)
		}
		if talks, writes := m.Prices.AudioOut > 0 || m.Prices.SessionMinute > 0, m.Prices.TranscriptIn > 0 ||
			m.Prices.TranscriptMinute > 0; m.Ends == "" && talks == writes {
			t.Errorf("%s has no price, or two kinds: %+v", name, m)
		}
	}
	d := Default()
	for key, name := range map[string]string{"responder.model": d.Responder.Model,
		"responder.transcriber": d.Responder.Transcriber, "stt.openai.model": d.STT.OpenAI.Model} {
		m, ok := c.Models[name]
		if !ok {
			t.Errorf("the default of %s is not known: %s", key, name)
		}
		if ends, err := time.Parse(time.DateOnly, m.Ends); err == nil && ends.Before(on.AddDate(1, 0, 0)) {
			t.Errorf("the default of %s, %s, ends on %s", key, name, m.Ends)
		}
	}
}

func TestPricesFollowTheModelUnlessTheyAreSet(t *testing.T) {
	r := Default().Responder
	p, unknown := r.Rates()
	want := Prices{Currency: "USD", TextIn: 4, TextCached: 0.4, TextOut: 24, AudioIn: 32, AudioCached: 0.4,
		AudioOut: 64, TranscriptMinute: 0.0045}
	if diff := cmp.Diff(want, p); diff != "" || unknown != nil {
		t.Errorf("unknown %q: %s", unknown, diff)
	}
	r.Model, r.Transcriber, r.Prices.AudioIn, r.Prices.TextOut = "gpt-realtime-2.1-mini", "", 5, 0
	if p, unknown = r.Rates(); p.AudioIn != 5 || p.TextOut != 0 || p.AudioOut != 20 || unknown != nil {
		t.Errorf("%+v, unknown %q", p, unknown)
	}
}

func TestUnknownModelIsNeverFreeAndIsNamed(t *testing.T) {
	r := Default().Responder
	r.Model, r.Transcriber = "talk-9", "write-9"
	p, unknown := r.Rates()
	for name, m := range Models().Models {
		if p.TextIn < m.Prices.TextIn || p.TextOut < m.Prices.TextOut || p.AudioIn < m.Prices.AudioIn ||
			p.AudioOut < m.Prices.AudioOut || p.TranscriptMinute < m.Prices.TranscriptMinute ||
			p.TranscriptIn < m.Prices.TranscriptIn {
			t.Errorf("%+v is cheaper than %s", p, name)
		}
	}
	if !slices.Equal(unknown, []string{"talk-9", "write-9"}) || p.AudioCached <= 0 || p.TextCached <= 0 {
		t.Errorf("%+v, unknown %q", p, unknown)
	}
	r.Protocol = "live"
	if p, unknown = r.Rates(); !slices.Equal(unknown, []string{"talk-9"}) || p.SessionMinute <= 0 || p.AudioOut != 0 {
		t.Errorf("%+v, unknown %q", p, unknown)
	}
	r.Prices = Prices{Currency: "EUR"} // a server of one's own
	if p, unknown = r.Rates(); p != r.Prices || unknown != nil {
		t.Errorf("%+v, unknown %q", p, unknown)
	}
}

func TestLiveModelIsPaidByTheMinuteOfItsSession(t *testing.T) {
	r := Default().Responder
	r.Protocol, r.Model = "live", "gpt-live-1.1"
	if p, unknown := r.Rates(); p != (Prices{Currency: "USD", SessionMinute: 0.05}) || unknown != nil {
		t.Errorf("%+v, unknown %q", p, unknown)
	}
	r.Model = "gpt-realtime-2.1" // its prices are those of another protocol
	if p, unknown := r.Rates(); p.SessionMinute <= 0 || len(unknown) != 1 {
		t.Errorf("%+v, unknown %q", p, unknown)
	}
}

func TestLiveResponderNeedsAThinker(t *testing.T) {
	c := Default()
	c.Responder.URL, c.Responder.Protocol = "https://api.openai.com/v1", "live"
	if ps := c.Validate(); len(ps) != 0 {
		t.Errorf("%v", ps)
	}
	if c.Thinker.URL = ""; len(c.Validate()) != 1 {
		t.Errorf("%v", c.Validate())
	}
}

func TestPriceIsMoneyOrLeftOpen(t *testing.T) {
	for v, good := range map[float64]bool{-1: true, 0: true, 12.5: true, -2: false, -0.5: false, 2e6: false,
		math.NaN(): false} {
		c := Default()
		c.Responder.Prices.AudioOut = v
		if ps := c.Validate(); (len(ps) == 0) != good {
			t.Errorf("%v: %v", v, ps)
		}
	}
	c := Default()
	if c.Responder.Daily = -1; len(c.Validate()) == 0 {
		t.Error("a budget of -1 is taken")
	}
}

func TestModelOfAnotherTradeIsNotFreeEither(t *testing.T) {
	r := Default().Responder
	r.Model, r.Transcriber = "whisper-1", "gpt-realtime-2.1"
	p, unknown := r.Rates()
	if !slices.Equal(unknown, []string{r.Model, r.Transcriber}) || p.AudioOut <= 0 || p.TextIn <= 0 ||
		p.TranscriptMinute <= 0 {
		t.Errorf("%+v, unknown %q", p, unknown)
	}
}
