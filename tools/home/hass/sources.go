package hass

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"hearthd/tools"
	"hearthd/tools/home"
)

// sources are the domains whose entities are no devices: what is written down, and what is foretold. The value says
// whether it is the household's own, which has to be exposed to voice; Home Assistant exposes no weather by itself.
var sources = map[string]bool{"todo": true, "calendar": true, "weather": false, "sun": false}

// source is an entity of such a domain.
type source struct {
	names      []string
	state      string
	attributes map[string]any
}

// takeSource takes the state of one. The caller holds mu.
func (c *Client) takeSource(s state, domain, name string, r entry) {
	if r.hidden || sources[domain] && !c.registry.exposure.allows(s.ID) ||
		len(c.sources) >= maxEntities && c.sources[s.ID].names == nil {
		return
	}
	if own := home.Clean(attributes(s.Attributes).text("friendly_name")); own != "" {
		name = own
	}
	c.sources[s.ID] = source{append([]string{name}, r.aliases...), s.State, s.Attributes}
}

// Called gives what the lists (todo), calendars or weather of Home Assistant are called, by their IDs.
func (c *Client) Called(domain string) (map[string][]string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost != nil { // what is known is from before
		return nil, c.absent(c.lost)
	}
	out := map[string][]string{}
	for id, s := range c.sources {
		if strings.HasPrefix(id, domain+".") {
			out[id] = s.names
		}
	}
	return out, nil
}

// Shown gives the state and the attributes of one of them; nothing where there is none.
func (c *Client) Shown(id string) (state string, attributes map[string]any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.sources[id]
	return s.state, maps.Clone(s.attributes)
}

// Do calls an action of one of them, and decodes what it responds with; into is nil for an action without a response.
func (c *Client) Do(ctx context.Context, action, id string, data map[string]any, into any) error {
	domain, service, _ := strings.Cut(action, ".")
	command := map[string]any{
		"type": "call_service", "domain": domain, "service": service, "service_data": data,
		"target": map[string]any{"entity_id": id},
	}
	if into != nil {
		command["return_response"] = true
	}
	var out struct {
		Response map[string]json.RawMessage `json:"response"`
	}
	if err := c.ask(ctx, command, &out); err != nil {
		return c.failure(fmt.Errorf("call %s of %s: %w", action, id, err))
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(out.Response[id], into); err != nil {
		return fmt.Errorf("decode the response of %s of %s: %w", action, id, err)
	}
	return nil
}

// Tell gives a command of the WebSocket API whose answer says no more than that it was done.
func (c *Client) Tell(ctx context.Context, command string, data map[string]any) error {
	data = maps.Clone(data)
	data["type"] = command
	if _, err := c.call(ctx, data); err != nil {
		return c.failure(fmt.Errorf("tell %s: %w", command, err))
	}
	return nil
}

// Read decodes what the REST API has at a path.
func (c *Client) Read(ctx context.Context, path string, query url.Values, into any) error {
	if err := c.Lost(); err != nil {
		return c.absent(err)
	}
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	at := c.base.JoinPath(path)
	at.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	req.Header.Set("Authorization", "Bearer "+c.opt.Token)
	res, err := c.http.Do(req)
	if err != nil {
		return c.failure(fmt.Errorf("read %s: %w: %w", path, home.ErrAway, err))
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return c.failure(fmt.Errorf("read %s: %w", path, &refusal{"http", res.Status}))
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, maxMessage)).Decode(into); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// failure is an error with the sentence for it.
func (c *Client) failure(err error) error {
	switch {
	case errors.As(err, new(*refusal)):
		return &tools.Failure{Say: c.opt.Book.Say("home.declined"), Cause: err}
	case errors.Is(err, home.ErrUnanswered):
		return &tools.Failure{Say: c.opt.Book.Say("home.agent_silent"), Cause: err}
	case errors.Is(err, home.ErrAway):
		if lost := c.Lost(); lost != nil { // which may say more
			err = lost
		}
		return c.absent(err)
	}
	return err
}

func (c *Client) absent(err error) error {
	return &tools.Failure{Say: c.opt.Book.Say(home.Apology(err)), Cause: err}
}
