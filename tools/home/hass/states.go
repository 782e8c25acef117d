package hass

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"hearthd/tools/home"
)

// registry is what Home Assistant knows of its devices beside their states.
type registry struct {
	areas    map[string]area   // by id
	labels   map[string]string // their names, by id
	devices  map[string]deviceRow
	entities map[string]entry
	exposure exposure
}

// area is what an area and its floor are called.
type area struct {
	name    string
	aliases []string
	floors  []string
	labels  []string // ids
}

type entry struct {
	area, device, category string
	hidden                 bool
	aliases, labels        []string // the labels by id
}

// state is one of get_states.
type state struct {
	ID         string         `json:"entity_id"`
	State      string         `json:"state"`
	Attributes map[string]any `json:"attributes"`
}

// learn asks for everything, and for what changes from then on.
func (c *Client) learn(ctx context.Context) error {
	if err := c.learnRegistry(ctx); err != nil { // which shows what may be known of a state
		return err
	}
	for _, event := range []string{
		"state_changed", "area_registry_updated", "entity_registry_updated", "device_registry_updated",
		"floor_registry_updated", "label_registry_updated",
	} {
		if _, err := c.call(ctx, map[string]any{"type": "subscribe_events", "event_type": event}); err != nil {
			return fmt.Errorf("subscribe to %s: %w", event, err)
		}
	}
	return c.learnStates(ctx)
}

// learnAgain asks for names, areas and states after some were changed.
func (c *Client) learnAgain(ctx context.Context) error {
	if err := c.learnRegistry(ctx); err != nil {
		return err
	}
	return c.learnStates(ctx)
}

// allStates is the command that asks for them.
const allStates = "get_states"

func (c *Client) learnStates(ctx context.Context) error {
	var states []state
	if err := c.ask(ctx, map[string]any{"type": allStates}, &states); err != nil {
		return err
	}
	c.mu.Lock()
	clear(c.entities)
	clear(c.sources)
	for _, s := range states {
		c.take(s)
	}
	for id, s := range c.late {
		c.put(id, s)
	}
	c.late = nil
	c.lost = nil // before anybody looks at what has changed
	c.change()
	c.mu.Unlock()
	if c.opt.Found != nil {
		c.opt.Found()
	}
	return nil
}

// Rows of the registries, as far as they count here. What is null is empty.
type (
	areaRow struct {
		ID      string   `json:"area_id"`
		Name    string   `json:"name"`
		Floor   string   `json:"floor_id"`
		Aliases []string `json:"aliases"`
		Labels  []string `json:"labels"`
	}
	labelRow struct {
		ID   string `json:"label_id"`
		Name string `json:"name"`
	}
	floorRow struct {
		ID      string   `json:"floor_id"`
		Name    string   `json:"name"`
		Aliases []string `json:"aliases"`
		Level   *int64   `json:"level"`
	}
	deviceRow struct {
		ID     string   `json:"id"`
		Area   string   `json:"area_id"`
		Labels []string `json:"labels"`
	}
	entityRow struct {
		ID       string   `json:"entity_id"`
		Area     string   `json:"area_id"`
		Device   string   `json:"device_id"`
		Category string   `json:"entity_category"`
		Hidden   string   `json:"hidden_by"`
		Labels   []string `json:"labels"`
		Options  struct {
			Conversation struct {
				Expose *bool `json:"should_expose"`
			} `json:"conversation"`
		} `json:"options"`
	}
)

