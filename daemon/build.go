package daemon

import (
	"context"

	"hearthd/daemon/dialogue"
	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/recall"
	"hearthd/llm/thinker"
	"hearthd/tools"
	"hearthd/tools/calc"
	"hearthd/tools/clock"
	"hearthd/tools/list"
	"hearthd/tools/random"
	"hearthd/tools/remember"
	"hearthd/tools/units"
)

// buildHouse makes the tools, what understands requests for them, and who thinks.
func (d *Daemon) buildHouse(ctx context.Context, h *house) error {
	clockTools, err := clock.New(clock.Options{Location: d.zone, Hour24: d.cfg.Tools.Clock24h})
	if err != nil {
		return err
	}
	listTools, err := list.New(list.Options{Store: d.store})
	if err != nil {
		return err
	}
	memoryTools, err := remember.New(recall.NewOwner(d.recall, func() { d.forgetProcess(h) }))
	if err != nil {
		return err
	}
	serviceTools, err := d.serviceTools(d.cfg, d.recall)
	if err != nil {
		return err
	}
	calendarTools, err := d.calendarTools(d.cfg)
	if err != nil {
		return err
	}
	for _, t := range [][]tools.Tool{d.peers.sharedTimers(d.time.timers.Tools()), clockTools, d.peers.sharedLists(listTools), {units.New(units.Options{British: british(d.zone, d.recall)}), calc.New()}, random.New(random.Options{}), memoryTools, speakerTools(h, d.here), d.peers.announceTools(), serviceTools, calendarTools} {
		if err := h.registry.Register(t...); err != nil {
			return err
		}
	}
	services := toolNames(append(serviceTools, calendarTools...))
	h.services.Store(&services)
	// Declared tools come last, so that they cannot take the name of one of ours.
	h.declared = d.declaredTools(h.registry)
	if h.exec, err = tools.NewExecutor(tools.ExecutorOptions{Registry: h.registry, Log: d.log}); err != nil {
		return err
	}
	h.toolbox = answer.NewToolbox(d.bus, h.exec, d.cfg.Log.Transcripts)
	if err := d.buildUnderstanding(h); err != nil {
		return err
	}
	if h.devices, err = d.buildHome(ctx, h.registry, h.matcher, d.store, d.time.timers); err != nil {
		return err
	}
	o := thinker.Options{
		Tools: thinkersTools{h.registry, h.toolbox}, Sayings: h.matcher,
		Announce: func(ctx context.Context, a thinker.Kept) { d.announce(ctx, d.dialogue, a) },
	}
	if h.thinker, err = d.models.mind(o, d.recall, d.activity.Quiet); err != nil {
		return err
	}
	h.cloud, err = newCloud(ctx, &cloud{
		base: d.base, settings: d.settings, recall: d.recall, blind: d.sound.sense.Blind(),
		thinker: h.thinker, registry: h.registry, services: &h.services,
	}, d.store)
	return err
}

// buildDialogue joins ears, thinkers, tools and voice.
func (d *Daemon) buildDialogue(ctx context.Context, h *house) error {
	last, err := d.store.LastTurn(ctx)
	if err != nil {
		return err
	}
	d.numbers.Store(last)
	a := d.answers(h, d.bus, d.sound.voice, d.time.timers, d.recall)
	if h.thinker != nil {
		a.Thinker = h.thinker
	}
	if h.cloud != nil {
		a.Responder, a.Guard = h.cloud.own, h.cloud.own
	}
	if h.devices.agent != nil && d.cfg.Tools.Home.Conversation { // of a browser that talks it does nothing
		if a.Agent, err = newOwnAgent(h.devices); err != nil {
			return err
		}
	}
	answers, err := answer.New(a)
	if err != nil {
		return err
	}
	o := dialogue.Options{
		Log: d.log, Bus: d.bus, Recogniser: d.hearing(h.hears), Voice: d.sound.voice, Answers: answers,
		Matcher: h.matcher,
		Inbox:   d.sound.inbox, Ears: d.sound.ears,
		Wake: dialogue.Wake{
			Engine: d.cfg.Wake.Engine, Blind: d.sound.sense.Blind(), FollowUp: d.cfg.Wake.FollowUp, Chime: d.cfg.Wake.Chime,
		},
		Transcripts: d.cfg.Log.Transcripts, People: d.cfg.Memory.People,
		Settings: d.settings, Activity: d.activity, Turns: &d.numbers, Recordings: &d.turns.Sounds,
	}
	if o.Wake.Blind && o.Wake.Engine == dialogue.WakePhrase {
		o.Wake.Engine = dialogue.WakeButton
	}
	if d.cfg.MQTT.House != "" {
		o.Peers = contest{d.peers.household, d.sound.ears}
	}
	if h.cloud != nil {
		o.Responder = h.cloud.own
	}
	d.dialogue, err = dialogue.New(o)
	return err
}

// forgetProcess drops what this process holds of what was said and looked up. After
// it nothing of that is written any more.
func (d *Daemon) forgetProcess(h *house) {
	h.toolbox.Forget()
	d.recall.Forget()
	d.turns.Forget()
	for _, m := range d.models.made {
		m.Forget()
	}
	if d.broker != nil {
		d.broker.Forget()
	}
	d.tail.Forget()
	h.cloud.forget()
	d.guests.forget()
	if h.thinker == nil {
		return
	}
	h.thinker.Forget()
	if h.thinker.reflector != nil {
		h.thinker.reflector.Forget()
	}
}
