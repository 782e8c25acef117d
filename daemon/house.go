package daemon

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/daemon/recall"
	"hearthd/daemon/voice"
	"hearthd/llm"
	"hearthd/llm/guard"
	"hearthd/llm/stt"
	"hearthd/tools"
	"hearthd/tools/timer"
)

// house is what hearthd can do, and how it understands what to do.
type house struct {
	registry *tools.Registry
	exec     *tools.Executor
	toolbox  *answer.Toolbox
	matcher  *matching
	hears    stt.Engine
	thinker  *mind                        // nil: there is none
	consult  atomic.Pointer[consultation] // nil: there is nobody to consult
	cloud    *cloud                       // nil: there is no responder
	declared []string                     // names of the tools that manifests declare
	services atomic.Pointer[[]string]     // names of those that ask somebody, or keep a calendar
	devices  *devices
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
func (d *base) declaredTools(r *tools.Registry) (names []string) {
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
func (d *base) offered(loaded []*tools.Command) (list []tools.Tool) {
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

func result(call llm.ToolCall, out answer.Outcome) llm.ToolResult {
	return llm.ToolResult{CallID: call.ID, Tool: call.Name, Content: out.Text, Failed: out.Class != string(tools.OK), Sources: out.Sources, Foreign: out.Foreign}
}

// hands is the executor as the dialogue sees it.
type hands struct{ *house }

func (h hands) Run(ctx context.Context, call llm.ToolCall) answer.Outcome {
	if c := h.consult.Load(); call.Name == consultTool && c != nil {
		return seen(c.exec.Run(ctx, call))
	}
	return seen(h.exec.Run(ctx, call))
}

// Ask runs what asks a thinker, which knows when the person has to be asked.
func (h hands) Ask(ctx context.Context, call llm.ToolCall) answer.Outcome {
	if call.Name == consultTool && h.consult.Load() != nil {
		return h.Run(ctx, call)
	}
	return seen(h.exec.Ask(ctx, call))
}

func (h hands) RunConfirmed(ctx context.Context, call llm.ToolCall, question string) answer.Outcome {
	return seen(h.exec.RunConfirmed(ctx, call, question))
}

func seen(out tools.Outcome) answer.Outcome {
	return answer.Outcome{
		Say: out.Spoken(), Text: out.Result.Text, Class: string(out.Class),
		Sources: out.Result.Sources, Foreign: out.Result.Foreign, Question: out.Question, Then: out.Result.Then, Record: out.Result.Record,
		Data: out.Result.Data,
	}
}

// answers is what the answers of one machine are made with, but for its thinker and its
// responder.
func (d *base) answers(h *house, bus *event.Bus, v *voice.Voice, timers *timer.Timers, known *recall.Recollection) answer.Options {
	return answer.Options{
		Log: d.log, Bus: bus, Tools: h.toolbox, Voice: v, Matcher: intents{h.matcher}, Offers: offers{h.registry},
		Memory: remembering{known, d.log, h.thinker}, Ringing: d.ringing(timers),
		FirstAudio: d.cfg.Responder.FirstAudio, Transcripts: d.cfg.Log.Transcripts,
	}
}

// offers are the tools that work now.
type offers struct{ *tools.Registry }

// Missing is the sentence that says what a tool that does not work lacks, or "".
func (offers) Missing(tool string) string { return missing(tool) }

// guarding says what the responder may be asked, and do.
type guarding struct {
	cloud *cloud
	mind  *mind // nil: there is none
}

func (g guarding) AtHome(text string) bool   { return g.cloud.atHome(text) }
func (g guarding) ReadOnly(tool string) bool { return g.cloud.readOnly(tool) }

func (g guarding) Opens(text string, call llm.ToolCall) bool {
	if g.mind == nil {
		return guard.Opens(text, call, nil)
	}
	return g.mind.Opens(text, call)
}

// Foreign reports whether the answer of a job, which is not announced yet, stands in what a
// new session is told.
func (g guarding) Foreign() bool {
	return g.mind != nil && g.mind.Foreign()
}
