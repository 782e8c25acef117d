package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"hearthd/daemon/health"
	"hearthd/daemon/mqtt"
	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/queue"
	"hearthd/daemon/recall"
	"hearthd/daemon/supervise"
	"hearthd/memory"
	"hearthd/tools"
	"hearthd/tools/home"
	"hearthd/tools/home/discovery"
	"hearthd/tools/home/hass"
	"hearthd/tools/knowledge"
	"hearthd/tools/mcp"
	"hearthd/tools/phrase"
)

var _ home.Devices = (*discovery.Hub)(nil)
var _ home.Devices = (*hass.Client)(nil)

// homes is where the devices are from.
type homes struct {
	source home.Devices   // nil: there are no devices
	feed   *mqtt.Feed     // nil: they are not on the broker
	hub    *discovery.Hub // of the feed, or nil
	agent  *hass.Client   // nil: there is no Home Assistant
	house  houseAssistant // the same, or noAssistant
	found  queue.Bell     // rings when there are other devices, or names
	parts  []supervise.Part
}

// buildHomes finds the devices where the configuration says.
func (d *base) buildHomes() (*homes, error) {
	c, s := &d.cfg.Tools.Home, &homes{found: queue.NewBell()}
	var err error
	if s.agent, err = d.buildHomeAssistant(s.found.Ring); err != nil {
		return nil, err
	}
	if s.house = s.agent; s.agent == nil {
		s.house = noAssistant{d.book}
	}
	switch {
	case c.Source == "mqtt" && d.cfg.MQTT.Broker != contract.NoBroker:
		s.feed = mqtt.NewFeed()
		if s.hub, err = discovery.New(discovery.Options{Broker: s.feed, Prefix: c.Prefix, Birth: c.Birth,
			Found: s.found.Ring,
			Log:   d.log}); err != nil {
			return nil, err
		}
		s.feed.Deliver(s.hub)
		s.source, s.parts = s.hub, []supervise.Part{{Name: "home", Policy: supervise.Restart, Run: s.hub.Run}}
	case c.Source == "homeassistant" && s.agent != nil:
		s.source = s.agent
	}
	if s.agent != nil {
		s.parts = append(s.parts, supervise.Part{Name: "home assistant", Policy: supervise.Restart, Run: s.agent.Run})
	}
	return s, nil
}

// buildHomeAssistant makes the client. Without an address or its token there is none.
func (d *base) buildHomeAssistant(found func()) (*hass.Client, error) {
	c := &d.cfg.Tools.Home
	if c.URL == "" {
		return nil, nil
	}
	token := d.secrets.Get(c.Token)
	if token == "" {
		d.conditions.Set("homeassistant", health.Error, "Home Assistant is not asked: its token is missing.")
		return nil, nil
	}
	o := hass.Options{URL: c.URL, Token: token, Changed: d.homeAssistantChanged, Book: d.book, Log: d.log}
	if c.Source == "homeassistant" {
		o.Found = found
	}
	return hass.New(o)
}

// houseAssistant is a Home Assistant that lists, calendars and the weather are asked of.
type houseAssistant interface {
	Called(domain string) (map[string][]string, error)
	Shown(id string) (state string, attributes map[string]any)
	Do(ctx context.Context, action, id string, data map[string]any, into any) error
	Read(ctx context.Context, path string, query url.Values, into any) error
	Tell(ctx context.Context, command string, data map[string]any) error
}

// noAssistant is in its place where its token is missing, of which a condition tells.
type noAssistant struct{ book *phrase.Book }

func (n noAssistant) gone() error {
	return &tools.Failure{Say: n.book.Say(home.Apology(home.ErrAway)), Cause: home.ErrAway}
}

func (n noAssistant) Called(string) (map[string][]string, error) {
	return nil, n.gone()
}

func (n noAssistant) Shown(string) (string, map[string]any) { return "", nil }

func (n noAssistant) Do(context.Context, string, string, map[string]any, any) error {
	return n.gone()
}

func (d *base) homeAssistantChanged(err error) {
	switch {
	case err == nil:
		d.conditions.Clear("homeassistant")
	case errors.Is(err, home.ErrRefused):
		d.conditions.Set("homeassistant", health.Error,
			"Home Assistant refuses the token. Make a new one there, put it where tools.home.token says, and restart hearthd.")
	default:
		d.conditions.Set("homeassistant", health.Warning, "Home Assistant does not answer.")
		d.log.Warn("home assistant lost", "component", "home", "error", err)
	}
}