func (c *Client) learnRegistry(ctx context.Context) error {
	r := registry{areas: map[string]area{}, labels: map[string]string{}, devices: map[string]deviceRow{},
		entities: map[string]entry{}}
	var areas []areaRow
	var floors []floorRow
	var labels []labelRow
	var devices []deviceRow
	var entities []entityRow
	for command, into := range map[string]any{
		"config/area_registry/list": &areas, "config/device_registry/list": &devices,
		"config/entity_registry/list": &entities,
	} {
		if err := c.ask(ctx, map[string]any{"type": command}, into); err != nil {
			return err
		}
	}
	for command, into := range map[string]any{ // those of before 2024.4 have neither
		"config/floor_registry/list": &floors, "config/label_registry/list": &labels,
	} {
		if err := unlessRefused(c.ask(ctx, map[string]any{"type": command}, into)); err != nil {
			return err
		}
	}
	named := map[string][]string{}
	for _, f := range floors {
		named[f.ID] = f.names()
	}
	for _, a := range areas {
		r.areas[a.ID] = area{home.Clean(a.Name), others(a.Aliases), named[a.Floor], a.Labels}
	}
	for _, d := range devices {
		r.devices[d.ID] = d
	}
	for _, l := range labels[:min(len(labels), maxLabels)] {
		r.labels[l.ID] = home.Clean(l.Name)
	}
	aliases, err := c.learnAliases(ctx, entities)
	if err != nil {
		return err
	}
	for _, e := range entities {
		r.entities[e.ID] = entry{e.Area, e.Device, e.Category, e.Hidden != "", aliases[e.ID], e.Labels}
	}
	if r.exposure, err = c.learnExposure(ctx, entities); err != nil {
		return err
	}
	c.mu.Lock()
	c.registry = r
	c.mu.Unlock()
	return nil
}

// labelled gives the names of labels, each once.
func (r *registry) labelled(ids ...string) (names []string) {
	for _, id := range ids {
		if n := r.labels[id]; n != "" && !slices.Contains(names, n) && len(names) < maxAliases {
			names = append(names, n)
		}
	}
	return names
}

// names are what a floor is called: its name, its aliases, and upstairs or downstairs by its
// level.
func (f floorRow) names() []string {
	names := append([]string{home.Clean(f.Name)}, others(f.Aliases)...)
	switch {
	case f.Level == nil:
		return names
	case *f.Level > 0:
		return append(names, "upstairs")
	}
	return append(names, "downstairs")
}

// others are the aliases of something. Home Assistant may put null among them, which
// stands for the name itself.
func others(aliases []string) []string {
	var out []string
	for _, a := range aliases[:min(len(aliases), maxAliases)] {
		if n := home.Clean(a); n != "" {
			out = append(out, n)
		}
	}
	return out
}

// ask sends a command and decodes its result.
func (c *Client) ask(ctx context.Context, command map[string]any, into any) error {
	data, err := c.call(ctx, command)
	if err != nil {
		return fmt.Errorf("ask %s: %w", command["type"], err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("decode %s: %w", command["type"], err)
	}
	return nil
}

// unlessRefused passes over the error of a Home Assistant that does not know a command, or
// lets only administrators give it.
func unlessRefused(err error) error {
	if errors.As(err, new(*refusal)) {
		return nil
	}
	return err
}

// event takes one that was subscribed to.
func (c *Client) event(data json.RawMessage) {
	var e struct {
		Type string `json:"event_type"`
		Data struct {
			ID  string `json:"entity_id"`
			New *state `json:"new_state"`
		} `json:"data"`
	}
	if err := json.Unmarshal(data, &e); err != nil {
		c.opt.Log.Debug("event not understood", "component", "home", "error", err)
		return
	}
	if e.Type != "state_changed" {
		c.ring() // whoever reads must not wait for answers
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.put(e.Data.ID, e.Data.New)
	if c.late != nil && len(c.late) < maxEntities {
		c.late[e.Data.ID] = e.Data.New
	}
	c.change()
}

// put takes a state in; nil: the device is gone. The caller holds mu.
func (c *Client) put(id string, s *state) {
	if s == nil {
		delete(c.entities, id)
		delete(c.sources, id)
		return
	}
	c.take(*s)
}

// ring has the session learn again what devices are called and where they are.
func (c *Client) ring() {
	select {
	case c.renamed <- struct{}{}:
	default:
	}
}

func (c *Client) change() {
	close(c.changed)
	c.changed = make(chan struct{})
}
