package responder

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"hearthd/config/letters"
	"hearthd/llm"
	"hearthd/llm/guard"
	"hearthd/llm/thinker"
	"hearthd/tools"
)

// maxResponderTools bounds the tools that the responder is offered, because every turn pays for all
// of them. hearthd has fewer of its own: the bound is for what the household adds.
const maxResponderTools = 64

// tools are what the responder may call: the thinkers, the quick tools of the house, and last those
// that the household has added.
func (r *Responder) tools() []llm.ToolSpec {
	var list, added []llm.ToolSpec
	quick := func(string) bool { return true }
	if r.opt.Thinker != nil {
		list, quick = r.opt.Registry.Unlisted(), r.quick()
	}
	for _, t := range r.opt.Registry.List() {
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

// quick reports which tools need no thinker: those of the house that ask nobody outside, except
// those that belong to thinkers whose requests stay at home.
func (r *Responder) quick() func(tool string) bool {
	var home, kept, free []string
	for _, d := range r.opt.Thinker.Domains() {
		switch {
		case d.Name == homeDomain:
			home = append(home, d.Tools...)
		case r.withholds(d.Name):
			kept = append(kept, d.Tools...)
		default:
			free = append(free, d.Tools...)
		}
	}
	services := r.opt.Services()
	return func(tool string) bool {
		return slices.Contains(home, tool) && !slices.Contains(services, tool) &&
			(slices.Contains(free, tool) || !slices.Contains(kept, tool))
	}
}

// homeDomain is the thinker that controls the devices. What it does is no secret of the house, so
// the responder may ask for it even if requests for it stay at home.
const homeDomain = "home"

// withholds reports whether the responder may not ask this thinker now.
func (r *Responder) withholds(domain string) bool {
	return domain != homeDomain && r.keeps(domain, time.Now())
}

// ConsultTool is the name of the tool by which the responder asks a thinker.
const ConsultTool = "route_to_thinker"

// maxQuery bounds what a thinker is asked, in bytes.
const maxQuery = 1000

// maxConsult is what a tool may say of itself, in bytes (tools.Registry).
const maxConsult = 1024

// consultation is the tool that only the responder is offered. At the moment of the call it refuses
// thinkers that are withheld.
func (r *Responder) consultation() tools.Tool {
	th := r.opt.Thinker
	var names, what []string
	longest := time.Duration(0)
	for _, s := range th.Domains() {
		names = append(names, s.Name)
		what = append(what, s.Name+": "+s.Description)
		if !s.Background {
			longest = max(longest, s.Time)
		}
	}
	ask := func(ctx context.Context, call tools.Call, args struct {
		Domain string `json:"domain"`
		Query  string `json:"query"`
	}) (tools.Result, error) {
		args.Domain = strings.ToLower(strings.TrimSpace(args.Domain))
		who := args.Domain
		if !slices.Contains(names, who) {
			who = thinker.Fallback
		}
		if r.withholds(who) {
			return tools.Result{Text: "The household keeps that to itself. Say that you may not look into it."}, nil
		}
		asked := call.For
		asked.Text, asked.Mode = args.Query, llm.Voice
		answer, foreign, err := th.Consult(ctx, args.Domain, asked)
		if err != nil {
			return tools.Result{}, &tools.Failure{Say: th.Apology(err), Cause: err}
		}
		return tools.Result{Text: answer.Text, Sources: answer.Sources, Foreign: foreign}, nil
	}
	said := "Asks a specialist of the house, who has tools and takes a few seconds: say so first."
	for _, w := range what { // when there is no more room, the others are listed by name only
		if len(said)+1+len(w) <= maxConsult {
			said += " " + w
		}
	}
	return tools.WithLimits(tools.CallFunc(llm.ToolSpec{
		Name:        ConsultTool,
		Description: said,
		Parameters: fmt.Appendf(nil,
			`{"type":"object","properties":{
				"domain":{"type":"string","description":"one of: %s","minLength":1,"maxLength":64},
				"query":{"type":"string","description":"the whole question, in one sentence","minLength":1,"maxLength":%d}},
				"required":["domain","query"],"additionalProperties":false}`,
			strings.Join(names, ", "), maxQuery),
	}, ask), tools.Limits{Timeout: longest + time.Second, Unlisted: true})
}

// delegation is what a service without tools is told of the thinkers, in the words that its prompting
// guide has for that.
func (r *Responder) delegation() string {
	said := "\n\nYou have no tools here but the backend, which is the house itself. Delegate to the backend when " +
		"something is to be done, or is about:"
	if r.opt.Thinker != nil {
		for _, s := range r.opt.Thinker.Domains() {
			if !r.withholds(s.Name) {
				said += "\n- " + s.Name + ": " + s.Description
			}
		}
	}
	return said
}

// delegate is the call that a delegation means.
func (r *Responder) delegate(said string) (tool string, arguments []byte) {
	domain := cmp.Or((*r.domain.Load())(said), thinker.Fallback)
	arguments, err := json.Marshal(map[string]string{"domain": domain, "query": letters.Cut(said, maxQuery)})
	if err != nil { // of two strings, which cannot be
		return ConsultTool, nil
	}
	return ConsultTool, arguments
}

// ReadOnly reports whether a tool changes nothing. A thinker has tools that may.
func (r *Responder) ReadOnly(tool string) bool {
	return slices.ContainsFunc(r.opt.Registry.Specs(), func(s llm.ToolSpec) bool {
		return s.Name == tool &&
			s.ReadOnly
	})
}

// Opens reports whether a request asks for exactly this call, which may then be made although words
// from outside the house were read. A thinker itself decides when the person has to be asked.
func (r *Conversation) Opens(text string, call llm.ToolCall) bool {
	switch {
	case r.thinker == nil:
		return guard.Opens(text, call, nil)
	case call.Name == ConsultTool:
		return true
	}
	return r.thinker.Opens(text, call)
}

// Foreign reports whether a new session is told the answer of a job that is not announced yet.
func (r *Conversation) Foreign() bool {
	return r.thinker != nil && r.thinker.Foreign()
}
