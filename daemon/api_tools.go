package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"hearthd/config"
	"hearthd/daemon/api"
	"hearthd/daemon/dialogue"
	"hearthd/daemon/engines"
	"hearthd/daemon/refusal"
	"hearthd/daemon/timers"
	"hearthd/llm"
	"hearthd/memory"
	"hearthd/speech/model"
	"hearthd/tools"
	"hearthd/tools/mcp"
)

// apiTools are the tools as the control API sees them.
type apiTools struct {
	h      *assistant
	people []string
}

func (c apiTools) Tools() []api.Tool {
	var list []api.Tool
	for _, t := range c.h.registry.List() {
		list = append(list, api.Tool{
			Name: t.Spec.Name, Description: t.Spec.Description, Parameters: t.Spec.Parameters,
			Origin: cmp.Or(t.Origin, "built in"), Triggers: t.Triggers,
			TimeoutS: t.Limits.Timeout.Seconds(), CooldownS: t.Limits.Cooldown.Seconds(),
			Confirm: t.Limits.Confirm || t.Limits.ConfirmFunc != nil, Person: t.Limits.Person,
			ReadOnly: t.Spec.ReadOnly,
		})
	}
	return list
}

// RunTool runs one call as a turn would, without speaking: the events come in pairs, and the
// household's limits apply.
func (c apiTools) RunTool(ctx context.Context, run api.ToolRun) (api.ToolOutcome, error) {
	if run.As != "" && !slices.Contains(c.people, run.As) {
		return api.ToolOutcome{}, dialogue.ErrPerson
	}
	call := tools.Call{
		ToolCall: llm.ToolCall{ID: "console", Name: run.Name, Arguments: run.Arguments}, For: llm.Ask{Person: run.As},
	}
	if run.Confirmed {
		call.Agreed = run.Question
	}
	out := c.h.toolbox.Run(ctx, call)
	answer := api.ToolOutcome{
		Outcome: string(out.Class), Text: out.Text, Question: out.Question, Foreign: out.Foreign,
		Data: out.Data, TookMS: out.Took.Milliseconds(),
	}
	if out.Class == tools.Asked {
		answer.Text = out.Question
	}
	if len(out.Sources) > 0 {
		answer.Sources = out.Sources
	}
	return answer, ctx.Err()
}

func (c apiTools) ToolChanges() []api.ToolChange {
	return each(c.h.servers.Changes(), func(c mcp.Change) api.ToolChange { return api.ToolChange(c) })
}

func (c apiTools) AcceptTool(ctx context.Context, a api.ToolAcceptance) error {
	err := c.h.servers.Accept(ctx, a.Server, a.Tool, a.Hash)
	if errors.Is(err, mcp.ErrOther) {
		return refusal.Error(err.Error())
	}
	return err
}

// apiChanges is what people change and ask at the console.
type apiChanges struct {
	host    // what MQTT may change too
	timers  *timers.Timers
	reloads *reloader
}

func (b apiChanges) CancelTimer(ctx context.Context, id int64) (bool, error) {
	return b.timers.Cancel(ctx, id)
}

func (b apiChanges) ChangeList(ctx context.Context, c api.ListChange) ([]string, error) {
	items, err := b.changeList(ctx, c)
	told := new(tools.Failure)
	switch {
	case errors.Is(err, memory.ErrTooLong), errors.Is(err, memory.ErrTooMany):
		err = refusal.Error(err.Error())
	case errors.As(err, &told):
		err = refusal.Error(told.Say)
	}
	if items == nil {
		items = []string{}
	}
	return items, err
}

func (b apiChanges) changeList(ctx context.Context, c api.ListChange) ([]string, error) {
	kept := b.h.lists
	if len(c.Add) > 0 {
		if _, err := kept.AddItems(ctx, c.List, c.Add); err != nil {
			return nil, err
		}
	}
	if len(c.Remove) > 0 {
		if _, err := kept.RemoveItems(ctx, c.List, c.Remove); err != nil {
			return nil, err
		}
	}
	return kept.Items(ctx, c.List)
}

func (b apiChanges) ReadStations() { b.media.ReadStations() }

// listsAt are the lists that another box keeps. Who speaks here reaches them, and who looks here is told where
// they are.
type listsAt string

func (at listsAt) refusal() error {
	return refusal.Error("the lists are kept by the box " + string(at) + ", as mqtt.lists_at says; look there")
}

func (at listsAt) Lists(context.Context) (map[string][]string, error) { return nil, at.refusal() }

func (at listsAt) Items(context.Context, string) ([]string, error) { return nil, at.refusal() }

