package hass

import (
	"context"
	"slices"
)

// atOnce is how many entities are asked for at once, because the size of a message is limited.
const atOnce = 1000

// learnAliases gives what people call the entities beside their names. The list of the
// registry does not have that. A Home Assistant of before 2023.3 has none.
func (c *Client) learnAliases(ctx context.Context, entities []entityRow) (map[string][]string, error) {
	aliases := map[string][]string{}
	for some := range slices.Chunk(entities, atOnce) {
		var ids []string
		for _, e := range some {
			ids = append(ids, e.ID)
		}
		var rows map[string]*struct {
			Aliases []string `json:"aliases"`
		}
		command := map[string]any{"type": "config/entity_registry/get_entries", "entity_ids": ids}
		if err := unlessRefused(c.ask(ctx, command, &rows)); err != nil {
			return nil, err
		}
		for id, row := range rows {
			if row != nil {
				aliases[id] = others(row.Aliases)
			}
		}
	}
	return aliases, nil
}

// exposure is which entities people may talk to, as chosen under Settings, Voice assistants.
type exposure map[string]bool

// learnExposure asks what is exposed to Home Assistant's own voice assistant. The whole
// list is for administrators; the registry has it of the entities that are registered.
func (c *Client) learnExposure(ctx context.Context, entities []entityRow) (exposure, error) {
	x := exposure{}
	for _, e := range entities {
		if v := e.Options.Conversation.Expose; v != nil {
			x[e.ID] = *v
		}
	}
	var list struct {
		Exposed map[string]struct {
			Conversation *bool `json:"conversation"`
		} `json:"exposed_entities"`
	}
	command := map[string]any{"type": "homeassistant/expose_entity/list"}
	if err := unlessRefused(c.ask(ctx, command, &list)); err != nil {
		return nil, err
	}
	for id, e := range list.Exposed {
		if e.Conversation != nil {
			x[id] = *e.Conversation
		}
	}
	return x, nil
}

// allows reports whether people may talk to an entity. A Home Assistant without such a choice
// allows it, and so does one where nothing at all was chosen: its own voice assistant decides about
// every entity when it starts.
func (x exposure) allows(id string) bool { return len(x) == 0 || x[id] }
