package daemon

import (
	"strings"

	"hearthd/daemon/api"
	"hearthd/llm/thinker"
)

// thinkers are the thinkers as the control API shows them.
func (d *base) thinkers(m *mind) []api.Thinker {
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
			Name: s.Name, Description: s.Description, Origin: s.Origin, Model: d.modelOf(&s.Domain), Tools: tools,
			CacheS: s.Cache.Seconds(), Background: s.Background, Live: s.Live,
		})
	}
	return list
}

// modelOf names the model that serves a domain.
func (d *base) modelOf(t *thinker.Domain) string {
	c := &d.cfg.Thinker
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
