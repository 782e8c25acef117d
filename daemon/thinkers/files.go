package thinkers

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"hearthd/config"
	"hearthd/daemon/health"
	"hearthd/llm/thinker"
)

// Files are the domains and prompts of the household, beside the configuration.
type Files struct {
	Domains []thinker.Domain
	Prompts thinker.Prompts
}

// Read reads the files of the household, and names what is wrong with them. The rest works.
func Read(c *config.Config) (f Files, mistakes []error) {
	var more []error
	f.Domains, mistakes = thinker.LoadDomains(c.Thinker.Dir)
	f.Prompts, more = thinker.LoadPrompts(c.Thinker.Prompts)
	return f, append(append(mistakes, more...), unrouted(f.Domains, &c.Route)...)
}

// Load is Read for the start, which keeps the condition of the mistakes.
func Load(c *config.Config, conditions *health.Conditions, log *slog.Logger) Files {
	f, mistakes := Read(c)
	mistakes = append(mistakes, f.Unprovided(c)...)
	for _, m := range mistakes {
		log.Error("thinker refused", "component", "thinker", "error", m)
	}
	if n := len(mistakes); n > 0 {
		conditions.Set("thinkers", health.Warning, fmt.Sprintf("Mistakes in thinkers: %d; the first: %v.", n,
			mistakes[0]))
	}
	log.Info("prompts read", "component", "thinker", "path", c.Thinker.Prompts, "built_in",
		strings.Join(f.Prompts.BuiltIn(), " "))
	return f
}

// Unprovided names the domains that ask for a server that is not configured.
func (f Files) Unprovided(c *config.Config) (mistakes []error) {
	for _, t := range f.Domains {
		if t.Provider != "" && !slices.ContainsFunc(c.Thinker.Providers,
			func(p config.Provider) bool { return p.Name == t.Provider }) {
			mistakes = append(mistakes, fmt.Errorf("load thinker %q: provider %q is not configured", t.Origin,
				t.Provider))
		}
	}
	return mistakes
}

// unrouted names the thinkers in route that are no domain: with a typing mistake there, requests that
// should stay at home would leave it.
func unrouted(domains []thinker.Domain, r *config.Route) (mistakes []error) {
	check := func(key, name string) {
		if !slices.ContainsFunc(domains, func(t thinker.Domain) bool { return t.Name == name }) {
			mistakes = append(mistakes, fmt.Errorf("%s: there is no thinker %q", key, name))
		}
	}
	for _, name := range r.AtHome {
		check("route.at_home", name)
	}
	for _, h := range r.ThinkerHours {
		check("route.thinker_hours", h.Thinker)
	}
	return mistakes
}
