// Package daemon is the composition root of hearthd: New checks the options, Run
// builds every part, wires them together, and runs them as an ordered list until
// its context ends. It is the only package that knows all the others.
package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"

	"hearthd/config"
	"hearthd/daemon/dialogue"
	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/footprint"
	"hearthd/daemon/journal"
	"hearthd/daemon/manager"
	"hearthd/daemon/mqtt"
	"hearthd/daemon/music"
	"hearthd/daemon/prints"
	"hearthd/daemon/recall"
	"hearthd/daemon/sentences"
	"hearthd/daemon/settings"
	"hearthd/daemon/sharing"
	"hearthd/daemon/state"
	"hearthd/daemon/supervise"
	"hearthd/daemon/timeline"
	"hearthd/daemon/timers"
	"hearthd/media"
	"hearthd/media/program"
	"hearthd/media/source"
	"hearthd/memory"
	"hearthd/tools"
	"hearthd/tools/fetch"
	mediatools "hearthd/tools/media"
)

// Daemon is one hearthd.
type Daemon struct {
	*base
	end       context.CancelCauseFunc // of Run
	numbers   atomic.Uint64           // the highest turn id that was ever given
	settings  *settings.Settings
	store     *memory.Store
	recall    *recall.Recollection
	sound     *sound
	prints    *prints.Prints
	timers    *timers.Timers
	media     *music.Music
	sources   *source.Sources
	pipelines pipelines
	peers     *sharing.Peers
	assistant *assistant
	dialogue  *dialogue.Dialogue
	turns     *timeline.Recorder
	traces    []supervise.Part // of the turns, sent to a collector
	broker    *mqtt.Bridge
}

// New checks the options and opens nothing.
func New(opt Options) (*Daemon, error) {
	b, err := newBase(opt)
	if err != nil {
		return nil, err
	}
	return &Daemon{base: b}, nil
}

// Run is hearthd from start to stop. It returns nil when ctx ended and everything was released.
func (d *Daemon) Run(ctx context.Context) error {
	if err := os.MkdirAll(d.opt.RuntimeDir, 0o750); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	ctx, d.end = context.WithCancelCause(ctx)
	defer d.end(nil)
	// These come first, because they show whether another hearthd uses the folders.
	var err error
	if d.folder, err = state.Hold(d.opt.StateDir, d.log); err != nil {
		return err
	}
	defer d.folder.Close()
	socket, err := d.openSocket()
	if err != nil {
		return err
	}
	parts, err := d.build(ctx, socket)
	if err != nil {
		return errors.Join(err, socket.Close())
	}
	if err := supervise.Run(ctx, d.log, parts...); err != nil {
		return err
	}
	if errors.Is(context.Cause(ctx), ErrRestart) {
		return ErrRestart
	}
	return nil
}

// build makes every part, each from parts that are finished, and returns them in the order in which
// they start. The control API closes socket.
func (d *Daemon) build(ctx context.Context, socket net.Listener) ([]supervise.Part, error) {
	events := d.bus.Subscribe("journal", journal.Queue)
	for _, next := range []func(context.Context) error{
		d.buildMemory, d.buildSound, d.buildTimers, d.buildPeers, d.buildMusic, d.buildAssistant, d.buildDialogue,
	} {
		if err := next(ctx); err != nil {
			return nil, err
		}
	}
	manager, err := manager.New(manager.Options{
		Notifier: d.opt.Notifier, Watchdog: d.opt.Watchdog, Begun: d.begun, Ears: d.sound.ears, Turns: d.dialogue,
		Bus: d.bus, Conditions: d.conditions, Log: d.log,
	})
	if err != nil {
		return nil, err
	}
	a := d.assistant
	guests := &guests{
		base: d.base, assistant: a, settings: d.settings, timers: d.timers, recall: d.recall, numbers: &d.numbers,
	}
	d.holders.Add(d.recall.Forget, d.turns.Forget, d.engines.Forget, d.tail.Forget, guests.forget)
	reloads := &reloader{
		base: d.base, assistant: a, ears: d.sound.ears, guests: guests, dialogue: d.dialogue, turns: d.turns,
		recall: d.recall,
		up:     manager.Up(), origins: d.opt.Origins,
	}
	if d.opt.Mistakes != nil {
		reloads.refuse(problems(d.opt.Mistakes))
	}
	external, err := d.buildExternal(socket, guests, reloads)
	if err != nil {
		return nil, err
	}
	hardware, err := d.hardware(d.dialogue, d.media)
	if err != nil {
		return nil, err
	}
	return slices.Concat([]supervise.Part{
		{Name: "journal", Policy: supervise.Restart, Run: journal.New(events, d.store, d.conditions, d.log).Run},
		{Name: "timeline", Policy: supervise.Restart, Run: d.turns.Run},
		{Name: "memory", Policy: supervise.Restart, Run: d.recall.Run},
		{Name: "playback", Policy: supervise.Fatal, Run: d.sound.playback.Run},
		{Name: "tools", Policy: supervise.Fatal, Run: a.finish},
		{Name: "dialogue", Policy: supervise.Fatal, Run: d.dialogue.Run},
	}, d.media.Parts(), a.thinker.Parts(), d.engines.Parts(), a.responder.Parts(), a.sources, a.homes.parts,
		a.devices.Parts(), hardware, d.timers.Parts(d.dialogue, d.media, d.sound.speaker), external,
		d.sound.ears.Parts(d.dialogue.SetMicrophone), d.traces,
		[]supervise.Part{
			{Name: "ready", Policy: supervise.Fatal, Run: manager.Tell},
			{Name: "reload", Policy: supervise.Restart, Run: reloads.Run},
			{Name: "memory pages", Policy: supervise.Restart, Run: func(ctx context.Context) error {
				return footprint.Run(ctx, footprint.Options{Up: manager.Up(), Quiet: d.activity.Quiet, Log: d.log})
			}},
			{Name: "zone", Policy: supervise.Restart, Run: d.keepZone},
			{Name: "watchdog", Policy: supervise.Fatal, Run: manager.Watch},
		}), nil
}

