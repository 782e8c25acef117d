package thinkers

import (
	"strings"

	"hearthd/daemon/api"
	"hearthd/llm/thinker"
)

// List are the thinkers as the control API shows them.
func (m *Thinkers) List() []api.Thinker {
	if m == nil {
		return nil
	}
	var list []api.Thinker
	for _, s := range m.Domains() {
		tools := s.Tools
		if tools == nil {
			tools = []string{}
		}
		list = append(list, api.Thinker{
			Name: s.Name, Description: s.Description, Origin: s.Origin, Model: m.modelOf(&s.Domain), Tools: tools,
			CacheS: s.Cache.Seconds(), Background: s.Background, Live: s.Live,
		})
	}
	return list
}

// modelOf names the model that serves a domain.
func (m *Thinkers) modelOf(t *thinker.Domain) string {
	c := &m.config.Thinker
	for i, p := range c.Providers {
		if p.Name == t.Provider || c.URL == "" && t.Provider == "" && i == 0 {
			if t.Tier == thinker.Smart && p.SmartModel != "" {
				return strings.Join([]string{p.Name, p.SmartModel}, "/")
			}
			return strings.Join([]string{p.Name, p.Model}, "/")
		}
	}
	if t.Tier == thinker.Smart && c.SmartModel != "" {
		return c.SmartModel
	}
	return c.Model
}
