package daemon

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"hearthd/daemon/dialogue"
	"hearthd/llm"
	"hearthd/tools"
)

// maxResponderTools bounds the tools that the responder is told of, for it pays for
// all of them in every turn. hearthd's own are fewer: what is bounded is what the
// household adds.
const maxResponderTools = 64

// tools are what the responder may call: the thinkers, what is quick in the house, and
// last what the household has added to it.
func (r *cloud) tools() []llm.ToolSpec {
	var list, added []llm.ToolSpec
	quick := func(string) bool { return true }
	if r.house.thinker != nil {
		list, quick = slices.Clone(r.house.consult.Load().specs), r.quick()
	}
	for _, t := range r.house.registry.List() {
		switch {
		case !quick(t.Spec.Name):
		case t.Origin != "":
			added = append(added, t.Spec)
		default:
			list = append(list, t.Spec)
		}
	}
	list = append(list, added...)
	return list[:min(len(list), maxResponderTools)]
}

// quick tells which tools need no thinker: those of the house that ask nobody outside.
func (r *cloud) quick() func(tool string) bool {
	var names []string
	for _, d := range r.house.thinker.Domains() {
		if slices.Contains(r.d.now().Route.AtHome, d.Name) || d.Name == "home" {
			names = append(names, d.Tools...)
		}
	}
	return func(tool string) bool {
		return slices.Contains(names, tool) && !slices.Contains(r.house.services, tool)
	}
}

// readOnly reports whether a tool changes nothing. A thinker has tools that do.
func (r *cloud) readOnly(tool string) bool {
	return slices.ContainsFunc(r.house.registry.Specs(), func(s llm.ToolSpec) bool { return s.Name == tool && s.ReadOnly })
}

// consultTool is the name of the tool by which the responder asks a thinker.
const consultTool = "route_to_thinker"

// consultation is what only the responder may call.
type consultation struct {
	exec  *tools.Executor
	specs []llm.ToolSpec
}

func (d *Daemon) buildConsultation(th *mind) (*consultation, error) {
	var names, what []string
	longest := time.Duration(0)
	for _, s := range th.Domains() {
		names = append(names, s.Name)
		what = append(what, s.Name+": "+s.Description)
		if !s.Background {
			longest = max(longest, s.Time)
		}
	}
	ask := func(ctx context.Context, args struct {
		Domain string `json:"domain"`
		Query  string `json:"query"`
	}) (tools.Result, error) {
		answer, foreign, err := th.Consult(ctx, args.Domain, llm.Ask{Text: args.Query, Mode: llm.Voice, Person: dialogue.Person(ctx)})
		if err != nil {
			return tools.Result{}, &tools.Failure{Say: th.Apology(err), Cause: err}
		}
		return tools.Result{Text: answer.Text, Sources: answer.Sources, Foreign: foreign}, nil
	}
	tool := tools.WithLimits(tools.Func(llm.ToolSpec{
		Name:        consultTool,
		Description: "Asks a specialist of the house, who has tools and takes a few seconds: say so first. " + strings.Join(what, " "),
		Parameters: fmt.Appendf(nil, `{"type":"object","properties":{"domain":{"type":"string","enum":["%s"]},"query":{"type":"string","description":"the whole question, in one sentence","minLength":1,"maxLength":1000}},"required":["domain","query"],"additionalProperties":false}`,
			strings.Join(names, `","`)),
	}, ask), tools.Limits{Timeout: longest + time.Second})
	registry := tools.NewRegistry()
	if err := registry.Register(tool); err != nil {
		return nil, err
	}
	exec, err := tools.NewExecutor(tools.ExecutorOptions{Registry: registry, Log: d.log, Person: dialogue.Person})
	if err != nil {
		return nil, err
	}
	return &consultation{exec, registry.Specs()}, nil
}
