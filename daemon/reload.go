package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hearthd/config"
	"hearthd/daemon/api"
	"hearthd/daemon/dialogue"
	"hearthd/daemon/ears"
	"hearthd/daemon/engines"
	"hearthd/daemon/health"
	"hearthd/daemon/recall"
	"hearthd/daemon/sentences"
	"hearthd/daemon/thinkers"
	"hearthd/daemon/timeline"
	"hearthd/systemd"
	"hearthd/tools"
	"hearthd/tools/intent"
	"hearthd/vad"
)

// applyLimit bounds each question to the dialogue while a reload is applied.
const applyLimit = 5 * time.Second

// reloader applies what changed in the configuration and in the files that it names. All of it is
// read and checked before any of it is applied: a mistake leaves everything as it was. One reload
// runs at a time.
type reloader struct {
	*base
	assistant *assistant
	ears      *ears.Ears
	guests    *guests
	dialogue  *dialogue.Dialogue
	turns     *timeline.Recorder
	recall    *recall.Recollection
	up        <-chan struct{} // closed when hearthd is up

	tuned atomic.Bool // some settings in force are not from the files

	mu      sync.Mutex
	origins config.Origins // of the settings in force
	waiting []string       // keys that wait for a restart
}

// Run reloads when it is asked to, once hearthd is up: systemd would take the end of a reload for
// the end of the start. Several requests that come meanwhile are one.
func (r *reloader) Run(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-r.up:
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-r.opt.Hangup:
			if _, err := r.Reload(ctx); err != nil && ctx.Err() == nil {
				r.log.Error("reload", "component", "config", "error", err)
			}
		}
	}
}

// adjust gives the box's ears, and those of every guest, new settings.
func (r *reloader) adjust(s *vad.Settings) {
	r.ears.Adjust(s)
	r.guests.adjust(s)
}

// staged is what a reload found, checked and not yet applied.
type staged struct {
	config   config.Config
	origins  config.Origins
	services []tools.Tool
	declared []tools.Tool
	matcher  *intent.Matcher
	left     []intent.Left // sentences that can only be typed
	thinkers thinkers.Files
	ears     *vad.Settings
}

