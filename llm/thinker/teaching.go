package thinker

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"hearthd/llm"
)

// Shares of a prompt, each one part of so many: what the system prompt with the domain's,
// the tools and what is known of a person may take at most, and the conversation at least.
// What is recalled has the rest.
const (
	systemShare       = 2
	toolsShare        = 4
	knownShare        = 4
	conversationShare = 4
)

// teaching is what a Thinker goes by, and what Teach replaces.
type teaching struct {
	domains []Domain
	prompts Prompts
	words   map[string]string // of other languages, with the English ones (guard.Opens)
	long    []string          // domains whose prompt does not fit
}

// taught checks and completes what a Thinker with prompts of at most maxTokens is to
// go by.
func taught(domains []Domain, prompts Prompts, maxTokens int) (*teaching, error) {
	if len(domains) == 0 {
		domains = []Domain{{Name: Fallback, Tools: []string{"*"}, Steps: maxSteps, Time: maxThinking}}
	}
	if !slices.ContainsFunc(domains, func(d Domain) bool { return d.Name == Fallback }) {
		return nil, fmt.Errorf("thinker: no domain %q", Fallback)
	}
	l := &teaching{domains: domains, prompts: prompts.filled(), words: words(domains)}
	for i := range domains {
		if textSize(l.prompts.System+domains[i].Prompt) > maxTokens/systemShare {
			l.long = append(l.long, domains[i].Name)
		}
	}
	return l, nil
}

// complain names what of l cannot be used whole.
func (l *teaching) complain(log *slog.Logger) {
	if len(l.long) > 0 {
		log.Warn("prompt is too long and is cut", "component", "thinker", "domain", strings.Join(l.long, " "))
	}
}

// described are specs with the words that claim a request for a domain which names the
// tool.
func (l *teaching) described(specs []llm.ToolSpec) []llm.ToolSpec {
	more := slices.Clone(specs)
	for _, d := range l.domains {
		for i := range more {
			if len(d.named(more[i:i+1])) > 0 {
				more[i].Description += " " + strings.Join(d.Words, " ")
			}
		}
	}
	return more
}