func (n noAssistant) Read(context.Context, string, url.Values, any) error {
	return n.gone()
}

func (n noAssistant) Tell(context.Context, string, map[string]any) error {
	return n.gone()
}

// mcpServers are the configured servers, whose tools are in r while the servers are there.
func (d *base) mcpServers(r *tools.Registry, store *memory.Store) (*mcp.Client, error) {
	o := mcp.Options{
		Registry: r, Version: d.opt.Version, Log: d.log, Pins: store, Withheld: d.withheld,
		Changed: func(server string, err error) {
			text := ""
			if err != nil {
				text = fmt.Sprintf("The server %s (MCP) is not reachable, and its tools are not offered.", server)
			}
			d.conditions.Keep("mcp_"+server, health.Warning, text)
		},
	}
	for _, s := range d.cfg.Tools.MCP {
		key := d.secrets.Get(s.Secret)
		o.Servers = append(o.Servers, mcp.Server{
			Name: s.Name, Command: s.Command, URL: s.URL, Secret: key, SecretIn: s.SecretIn,
			Allow: s.Allow, Confirm: s.Confirm, ReadOnly: s.ReadOnly, Timeout: s.Timeout,
		})
	}
	return mcp.New(o)
}

// withheld asks the owner about tools whose descriptions have changed.
func (d *base) withheld(server string, changes []mcp.Change) {
	code := "mcp_" + server + "_changed"
	if len(changes) == 0 {
		d.conditions.Clear(code)
		return
	}
	var names []string
	for _, c := range changes[:min(len(changes), maxNamed)] {
		names = append(names, c.Tool)
	}
	d.conditions.Set(code, health.Warning, fmt.Sprintf(
		"The server %s (MCP) describes %d of its tools otherwise than before (%s). "+
			"They are not offered until you agree: hearthctl tools accept %s.",
		server, len(changes), strings.Join(names, ", "), server))
}

// maxNamed is how many tools a condition names.
const maxNamed = 5

// buildKnowledge makes the knowledge base, whose tool is in r while there is a
// document.
func (d *base) buildKnowledge(r *tools.Registry, store *memory.Store, known *recall.Recollection,
	quiet func() bool) ([]supervise.Part, error) {
	o := knowledge.Options{
		Book: d.book,
		Dir:  d.cfg.Tools.Knowledge.Dir, Store: store, Model: known.Model(), NoRoom: memory.ErrNoRoom,
		Idle: quiet, PDF: d.cfg.Tools.Knowledge.PDF, Log: d.log,
	}
	if m := known.Meanings(); m != nil {
		o.Meaning = m
	}
	if o.Dir == "" {
		o.Dir = filepath.Join(d.opt.StateDir, "knowledge")
		if err := os.Mkdir(o.Dir, 0o750); err != nil && !errors.Is(err, fs.ErrExist) {
			d.log.Warn("make folder of documents", "component", "knowledge", "path", o.Dir, "error", err)
		}
	}
	o.Changed = func(s knowledge.Status, tool tools.Tool) {
		if has := r.Has(knowledge.ToolName); s.Documents > 0 && !has {
			if err := r.Register(tool); err != nil {
				d.log.Warn("offer tool", "component", "knowledge", "tool", knowledge.ToolName, "error", err)
			}
		} else if s.Documents == 0 && has {
			r.Withdraw(knowledge.ToolName)
		}
		d.documentsUnread(s)
	}
	k, err := knowledge.New(o)
	if err != nil {
		return nil, err
	}
	return []supervise.Part{{Name: "knowledge", Policy: supervise.Restart, Run: k.Run}}, nil
}

// documentsUnread is the text of the condition about files of the knowledge base that cannot be
// searched.
func (d *base) documentsUnread(s knowledge.Status) {
	text := ""
	switch {
	case s.Missing:
		text = "The folder of documents is not there; see tools.knowledge.dir."
	case s.Failed > 0:
		text = fmt.Sprintf("Documents that cannot be read: %d; the first: %s.", s.Failed,
			strings.TrimRight(s.Problems[0], "."))
	case s.Skipped > 0:
		text = fmt.Sprintf("Documents that were left out, because there are too many or their folder cannot be "+
			"read: %d.",
			s.Skipped)
	}
	d.conditions.Keep("knowledge", health.Warning, text)
}