// Reload implements what control asks for. Mistakes are in the answer; an error says what went
// wrong in applying a configuration without mistakes.
func (r *reloader) Reload(ctx context.Context) (api.Reloaded, error) {
	if r.opt.Load == nil {
		return api.Reloaded{}, errors.New("reload: nothing says where the configuration is")
	}
	// Before that, systemd would take the end of the reload for the end of the start.
	select {
	case <-r.up:
	case <-ctx.Done():
		return api.Reloaded{}, context.Cause(ctx)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notify(r.opt.Notifier.Reloading)
	defer r.notify(r.opt.Notifier.Ready)
	s, mistakes := r.stage()
	if len(mistakes) > 0 {
		return r.refuse(mistakes), nil
	}
	done, err := r.apply(ctx, s)
	if err != nil {
		return api.Reloaded{}, err
	}
	r.conditions.Clear("configuration")
	r.log.Info("configuration reloaded", "component", "config", "message_id", systemd.MessageReloaded,
		"applied", strings.Join(done.Applied, " "), "restart", strings.Join(done.Restart, " "))
	return done, nil
}

func (r *reloader) notify(tell func() error) {
	if err := tell(); err != nil {
		r.log.Warn("tell systemd", "component", "systemd", "error", err)
	}
}

// refuse reports mistakes wherever somebody may look.
func (r *reloader) refuse(mistakes []error) api.Reloaded {
	out := api.Reloaded{Applied: []string{}, Restart: slices.Clone(r.waiting)}
	for _, m := range mistakes {
		out.Problems = append(out.Problems, m.Error())
		r.log.Error("configuration refused, the running one stays", "component", "config",
			"message_id", systemd.MessageMistake, "error", m)
	}
	r.conditions.Set("configuration", health.Error,
		fmt.Sprintf("The configuration has mistakes (%d), and the one before them holds; the first: %s.", len(mistakes),
			out.Problems[0]))
	return out
}

// stage reads everything that a reload may apply.
func (r *reloader) stage() (s *staged, mistakes []error) {
	s = &staged{}
	var err error
	s.config, s.origins, err = r.opt.Load()
	if err != nil {
		return nil, problems(err)
	}
	if s.ears, err = r.ears.Settings(engines.Segmenting(&s.config.Listen)); err != nil {
		mistakes = append(mistakes, err)
	}
	mistakes = append(mistakes, s.tools(r)...)
	if r.assistant.thinker == nil && r.assistant.responder == nil {
		return s, mistakes
	}
	var wrong []error
	s.thinkers, wrong = thinkers.Read(&s.config)
	return s, append(append(mistakes, wrong...), s.thinkers.Unprovided(r.cfg)...)
}

// problems are what is wrong with a configuration that cannot be loaded.
func problems(err error) []error {
	var list config.Problems
	if !errors.As(err, &list) {
		return []error{err}
	}
	var all []error
	for _, p := range list {
		all = append(all, errors.New(p.String()))
	}
	return all
}

// tools makes the tools that can change, and the sentences for them.
func (s *staged) tools(r *reloader) (mistakes []error) {
	var err error
	if s.services, err = r.serviceTools(&s.config, r.recall, r.assistant.homes); err != nil {
		mistakes = append(mistakes, err)
	}
	registry := r.assistant.registry.Without(append(slices.Clone(r.assistant.declared),
		*r.assistant.services.Load()...)...)
	if err := registry.Register(s.services...); err != nil {
		return append(mistakes, err)
	}
	loaded, wrong := tools.LoadDir(registry, s.config.Tools.Dir)
	for _, m := range wrong {
		mistakes = append(mistakes, m)
	}
	s.declared = r.offered(loaded)
	return append(mistakes, s.sentences(r, sentences.Triggers(registry))...)
}

// sentences makes the matcher. A word that the recogniser does not know would leave it with the old
// sentences. In the wake phrase that is a mistake; another sentence with such a word can only be
// typed.
func (s *staged) sentences(r *reloader, triggers []intent.Trigger) []error {
	c := s.config
	c.Tools.Intents.Language = r.cfg.Tools.Intents.Language // the language of the answers
	m, err := intent.New(sentences.Of(&c, triggers))
	if err != nil {
		return []error{err}
	}
	if wrong := sentences.Mistakes(&c, m); len(wrong) > 0 {
		return wrong
	}
	s.matcher = m
	if l, ok := r.assistant.hears.(*sentences.Learner); ok {
		if s.left, err = l.Try(context.Background(), m); err != nil {
			return []error{err}
		}
	}
	return nil
}

// apply applies what was staged, and says which keys it could apply and which not.
func (r *reloader) apply(ctx context.Context, s *staged) (api.Reloaded, error) {
	h := r.assistant
	was := r.now()
	now := *was
	out := api.Reloaded{Applied: []string{}, Restart: []string{}}
	for _, key := range config.Changed(was, &s.config) {
		if !r.changesLive(key) {
			out.Restart = append(out.Restart, key)
			s.origins = s.origins.Keep(key, r.origins)
			continue
		}
		now.Take(key, &s.config)
		out.Applied = append(out.Applied, key)
	}
	names := append(slices.Clone(h.declared), *h.services.Load()...)
	if err := h.registry.Replace(names, append(slices.Clone(s.services), s.declared...)...); err != nil {
		return out, fmt.Errorf("take over tools: %w", err)
	}
	services := toolNames(s.services)
	h.services.Store(&services)
	had, has := slices.Concat(h.declared, h.matcher.Intents()), toolNames(s.declared)
	h.declared = has
	r.conditions.Clear("tools")
	h.matcher.Replace(s.matcher)
	has = slices.Concat(has, h.matcher.Intents())
	out.Came, out.Gone = without(has, had), without(had, has)
	r.sentences.Tell(nil, s.left)
	if err := r.teach(s); err != nil {
		return out, err
	}
	r.live.Store(&now)
	r.secrets.Drop(&now)
	r.tuned.Store(false)
	r.adjust(s.ears)
	r.origins, r.waiting = s.origins, out.Restart
	r.reloaded.Add(1)
	r.tellWaiting()
	return out, r.applyDialogue(ctx, was, &now)
}

// without are the names of list that others do not have.
func without(list, others []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(name string) bool { return slices.Contains(others, name) })
}