// buildMemory opens the store, and reads the settings that people chose.
func (d *Daemon) buildMemory(ctx context.Context) (err error) {
	if d.turns, d.traces, err = d.newTurns(); err != nil {
		return err
	}
	if d.store, err = d.folder.Open(ctx, state.Options{
		Spare: d.opt.RuntimeDir, Conditions: d.conditions, Memory: memory.Options{
			KeepTurns: d.cfg.Memory.Turns, KeepNotes: d.cfg.Memory.Notes, MaxBytes: int64(d.cfg.Memory.MaxMB) << 20,
			Log: d.log,
		},
	}); err != nil {
		return err
	}
	if d.settings, err = settings.Open(ctx, settings.Options{
		Store: d.store, Bus: d.bus, Volume: d.cfg.Audio.Volume, Words: d.cfg.Wake.Choices(),
		Responder: d.cfg.Choices() != nil,
		Quiet:     d.quietHour,
	}); err != nil {
		return err
	}
	meanings, model, err := d.engines.Meanings()
	d.recall = recall.New(recall.Options{
		Store: d.store, Quiet: d.activity.Quiet, Meanings: meanings, Model: model, Log: d.log,
		Home: memory.Profile{Place: d.cfg.Memory.Place, Units: d.cfg.Memory.Units},
	})
	return err
}

// buildSound makes the microphone, the speaker and what is between.
func (d *Daemon) buildSound(context.Context) (err error) {
	if d.sound, err = d.newSound(d.settings.Heeds); err != nil {
		return err
	}
	d.prints, err = prints.New(prints.Options{
		Server: d.cfg.Memory.Voices, Store: d.store, People: d.cfg.Memory.People, Recorder: d.sound.ears.Recorder,
		Erased: d.recall.Erased, Conditions: d.conditions, Log: d.log,
	})
	return err
}

// buildTimers makes what ends, rings or is due.
func (d *Daemon) buildTimers(context.Context) (err error) {
	d.timers, err = timers.New(timers.Options{
		Store: d.store, Bus: d.bus, Conditions: d.conditions, Location: d.zone, Book: d.book,
		Area: d.cfg.MQTT.Area, Snooze: d.cfg.Tools.Ring.Snooze, Log: d.log,
		Station: func(name string) (string, bool) { return d.media.Station(name) },
	})
	return err
}

// buildPeers makes the part that knows the other boxes, and the matcher, which knows their names.
func (d *Daemon) buildPeers(context.Context) (err error) {
	d.assistant = &assistant{registry: tools.NewRegistry(d.book), matcher: sentences.NewMatcher(nil, d.settings.Heeds)}
	d.peers, err = sharing.New(sharing.Options{
		Config: &d.cfg.MQTT, Node: d.node, Timers: d.timers.Timers, Announce: d.speakers.Announce, Quiet: d.settings.Quiet,
		Names: d.assistant.matcher, Book: d.book, Level: d.sound.ears.Level, Log: d.log,
	})
	return err
}

