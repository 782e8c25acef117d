package thinker

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// slow is an embedding model that takes its time and counts.
type slow struct {
	takes time.Duration
	err   error
	asked chan string
}

func (s slow) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	s.asked <- texts[0]
	select {
	case <-time.After(s.takes):
		return [][]float32{{float32(len(texts[0]))}}, s.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// meant runs f with Meanings that wait 15 ms for s.
func meant(t *testing.T, s slow, f func(t *testing.T, m *Meanings, asked chan string)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s.asked = make(chan string, 100)
		m, err := NewMeanings(s, 15*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- m.Run(ctx) }()
		f(t, m, s.asked)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestARequestWaitsAShortTimeForItsVectorAndOnlyOnce(t *testing.T) {
	meant(t, slow{takes: 60 * time.Millisecond}, func(t *testing.T, m *Meanings, asked chan string) {
		begun := time.Now()
		for range 3 { // routing, memory, the memory again
			if v := m.Of(t.Context(), "umbrella"); v != nil {
				t.Errorf("a vector of %v after %v", v, time.Since(begun))
			}
		}
		if took := time.Since(begun); took != 15*time.Millisecond {
			t.Errorf("waited %v", took)
		}
		time.Sleep(50 * time.Millisecond)
		if v := m.Of(t.Context(), "umbrella"); !slices.Equal(v, []float32{8}) || len(asked) != 1 {
			t.Errorf("later %v, after %d requests", v, len(asked))
		}
	})
}

func TestWhatWasExpectedIsKnownAtOnce(t *testing.T) {
	meant(t, slow{takes: 300 * time.Millisecond}, func(t *testing.T, m *Meanings, asked chan string) {
		m.Expect("do I need")
		m.Expect("do I need an umbrella")
		time.Sleep(400 * time.Millisecond) // the silence that ends the utterance
		begun := time.Now()
		if v := m.Of(t.Context(), "do I need an umbrella"); v == nil || time.Since(begun) != 0 {
			t.Errorf("%v after %v", v, time.Since(begun))
		}
		if len(asked) != 2 {
			t.Errorf("%d requests", len(asked))
		}
		m.Forget()
		if len(m.recent) != 0 {
			t.Error("it is still held")
		}
	})
}

func TestAModelThatFailsIsAskedAgain(t *testing.T) {
	meant(t, slow{err: errors.New("gone")}, func(t *testing.T, m *Meanings, asked chan string) {
		for range 2 {
			if v := m.Of(t.Context(), "umbrella"); v != nil {
				t.Errorf("a vector %v", v)
			}
		}
		if len(asked) != 2 {
			t.Errorf("%d requests", len(asked))
		}
	})
}

func TestMeaningsAreBounded(t *testing.T) {
	meant(t, slow{takes: time.Hour}, func(t *testing.T, m *Meanings, asked chan string) {
		for i := range 100 {
			m.Expect(string(rune('a' + i)))
		}
		synctest.Wait()
		if len(m.recent) > maxMeanings || len(asked) != meaningWorkers {
			t.Errorf("%d are held and %d asked for", len(m.recent), len(asked))
		}
		if v := m.Of(t.Context(), "one too many"); v != nil {
			t.Error(v)
		}
	})
}

func TestMeaningsRefuseBadOptions(t *testing.T) {
	if _, err := NewMeanings(nil, 0); err == nil {
		t.Error("without a model")
	}
	if _, err := NewMeanings(slow{}, -1); err == nil {
		t.Error("with a negative wait")
	}
}

func TestConversationBesideKnowsTheExamplesAlready(t *testing.T) {
	meant(t, slow{takes: 60 * time.Millisecond}, func(t *testing.T, m *Meanings, asked chan string) {
		ctx, cancel := context.WithCancel(t.Context())
		defer synctest.Wait()
		defer cancel()
		th := staffed(t, answers(text("Yes.")), nil, func(o *Options) { o.Meanings = m })
		go th.Run(ctx)
		time.Sleep(time.Second)
		go th.Beside(nil).Run(ctx)
		time.Sleep(time.Hour)
		if len(asked) != 1 {
			t.Errorf("%d times the examples were embedded", len(asked))
		}
	})
}