// teach gives the thinkers and the responder what was staged.
func (r *reloader) teach(s *staged) error {
	if th := r.assistant.thinker; th != nil {
		if err := th.Teach(s.thinkers); err != nil {
			return fmt.Errorf("take over thinkers: %w", err)
		}
		for _, g := range r.guests.all() {
			if err := g.thinkers.Teach(s.thinkers); err != nil {
				return fmt.Errorf("take over thinkers of a guest: %w", err)
			}
		}
	}
	r.conditions.Clear("thinkers")
	if r.assistant.responder == nil {
		return nil
	}
	if err := r.assistant.responder.Learn(s.thinkers.Domains, s.thinkers.Prompts); err != nil {
		return fmt.Errorf("take over thinkers: %w", err)
	}
	return nil
}

// applyDialogue applies the settings of the dialogue and of the log.
func (r *reloader) applyDialogue(ctx context.Context, was, now *config.Config) error {
	ctx, cancel := context.WithTimeout(ctx, applyLimit)
	defer cancel()
	if r.opt.Level != nil {
		var level slog.Level
		if err := level.UnmarshalText([]byte(now.Log.Level)); err != nil {
			return err
		}
		r.opt.Level.Set(level)
	}
	r.limitSounds(r.turns)
	err := r.dialogue.SetWindow(ctx, now.Wake.FollowUp, now.Wake.Chime)
	for _, g := range r.guests.all() {
		if gerr := g.dialogue.SetWindow(ctx, now.Wake.FollowUp, now.Wake.Chime); gerr != nil {
			r.log.Debug("apply reload to guest", "component", "talk", "error", gerr) // who may have left
		}
	}
	if now.Audio.Volume != was.Audio.Volume {
		err = errors.Join(err, r.dialogue.SetVolume(ctx, now.Audio.Volume))
	}
	return err
}

// tellWaiting keeps the condition about keys that wait for a restart.
func (r *reloader) tellWaiting() {
	text := ""
	if len(r.waiting) > 0 {
		text = "Changed in the configuration, and waiting for a restart: " + strings.Join(r.waiting, ", ") + "."
	}
	r.conditions.Keep("restart", health.Warning, text)
}

// changesLive reports whether a key takes effect without a restart.
func (r *reloader) changesLive(key string) bool {
	switch key {
	case "route.policy":
		return r.assistant.responder != nil
	case "log.level":
		return r.opt.Level != nil
	}
	return slices.ContainsFunc(liveKeys(), func(k string) bool {
		return key == k || strings.HasSuffix(k, ".") &&
			strings.HasPrefix(key, k)
	})
}

// liveKeys are the keys, and the groups of keys, that a reload applies.
func liveKeys() []string {
	return []string{
		"audio.volume",
		"listen.threshold", "listen.release", "listen.pre_roll", "listen.min_speech", "listen.end_silence",
		"listen.max_utterance",
		"console.recordings",
		"wake.phrase", "wake.follow_up", "wake.chime",
		"route.at_home", "route.hours", "route.thinker_hours", "responder.daily", "responder.monthly",
		"tools.dir", "tools.home.entrances", "tools.home.no_entrances", "tools.intents.dir", "tools.quiet_hours",
		"tools.weather.", "tools.news.", "tools.stocks.", "tools.search.", "tools.pubmed.", "tools.calendar.",
		"thinker.dir", "thinker.prompts",
	}
}
