package daemon

import (
	"fmt"

	"hearthd/daemon/health"
	"hearthd/daemon/supervise"
	"hearthd/tools"
	"hearthd/tools/mcp"
)

// mcpServers keeps the tools of the configured servers in r while they are there.
// No servers, no part.
func (d *Daemon) mcpServers(r *tools.Registry) ([]supervise.Part, error) {
	if len(d.cfg.Tools.MCP) == 0 {
		return nil, nil
	}
	o := mcp.Options{
		Registry: r, Version: d.opt.Version, Log: d.log,
		Changed: func(server string, err error) {
			if err == nil {
				d.conditions.Clear("mcp_" + server)
				return
			}
			d.conditions.Set("mcp_"+server, health.Warning, fmt.Sprintf("The server %s (MCP) is not reachable, and its tools are not offered.", server))
		},
	}
	for _, s := range d.cfg.Tools.MCP {
		key := d.secret(s.Secret)
		o.Servers = append(o.Servers, mcp.Server{
			Name: s.Name, Command: s.Command, URL: s.URL, Secret: key, SecretIn: s.SecretIn,
			Allow: s.Allow, Confirm: s.Confirm, ReadOnly: s.ReadOnly, Timeout: s.Timeout,
		})
	}
	c, err := mcp.New(o)
	if err != nil {
		return nil, err
	}
	return []supervise.Part{{Name: "mcp", Policy: supervise.Restart, Run: c.Run}}, nil
}
