package daemon

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"hearthd/audio/device"
	"hearthd/daemon/dialogue"
	"hearthd/daemon/health"
	"hearthd/llm"
	"hearthd/llm/guard"
	"hearthd/llm/stt"
	"hearthd/tools"
	"hearthd/tools/calc"
	"hearthd/tools/clock"
	"hearthd/tools/list"
	"hearthd/tools/random"
	"hearthd/tools/remember"
	"hearthd/tools/units"
)

// house is what hearthd can do, and how it understands what to do.
type house struct {
	registry *tools.Registry
	exec     *tools.Executor
	toolbox  *dialogue.Toolbox
	matcher  *matching
	hears    stt.Engine
	thinker  *mind                        // nil: there is none
	consult  atomic.Pointer[consultation] // nil: there is nobody to consult
	cloud    *cloud                       // nil: there is no responder
	declared []string                     // names of the tools that manifests declare
	services atomic.Pointer[[]string]     // names of those that ask somebody, or keep a calendar
	devices  *devices
}

func (d *Daemon) buildHouse(ctx context.Context) (*house, error) {
	h := &house{registry: tools.NewRegistry()}
	zone, err := time.LoadLocation(d.cfg.Tools.Timezone)
	if err != nil {
		return nil, fmt.Errorf("load time zone: %w", err)
	}
	if d.cfg.Tools.Timezone == "" {
		zone = time.Local
	}
	if err := d.buildTimers(zone); err != nil {
		return nil, err
	}
	clockTools, err := clock.New(clock.Options{Location: zone, Hour24: d.cfg.Tools.Clock24h})
	if err != nil {
		return nil, err
	}
	listTools, err := list.New(list.Options{Store: d.store})
	if err != nil {
		return nil, err
	}
	memoryTools, err := remember.New(owner{d.recall, func() { d.forgetProcess(h) }})
	if err != nil {
		return nil, err
	}
	serviceTools, err := d.serviceTools(d.cfg)
	if err != nil {
		return nil, err
	}
	calendarTools, err := d.calendarTools(d.cfg)
	if err != nil {
		return nil, err
	}
	for _, t := range [][]tools.Tool{d.sharedTimers(d.timers.Tools()), clockTools, d.sharedLists(listTools), {units.New(units.Options{British: d.british(zone)}), calc.New()}, random.New(random.Options{}), memoryTools, d.speakerTools(h), d.announceTools(), serviceTools, calendarTools} {
		if err := h.registry.Register(t...); err != nil {
			return nil, err
		}
	}
	services := toolNames(append(serviceTools, calendarTools...))
	h.services.Store(&services)
	// Declared tools come last, so that they cannot take the name of one of ours.
	h.declared = d.declaredTools(h.registry)
	if h.exec, err = tools.NewExecutor(tools.ExecutorOptions{Registry: h.registry, Log: d.log, Person: dialogue.Person}); err != nil {
		return nil, err
	}
	h.toolbox = dialogue.NewToolbox(d.bus, hands{h}, d.cfg.Log.Transcripts)
	if err := d.buildUnderstanding(h); err != nil {
		return nil, err
	}
	if h.devices, err = d.buildHome(ctx, h); err != nil {
		return nil, err
	}
	if h.thinker, err = d.buildMind(h, zone); err != nil {
		return nil, err
	}
	h.cloud, err = d.buildResponder(ctx, h)
	return h, err
}

// toolsEnd is how long tools that outlived their turn may take at the end.
const toolsEnd = time.Second

// finish waits, once ctx has ended, for tools that outlived their turn.
func (h *house) finish(ctx context.Context) error {
	<-ctx.Done()
	wctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), toolsEnd)
	defer cancel()
	return h.exec.Wait(wctx)
}

// declaredTools loads the manifests and gives the names of their tools. A mistake is
// named and the rest loads.
func (d *Daemon) declaredTools(r *tools.Registry) (names []string) {
	loaded, mistakes := tools.LoadDir(r, d.cfg.Tools.Dir)
	for _, c := range d.offered(loaded) {
		names = append(names, c.Spec().Name)
	}
	for _, m := range mistakes {
		d.log.Error("declared tool refused", "component", "tools", "error", m)
	}
	if n := len(mistakes); n > 0 {
		d.conditions.Set("tools", health.Warning, fmt.Sprintf("Mistakes in declared tools: %d; the first: %v.", n, mistakes[0]))
	}
	return names
}

// offered are the declared tools that lack nothing.
func (d *Daemon) offered(loaded []*tools.Command) (list []tools.Tool) {
	for _, c := range loaded {
		if lacks := c.Missing(); len(lacks) > 0 {
			d.log.Info("declared tool not offered", "component", "tools", "tool", c.Spec().Name, "reason", "it lacks "+strings.Join(lacks, ", "))
			continue
		}
		list = append(list, c)
	}
	return list
}

func toolNames(list []tools.Tool) (names []string) {
	for _, t := range list {
		names = append(names, t.Spec().Name)
	}
	return names
}

// toolbox is the tools as the thinker sees them.
type toolbox struct{ h *house }

func (t toolbox) Specs() []llm.ToolSpec { return t.h.registry.Specs() }

func (t toolbox) Run(ctx context.Context, call llm.ToolCall) llm.ToolResult {
	return result(call, t.h.toolbox.Run(ctx, call))
}

// ask has the person asked whether a call is to be run.
func (t toolbox) ask(ctx context.Context, call llm.ToolCall) llm.ToolResult {
	return result(call, t.h.toolbox.Ask(ctx, call))
}

