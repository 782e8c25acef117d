package thinker

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"hearthd/llm"
)

// Shares of a prompt, each one part in so many: the most that the system prompt with the domain's,
// the tools, and what is known of the person may take, and the least that the conversation gets.
// What is recalled gets the rest.
const (
	systemShare       = 2
	toolsShare        = 4
	knownShare        = 4
	conversationShare = 4
)

// teaching is the domains and prompts of a Thinker, which Teach replaces.
type teaching struct {
	domains []Domain
	prompts Prompts
	words   map[string]string // words of other languages, with the English ones (guard.Opens)
	long    []string          // domains whose prompt does not fit
}

// taught checks and completes the domains and prompts of a Thinker with prompts of at most
// maxTokens.
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

// complain reports what of l has to be cut.
func (l *teaching) complain(log *slog.Logger) {
	if len(l.long) > 0 {
		log.Warn("prompt is too long and is cut", "component", "thinker", "domain", strings.Join(l.long, " "))
	}
}

// described are specs with the words that claim a request added, for a domain that names the tool.
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
