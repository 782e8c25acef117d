package thinker

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/llm"
)

// diary is a journal in memory.
type diary struct {
	mu        sync.Mutex
	notes     []string
	topics    []string
	kept      []llm.Exchange
	given     int64 // the last id
	summaries map[string]string
}

func (d *diary) Keep(_ context.Context, exchanges []llm.Exchange) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, e := range exchanges {
		d.given++
		e.ID = d.given
		d.kept = append(d.kept, e)
	}
	return nil
}

func (d *diary) Unmerged(context.Context) ([]llm.Exchange, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.kept), nil
}

// forget is what the store does when everything is to be forgotten.
func (d *diary) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept = nil
}

func (d *diary) AddTopics(_ context.Context, person string, topics []string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range topics {
		d.topics = append(d.topics, person+": "+t)
	}
	return nil
}

func (d *diary) AddNotes(_ context.Context, person string, notes []string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, n := range notes {
		d.notes = append(d.notes, person+": "+n)
	}
	return nil
}

func (d *diary) Summary(_ context.Context, person string) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.summaries[person], nil
}

func (d *diary) SetSummary(_ context.Context, person, summary string, last int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept = slices.DeleteFunc(d.kept, func(e llm.Exchange) bool { return e.Person == person && e.ID <= last })
	if d.summaries == nil {
		d.summaries = make(map[string]string)
	}
	d.summaries[person] = summary
	return nil
}