func result(call llm.ToolCall, out dialogue.Outcome) llm.ToolResult {
	return llm.ToolResult{CallID: call.ID, Tool: call.Name, Content: out.Text, Failed: out.Class != string(tools.OK), Sources: out.Sources, Foreign: out.Foreign}
}

// hands is the executor as the dialogue sees it.
type hands struct{ *house }

func (h hands) Run(ctx context.Context, call llm.ToolCall) dialogue.Outcome {
	if c := h.consult.Load(); call.Name == consultTool && c != nil {
		return seen(c.exec.Run(ctx, call))
	}
	return seen(keep(ctx, h.exec.Run(ctx, call)))
}

// Ask runs what asks a thinker, which knows when the person has to be asked.
func (h hands) Ask(ctx context.Context, call llm.ToolCall) dialogue.Outcome {
	if call.Name == consultTool && h.consult.Load() != nil {
		return h.Run(ctx, call)
	}
	return seen(h.exec.Ask(ctx, call))
}

func (h hands) RunConfirmed(ctx context.Context, call llm.ToolCall, question string) dialogue.Outcome {
	return seen(keep(ctx, h.exec.RunConfirmed(ctx, call, question)))
}

func seen(out tools.Outcome) dialogue.Outcome {
	return dialogue.Outcome{
		Say: out.Spoken(), Text: out.Result.Text, Class: string(out.Class),
		Sources: out.Result.Sources, Foreign: out.Result.Foreign, Question: out.Question, Then: out.Result.Then, Record: out.Result.Record,
	}
}

// buildDialogue joins ears, mind, hands and voice.
func (d *Daemon) buildDialogue(ctx context.Context, h *house, voice *dialogue.Voice) error {
	var err error
	d.capture, err = device.NewCapture(device.CaptureOptions{
		Device: d.cfg.Audio.Capture, Log: d.log.With("component", "capture"), Changed: d.microphoneChanged,
	})
	if err != nil {
		return err
	}
	last, err := d.store.LastTurn(ctx)
	if err != nil {
		return err
	}
	d.numbers.Store(last)
	volume, chosen, err := d.store.Volume(ctx)
	if err != nil {
		return err
	}
	if !chosen {
		volume = d.cfg.Audio.Volume
	}
	muted, err := d.store.Muted(ctx)
	if err != nil {
		return err
	}
	dnd, err := d.store.DND(ctx)
	if err != nil {
		return err
	}
	d.manners.dnd.Store(dnd)
	local, err := d.store.Local(ctx)
	if err != nil {
		return err
	}
	d.manners.local.Store(local)
	word, err := d.store.WakeWord(ctx)
	if err != nil {
		return err
	}
	if slices.Contains(d.cfg.Wake.Choices(), word) { // the configuration may have changed
		d.manners.word.Store(&word)
	}
	o := dialogue.Options{
		Log: d.log, Bus: d.bus, Recogniser: h.hears, Tools: h.toolbox, Voice: voice,
		Matcher: minded{intents{h.matcher}, &d.manners},
		Wake:    d.cfg.Wake.Engine, Words: words(d.cfg.Wake.Words), FollowUp: d.cfg.Wake.FollowUp, Chime: d.cfg.Wake.Chime,
		FullDuplex: func() bool { return d.listener.FullDuplex() }, Transcripts: d.cfg.Log.Transcripts, People: d.cfg.Memory.People,
		Offered: h.registry.Has, Missing: missing,
		Volume: volume, Muted: muted, LastTurn: last, Number: d.nextTurn,
		SaveMuted:  d.store.SetMuted,
		SaveVolume: d.store.SetVolume,
		Capture:    d.setMuted,
		Ringing:    d.ringing(), Quiet: d.quietTime(),
		Anew:     func() { d.listener.Anew() },
		EndAfter: func(utterance uint64, silence time.Duration) { d.listener.EndAfter(utterance, silence) },
		Hearing:  d.hearing(h.hears),
	}
	if d.sense.detector == nil {
		o.Blind = true
		if o.Wake == dialogue.WakePhrase {
			o.Wake = dialogue.WakeButton
		}
	}
	if d.cfg.MQTT.House != "" {
		o.Contend = d.contend
	}
	o.Remember, o.Sounds = d.remember(h.thinker), &d.turns.Sounds
	if o.Opens = opens; h.thinker != nil {
		o.Thinker, o.Opens, o.Outside = h.thinker, h.thinker.Opens, h.thinker.Foreign
	}
	if h.cloud != nil {
		o.Responder, o.AtHome, o.ReadOnly, o.FirstAudio = h.cloud.own, h.cloud.atHome, h.cloud.readOnly, d.cfg.Responder.FirstAudio
	}
	if agent := h.devices.agent; agent != nil && d.cfg.Tools.Home.Conversation {
		o.Thinker = converser{o.Thinker, agent, h.devices.tool, d.cfg.STT.Language}
	}
	d.dialogue, err = dialogue.New(o)
	return err
}

// opens is what a request says where no thinker teaches words of other languages.
func opens(request string, call llm.ToolCall) bool { return guard.Opens(request, call, nil) }

// setMuted closes or opens the microphone. With wake.engine off it stays closed.
func (d *Daemon) setMuted(muted bool) {
	muted = muted || d.cfg.Wake.Engine == dialogue.WakeOff
	d.muted.Store(muted)
	d.capture.SetMuted(muted)
}
