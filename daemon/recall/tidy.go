package recall

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"hearthd/llm"
	"hearthd/memory"
)

const (
	// vectorBatch is how many notes are embedded in one request, and vectorBatches how many
	// requests are made at a time: an import has its vectors within hours.
	vectorBatch, vectorBatches = 32, 100
	// tidyEvery is how often the uses of notes and the activity of people are written, which
	// costs the memory card one write for all of them.
	tidyEvery = 5 * time.Minute
	// tidySoon is the pause after notes were added or forgotten before vectors and a backup are
	// made, because one command may bring several.
	tidySoon = 2 * time.Second
	// backupEvery is how often a copy of the database is made, if it has changed.
	backupEvery = 24 * time.Hour
	// sessionGap is the pause after which a new session of a person begins.
	sessionGap = time.Hour
	// lastLimit bounds the last write, at the end.
	lastLimit = time.Second
	// maxRecent is how many topics of a person are kept, the newest.
	maxRecent = 10
)

// signals say how a person uses the box.
type signals struct {
	first, last time.Time // of the turns since the last write
	sessions    int       // that began in between
	topics      []string  // the newest first
}

// Heard takes note that a person had a turn.
func (r *Recollection) Heard(ask llm.Ask) { r.seen(ask.Person, time.Now()) }

// seen notes that a person had a turn.
func (r *Recollection) seen(person string, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.signal(person)
	switch {
	case s.first.IsZero():
		s.first = now
	case now.Sub(s.last) > sessionGap:
		s.sessions++
	}
	s.last = now
}

// signal returns the signals of a person. The caller holds mu.
func (r *Recollection) signal(person string) *signals {
	s := r.signals[person]
	if s == nil {
		s = new(signals)
		r.signals[person] = s
	}
	return s
}

// AddTopics notes what was talked about.
func (r *Recollection) AddTopics(_ context.Context, person string, topics []string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.signal(person)
	s.topics = newestTopics(topics, s.topics)
	return nil
}

// newestTopics puts fresh topics before old ones, each once.
func newestTopics(fresh, old []string) []string {
	var out []string
	for _, t := range slices.Concat(fresh, old) {
		if !slices.ContainsFunc(out, func(o string) bool { return strings.EqualFold(o, t) }) {
			out = append(out, t)
		}
	}
	return out[:min(len(out), maxRecent)]
}

// Erased has a backup made soon, in place of those that were erased.
func (r *Recollection) Erased() { r.ring() }

// ring asks for tidying soon.
func (r *Recollection) ring() {
	r.embedded.Store(false)
	r.bell.Ring()
}

// Run tidies until ctx ends, and then writes the signals once more.
func (r *Recollection) Run(ctx context.Context) error {
	tick := time.NewTicker(tidyEvery)
	defer tick.Stop()
	soon := time.NewTimer(tidySoon) // also at the start: some notes may have no vector
	defer soon.Stop()
	var backup time.Time
	for {
		select {
		case <-ctx.Done():
			wctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastLimit)
			defer cancel()
			r.warn(wctx, "write signals", r.writeSignals(wctx))
			return nil
		case <-r.bell:
			soon.Reset(tidySoon)
		case <-soon.C:
			if !r.opt.Quiet() {
				soon.Reset(tidySoon)
				continue
			}
			r.warn(ctx, "embed notes", r.embed(ctx))
			if !r.opt.Store.BackedUp() {
				backup = r.backUp(ctx)
			}
		case now := <-tick.C:
			if !r.opt.Quiet() {
				continue
			}
			r.warn(ctx, "tidy memory", r.tidy(ctx))
			if now.Sub(backup) >= backupEvery {
				backup = r.backUp(ctx)
			}
		}
	}
}

func (r *Recollection) warn(ctx context.Context, what string, err error) {
	if err != nil && ctx.Err() == nil {
		r.opt.Log.WarnContext(ctx, what, "component", "memory", "error", err)
	}
}

func (r *Recollection) backUp(ctx context.Context) time.Time {
	_, err := r.opt.Store.Backup(ctx)
	r.warn(ctx, "back up memory", err)
	return time.Now()
}

// tidy writes uses and signals, embeds new notes and empties the write-ahead log of the
// database.
func (r *Recollection) tidy(ctx context.Context) error {
	r.mu.Lock()
	used := r.used
	r.used = make(map[int64]time.Time)
	r.mu.Unlock()
	if len(used) > 0 {
		if err := r.opt.Store.UseNotes(ctx, time.Now(), slices.Collect(maps.Keys(used))...); err != nil {
			return err
		}
	}
	return errors.Join(r.writeSignals(ctx), r.embed(ctx), r.opt.Store.Checkpoint(ctx))
}

// writeSignals adds the signals of people to what is stored about them. It holds the lock, so that
// nothing is written that is being forgotten right now.
func (r *Recollection) writeSignals(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for person, s := range r.signals {
		err := r.opt.Store.ChangePerson(ctx, person, func(p *memory.Person) {
			if !s.first.IsZero() {
				if s.first.Sub(p.LastActive) > sessionGap {
					p.Sessions++
				}
				p.Sessions, p.LastActive = p.Sessions+s.sessions, s.last
			}
			p.Topics = newestTopics(s.topics, p.Topics)
		})
		if err != nil {
			return err
		}
		delete(r.signals, person)
	}
	return nil
}

// Forget drops what is in memory of people and of requests.
func (r *Recollection) Forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.signals)
	r.named = naming{}
	if r.opt.Meanings != nil {
		r.opt.Meanings.Forget()
	}
}

// embed gives vectors to notes that have none, while nobody is talking.
func (r *Recollection) embed(ctx context.Context) error {
	for range vectorBatches {
		if r.opt.Meanings == nil || !r.opt.Quiet() || r.embedded.Load() {
			return nil
		}
		if more, err := r.vectorise(ctx); err != nil || !more {
			return err
		}
	}
	return nil
}

// vectorise embeds the newest notes that have no vector yet, and reports whether there may be
// more.
func (r *Recollection) vectorise(ctx context.Context) (more bool, err error) {
	r.embedded.Store(true) // before the query: a note that is added after it resets this
	notes, err := r.opt.Store.Unvectored(ctx, r.opt.Model, vectorBatch)
	if err != nil || len(notes) > 0 {
		r.embedded.Store(false)
	}
	if err != nil || len(notes) == 0 {
		return false, err
	}
	texts := make([]string, len(notes))
	for i, n := range notes {
		texts[i] = n.Text
	}
	vs, err := r.opt.Meanings.Embed(ctx, texts)
	if err != nil {
		return false, nil // the model is away; the notes wait
	}
	vectors := make(map[int64][]float32, len(notes))
	for i, n := range notes {
		vectors[n.ID] = vs[i]
	}
	return len(notes) == vectorBatch, r.opt.Store.SetVectors(ctx, r.opt.Model, vectors)
}