// web asks stations and podcasts.
func (d *base) web() *fetch.Client {
	return fetch.New(fetch.Options{UserAgent: "hearthd/" + cmp.Or(d.opt.Version, "dev")})
}

// buildMusic makes what plays radio and music.
func (d *Daemon) buildMusic(ctx context.Context) (err error) {
	d.sources, err = source.New(source.Options{
		Client: d.web(), FFmpeg: d.cfg.Media.Decoder, Log: d.log,
	})
	if err != nil {
		return err
	}
	pipe := d.cfg.Media.Everywhere
	if !filepath.IsAbs(pipe) { // it is at another box
		pipe = ""
	}
	d.media, err = music.New(ctx, music.Options{
		Mixer: d.sound.mixer, Wake: d.sound.playback.Wake, Dead: d.sound.dead,
		Source: d.sources, Decoder: d.cfg.Media.Decoder,
		Stations: d.cfg.Media.Stations, Sources: programs(d.cfg.Media.Sources), Folder: d.cfg.Media.Folder, Pipe: pipe,
		Store: d.store, Volume: d.cfg.Media.Volume,
		Sentence: func(it media.Item, err error) string { return mediatools.Failed(d.book, it, err) },
		Matcher:  d.assistant.matcher, Announce: d.speakers.Announce, Conditions: d.conditions, Bus: d.bus, Log: d.log,
	})
	return err
}

// programs are the other players, as the configuration names them.
func programs(list []config.MediaSource) (all []program.Source) {
	for _, s := range list {
		width := 2
		if s.Format == "s32le" {
			width = 4
		}
		all = append(all, program.Source{Name: s.Name, Command: s.Command, FIFO: s.FIFO, Rate: cmp.Or(s.Rate, 44100),
			Width: width, Channels: cmp.Or(s.Channels, 2), Always: s.When == "always", Live: s.Clock == "program"})
	}
	return all
}

// buildDialogue joins ears, thinkers, tools and voice.
func (d *Daemon) buildDialogue(ctx context.Context) error {
	h := d.assistant
	last, err := d.store.LastTurn(ctx)
	if err != nil {
		return err
	}
	d.numbers.Store(last)
	a := d.answers(h, d.bus, d.sound.voice, d.timers, d.recall)
	if h.thinker != nil {
		a.Thinker = h.thinker
	}
	if h.responder != nil {
		a.Responder, a.Guard = h.responder.Own(), h.responder.Own()
	}
	// It does nothing for a browser that talks.
	if agent, c := h.homes.agent, &d.cfg.Tools.Home; agent != nil && c.Conversation && c.Source != "off" {
		if a.Agent, err = newOwnAgent(agent, h.devices, d.book, d.cfg.STT.Language); err != nil {
			return err
		}
	}
	answers, err := answer.New(a)
	if err != nil {
		return err
	}
	o := dialogue.Options{
		Book: d.book,
		Log:  d.log, Bus: d.bus, Recogniser: d.engines.Hearing(h.hears), Voice: d.sound.voice, Answers: answers,
		Matcher: h.matcher,
		Inbox:   d.sound.inbox, Ears: d.sound.ears,
		Wake: dialogue.Wake{
			Engine: d.cfg.Wake.Engine, NoDetector: d.sound.sense.NoDetector(), FollowUp: d.cfg.Wake.FollowUp,
			Chime: d.cfg.Wake.Chime,
		},
		Transcripts: d.cfg.Log.Transcripts, People: d.cfg.Memory.People,
		Settings: d.settings, Activity: d.activity, Turns: &d.numbers, Recordings: &d.turns.Sounds,
		Waking: d.timers.Waking, StopMedia: d.media.Stop,
	}
	if o.Wake.NoDetector && o.Wake.Engine == dialogue.WakePhrase {
		o.Wake.Engine = dialogue.WakeButton
	}
	if d.cfg.MQTT.House != "" {
		o.Peers = d.peers
	}
	if h.responder != nil {
		o.Responder = h.responder.Own()
	}
	if d.cfg.Satellite.Listen != "" {
		o.House = &d.pipelines
	}
	if d.cfg.Memory.Voices != "" {
		o.Voices = d.prints
	}
	if d.dialogue, err = dialogue.New(o); err != nil {
		return err
	}
	d.speakers.Enter("", d.dialogue)
	return nil
}