func (at listsAt) AddItems(context.Context, string, []string) ([]string, error) {
	return nil, at.refusal()
}

func (at listsAt) RemoveItems(context.Context, string, []string) ([]string, error) {
	return nil, at.refusal()
}

func (b apiChanges) Devices() ([]api.Device, []string) { return b.h.devices.List() }

// SetEntrance says whether a device, known now or earlier, lets people in.
func (b apiChanges) SetEntrance(ctx context.Context, id string, is *bool) error {
	return b.h.devices.SetEntrance(ctx, id, is)
}

func (b apiChanges) Explain(text string) any { return b.h.matcher.Explain(text) }

func (b apiChanges) Hearing() api.Hearing {
	now := b.now().Listen
	return api.Hearing{
		Threshold: now.Threshold, Release: now.Release, PreRollMS: now.PreRoll.Milliseconds(),
		MinMS:     now.MinSpeech.Milliseconds(),
		SilenceMS: now.EndSilence.Milliseconds(), LongestMS: now.MaxUtterance.Milliseconds(),
		Configured: !b.reloads.tuned.Load(),
	}
}

// Engines looks below the folder of hearth-speech, which hearthd may read and not change.
func (b apiChanges) Engines() (api.Engines, error) { return speechEngines(b.now(), model.State) }

func speechEngines(c *config.Config, state string) (api.Engines, error) {
	out := api.Engines{Hears: c.STT.Engine, Speaks: c.TTS.Engine, Models: []api.SpeechModel{},
		Command: "sudo hearthctl speech install"}
	var err error
	if out.Log, out.Installs, err = installed(); err != nil {
		return out, err
	}
	use, err := model.ReadUse(state)
	if err != nil {
		return out, err
	}
	models, err := model.List(state)
	if err != nil {
		out.Mistake = err.Error()
	}
	for _, m := range models {
		used := false
		for _, chosen := range []map[string]string{use.Hear, use.Speak} {
			for _, as := range chosen {
				name, _, _ := strings.Cut(as, "/")
				used = used || name == m.Name
			}
		}
		languages := m.Languages
		if languages == nil {
			languages = []string{}
		}
		out.Models = append(out.Models, api.SpeechModel{Name: m.Name, Task: string(m.Task()), Languages: languages,
			Used: used})
	}
	return out, nil
}

func (b apiChanges) Tune(h api.Hearing) error {
	length := func(ms int64) time.Duration {
		return time.Duration(min(ms, time.Hour.Milliseconds())) * time.Millisecond
	}
	return b.reloads.tune(func(l *config.Listen) {
		l.Threshold, l.Release = h.Threshold, h.Release
		l.PreRoll, l.MinSpeech = length(h.PreRollMS), length(h.MinMS)
		l.EndSilence, l.MaxUtterance = length(h.SilenceMS), length(h.LongestMS)
	})
}

// tune changes the thresholds of the gate until the next reload, which returns to those in the
// files.
func (r *reloader) tune(change func(*config.Listen)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	was := r.now()
	now := *was
	change(&now.Listen)
	if ps := now.Validate(); len(ps) > 0 {
		return fmt.Errorf("%s: %s", ps[0].Key, ps[0].Reason)
	}
	ears, err := r.ears.Settings(engines.Segmenting(&now.Listen))
	if err != nil {
		return err
	}
	for _, key := range config.Changed(was, &now) {
		r.origins = r.origins.From(key, "the console")
		r.tuned.Store(true)
	}
	r.live.Store(&now)
	r.adjust(ears)
	return nil
}

// Show implements what control asks for.
func (r *reloader) Show(context.Context) (api.Configuration, error) {
	r.mu.Lock()
	origins := r.origins
	r.mu.Unlock()
	now := r.now()
	out := api.Configuration{
		File: r.opt.File, Running: shownSettings(now, origins),
		Disk: []api.Setting{}, Problems: []string{}, Live: []string{}, Restart: []string{},
	}
	if r.opt.Load == nil {
		return out, nil
	}
	disk, from, err := r.opt.Load()
	if err != nil {
		for _, p := range problems(err) {
			out.Problems = append(out.Problems, p.Error())
		}
		return out, nil
	}
	out.Disk = shownSettings(&disk, from)
	for _, key := range config.Changed(now, &disk) {
		if r.changesLive(key) {
			out.Live = append(out.Live, key)
		} else {
			out.Restart = append(out.Restart, key)
		}
	}
	return out, nil
}

func shownSettings(c *config.Config, from config.Origins) []api.Setting {
	return each(config.Settings(c, from), func(s config.Setting) api.Setting { return api.Setting(s) })
}
