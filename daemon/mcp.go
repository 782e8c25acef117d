package daemon

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"hearthd/daemon/api"
	"hearthd/daemon/dialogue"
	"hearthd/daemon/health"
	"hearthd/daemon/supervise"
	"hearthd/memory"
	"hearthd/tools"
	"hearthd/tools/mcp"
)

// mcpServers are the configured servers, whose tools are kept in r while they are there.
func (d *base) mcpServers(r *tools.Registry, store *memory.Store) (servers, error) {
	o := mcp.Options{
		Registry: r, Version: d.opt.Version, Log: d.log, Pins: store, Withheld: d.withheld,
		Changed: func(server string, err error) {
			if err == nil {
				d.conditions.Clear("mcp_" + server)
				return
			}
			d.conditions.Set("mcp_"+server, health.Warning, fmt.Sprintf("The server %s (MCP) is not reachable, and its tools are not offered.", server))
		},
	}
	for _, s := range d.cfg.Tools.MCP {
		key := d.secrets.Get(s.Secret)
		o.Servers = append(o.Servers, mcp.Server{
			Name: s.Name, Command: s.Command, URL: s.URL, Secret: key, SecretIn: s.SecretIn,
			Allow: s.Allow, Confirm: s.Confirm, ReadOnly: s.ReadOnly, Timeout: s.Timeout,
		})
	}
	c, err := mcp.New(o)
	return servers{c}, err
}

// withheld has the owner asked about tools whose descriptions have changed.
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

// servers are the MCP servers as the control API sees them.
type servers struct{ *mcp.Client }

// parts run what there is to run.
func (s servers) parts() []supervise.Part {
	return []supervise.Part{{Name: "mcp", Policy: supervise.Restart, Run: s.Run}}
}

func (s servers) ToolChanges() []api.ToolChange {
	list := []api.ToolChange{}
	for _, c := range s.Changes() {
		list = append(list, api.ToolChange(c))
	}
	return list
}

func (s servers) AcceptTool(ctx context.Context, c api.ToolAcceptance) error {
	err := s.Accept(ctx, c.Server, c.Tool, c.Hash)
	if errors.Is(err, mcp.ErrOther) {
		return dialogue.Refusal(err.Error())
	}
	return err
}