// reflecting runs a Reflector for the length of f.
func reflecting(t *testing.T, m *model, d *diary, busy func() bool, f func(*Reflector)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r, err := NewReflector(ReflectorOptions{Chat: m, Journal: d, Busy: busy, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- r.Run(ctx) }()
		f(r)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func never() bool { return false }

func TestDurableNotesAreKeptOnceTheRoomIsQuiet(t *testing.T) {
	m, d := answers(text(`{"notes": ["Anna  likes tea.", " ", "Nothing to note.", "`+strings.Repeat("x", 400)+
		`"], "topics": ["tea", "", "cake  recipes"]}`)), &diary{}
	reflecting(t, m, d, never, func(r *Reflector) {
		r.Add(llm.Exchange{Person: "anna", User: "I like tea", Answer: "Noted."})
		time.Sleep(quiet - time.Second)
		r.Add(llm.Exchange{Person: "anna", User: "and cake", Answer: "Good."})
		time.Sleep(quiet - time.Second)
		synctest.Wait()
		if m.asked() != 0 {
			t.Error("asked while the room was not quiet")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
	})
	equal(t, []string{"anna: Anna likes tea."}, d.notes)
	equal(t, []string{"anna: tea", "anna: cake recipes"}, d.topics)
	if m.asked() != 1 || string(m.requests[0].Schema) != notesSchema ||
		!strings.Contains(m.requests[0].Messages[1].Content, "and cake") {
		t.Errorf("requests %+v", m.requests)
	}
}

// What may hold a stranger's words comes without its answer.
func TestOfATurnWithoutAnAnswerTheModelIsToldWhatThePersonSaid(t *testing.T) {
	m := answers(text(`{"notes": []}`), text("Anna likes tea."))
	reflecting(t, m, &diary{}, never, func(r *Reflector) {
		r.Add(llm.Exchange{User: "I like tea"})
		r.end()
		time.Sleep(quiet + time.Second)
		synctest.Wait()
	})
	if m.asked() != 2 {
		t.Fatalf("asked %d times", m.asked())
	}
	for _, r := range m.requests {
		if said := r.Messages[1].Content; !strings.HasSuffix(said, "User: I like tea\n") {
			t.Errorf("the model is told %q", said)
		}
	}
}

func TestNothingIsKeptOfWhatIsNoAnswer(t *testing.T) {
	for _, answer := range []string{`{"notes": []}`, "Nothing to note.", `{"notes": "x"}`, "", `["Anna likes tea."]`} {
		d := &diary{}
		reflecting(t, answers(text(answer)), d, never, func(r *Reflector) {
			r.Add(llm.Exchange{User: "what time is it", Answer: "Noon."})
			time.Sleep(quiet + time.Second)
			synctest.Wait()
		})
		if len(d.notes) != 0 {
			t.Errorf("%q was noted as %q", answer, d.notes)
		}
	}
}

func TestABusyBoxReflectsLater(t *testing.T) {
	var busy atomic.Bool
	busy.Store(true)
	m := answers(text(`{"notes": ["Anna likes tea."]}`))
	reflecting(t, m, &diary{}, busy.Load, func(r *Reflector) {
		r.Add(llm.Exchange{User: "I like tea", Answer: "Noted."})
		time.Sleep(10 * quiet)
		synctest.Wait()
		if m.asked() != 0 {
			t.Error("asked while the box was busy")
		}
		busy.Store(false)
		time.Sleep(quiet + time.Second)
		synctest.Wait()
		if m.asked() != 1 {
			t.Errorf("%d requests afterwards", m.asked())
		}
	})
}

func TestSummariesAreMergedEveryTenTurnsAndAtTheEnd(t *testing.T) {
	d := &diary{summaries: map[string]string{"": "They like bread."}}
	m := answers(text("They like bread and ", "tea."))
	pause := func() {
		time.Sleep(quiet + time.Second)
		synctest.Wait()
	}
	reflecting(t, m, d, never, func(r *Reflector) {
		for range summaryEvery {
			r.Add(llm.Exchange{User: "tea", Answer: "Yes."})
		}
		pause()
		if got, _ := d.Summary(t.Context(), ""); got != "They like bread and tea." ||
			!strings.Contains(m.request(1).Messages[1].Content, "They like bread.") {
			t.Errorf("summary %q", got)
		}
		r.Add(llm.Exchange{User: "more tea", Answer: "Yes."})
		r.Add(llm.Exchange{Person: "anna", User: "and cake", Answer: "Yes."})
		pause()
		if m.asked() != 4 {
			t.Errorf("%d requests while the conversation goes on", m.asked())
		}
		r.end()
		pause()
		if m.asked() != 6 || strings.Count(m.request(4).Messages[1].Content, "User:") != 1 ||
			d.summaries["anna"] == "" {
			t.Errorf("%d requests at the end of the conversation", m.asked())
		}
		r.end()
		pause()
		if m.asked() != 6 {
			t.Errorf("%d requests after the end", m.asked())
		}
	})
}

// TestARestartLosesNoSummary ends the process in the middle of a conversation, before
// the room was quiet: the next process merges what was said once it has time.
func TestARestartLosesNoSummary(t *testing.T) {
	d := &diary{}
	reflecting(t, answers(text("Too early.")), d, never, func(r *Reflector) {
		r.Add(llm.Exchange{User: "I like tea", Answer: "Good."})
	})
	m := answers(text("They like tea."))
	reflecting(t, m, d, never, func(r *Reflector) {
		time.Sleep(quiet - time.Second)
		synctest.Wait()
		if m.asked() != 0 {
			t.Error("asked before the room was quiet")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
	})
	if d.summaries[""] != "They like tea." || m.asked() != 1 || len(d.kept) != 0 ||
		!strings.Contains(m.request(0).Messages[1].Content, "I like tea") {
		t.Errorf("summary %q after %d requests, %d exchanges wait", d.summaries[""], m.asked(), len(d.kept))
	}
}

func TestASummaryIsPlainSentences(t *testing.T) {
	for text, want := range map[string]string{
		"# Summary\n\n- They **like** tea.\n- And cake": "Summary. They like tea. And cake",
		`{"notes": ["Anna likes tea."]}`:                "Before.",
	} {
		d := &diary{summaries: map[string]string{"": "Before."}}
		reflecting(t, answers(nil, []llm.Delta{{Text: text}}), d, never, func(r *Reflector) {
			r.Add(llm.Exchange{User: "I like tea", Answer: "Good."})
			r.end()
			time.Sleep(quiet + time.Second)
			synctest.Wait()
		})
		if d.summaries[""] != want {
			t.Errorf("%q: summary %q", text, d.summaries[""])
		}
	}
}

func TestASummaryThatFailedIsMadeWithTheNextTurn(t *testing.T) {
	d := &diary{}
	m := &model{answer: func(_ context.Context, n int, yield func(llm.Delta, error) bool) {
		if n <= 2 { // the notes, and the summary
			yield(llm.Delta{}, errors.New("gone"))
			return
		}
		yield(llm.Delta{Text: "They like tea and cake."}, nil)
	}}
	reflecting(t, m, d, never, func(r *Reflector) {
		r.Add(llm.Exchange{User: "I like tea", Answer: "Good."})
		r.end()
		time.Sleep(quiet + time.Second)
		r.Add(llm.Exchange{User: "and cake", Answer: "Good."})
		time.Sleep(quiet + time.Second)
		synctest.Wait()
	})
	if last := m.request(m.asked() - 1).Messages[1].Content; d.summaries[""] != "They like tea and cake." ||
		!strings.Contains(last, "I like tea") || !strings.Contains(last, "and cake") {
		t.Errorf("summary %q of %q", d.summaries[""], last)
	}
}

func TestWhatIsForgottenIsNotWrittenAnyMore(t *testing.T) {
	d := &diary{}
	m := &model{answer: func(_ context.Context, _ int, yield func(llm.Delta, error) bool) {
		time.Sleep(time.Minute)
		yield(llm.Delta{Text: `{"notes": ["The gift is a bike."], "topics": ["gifts"]}`}, nil)
	}}
	reflecting(t, m, d, never, func(r *Reflector) {
		r.Add(llm.Exchange{User: "the gift is a bike"})
		r.end()
		time.Sleep(quiet + time.Second)
		r.Add(llm.Exchange{User: "and a helmet"})
		r.Forget()
		d.forget()
		time.Sleep(time.Hour)
		synctest.Wait()
	})
	if len(d.notes) != 0 || len(d.topics) != 0 || len(d.summaries) != 0 || m.asked() != 1 {
		t.Errorf("noted %q, topics %q, summaries %q after %d requests", d.notes, d.topics, d.summaries, m.asked())
	}
}

func TestAFailedSummaryKeepsTheOldOne(t *testing.T) {
	d := &diary{summaries: map[string]string{"": "They like bread."}}
	m := &model{answer: func(_ context.Context, _ int, yield func(llm.Delta, error) bool) {
		yield(llm.Delta{}, errors.New("gone"))
	}}
	reflecting(t, m, d, never, func(r *Reflector) {
		r.Add(llm.Exchange{User: "tea", Answer: "Yes."})
		r.end()
		time.Sleep(quiet + time.Second)
		synctest.Wait()
	})
	if d.summaries[""] != "They like bread." {
		t.Errorf("summary %q", d.summaries[""])
	}
}

func TestWhatIsSaidInPrivateIsNotReflectedOn(t *testing.T) {
	for request, want := range map[string]bool{
		"don't remember this: the gift is a bike": true, "Off the record, I hate peas.": true,
		"please forget that":                   true,
		"don't forget that Anna is vegetarian": false, "I remember the sea": false, "save the date": false,
		"Don’t remember this: the gift is a bike":           true, // as phones write it
		"Merk dir das nicht: Das Geschenk ist ein Fahrrad.": true, "Das bleibt unter uns, ich mag keine Erbsen.": true,
		"bitte vergiss das wieder": true, "Das sollst du dir nicht merken.": true, "Behalt das für dich": true,
		"Vergiss nicht, dass Anna vegetarisch isst.": false, "merk dir, dass ich Anna heiße": false,
		"Ich habe eine Frage für dich": false, "Wer wohnt unter uns?": false,
	} {
		if Private(request) != want {
			t.Errorf("%q: private %v", request, !want)
		}
	}
	m := answers(text(`{"notes": ["The gift is a bike."]}`))
	reflecting(t, m, &diary{}, never, func(r *Reflector) {
		r.Add(llm.Exchange{User: "don't remember this: the gift is a bike"})
		time.Sleep(time.Hour)
		synctest.Wait()
	})
	if m.asked() != 0 {
		t.Error("the model was asked about it")
	}
}
