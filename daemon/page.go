package daemon

import (
	"cmp"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"hearthd/config"
	"hearthd/daemon/api"
	"hearthd/daemon/control/web"
	"hearthd/daemon/health"
	"hearthd/daemon/supervise"
)

// tokenName is the file of the token that is made where the configuration has none.
const tokenName = "console.token"

// buildConsole makes the web page over the control API, if there is to be one. A
// mistake in its token or its certificate costs the page and nothing else.
func (d *Daemon) buildConsole(h *house, api http.Handler) ([]supervise.Part, error) {
	c := &d.cfg.Console
	if c.Listen == "" {
		return nil, nil
	}
	counts, err := d.buildMetrics()
	if err != nil {
		return nil, err
	}
	calls, err := d.buildTalk(h)
	if err != nil {
		return nil, err
	}
	more := map[string]http.Handler{"GET /metrics": counts.Handler()}
	if calls != nil {
		more["POST /v1/talk"] = calls.Handler()
	}
	s, err := d.newConsole(c, api, more)
	if err != nil {
		d.consoleChanged("", nil, err)
		return nil, nil
	}
	return append(talkPart(calls),
		supervise.Part{Name: "metrics", Policy: supervise.Restart, Run: counts.Run},
		supervise.Part{Name: "console", Policy: supervise.Restart, Run: s.Run},
	), nil
}

func (d *Daemon) newConsole(c *config.Console, api http.Handler, more map[string]http.Handler) (*web.Server, error) {
	token := ""
	if !c.Open() {
		var err error
		if token, err = secret(c.Token); err == nil && token == "" {
			token, err = web.Token(filepath.Join(d.opt.StateDir, tokenName))
		}
		if err != nil {
			return nil, err
		}
	}
	return web.New(web.Options{
		Listen: c.Listen, Hosts: slices.Concat(c.Hosts, web.Names()), Token: token, CertFile: c.CertFile, KeyFile: c.KeyFile,
		API: api, More: more, Changed: func(urls []string, err error) { d.consoleChanged(token, urls, err) }, Log: d.log,
	})
}

// consoleChanged keeps where the page is, and the condition that it is not there.
func (d *Daemon) consoleChanged(token string, urls []string, err error) {
	now := api.Console{URLs: urls, Token: token}
	if err != nil {
		now.Problem = err.Error()
		d.conditions.Set("console", health.Warning, fmt.Sprintf("The web console is not served: %v.", err))
	} else {
		d.conditions.Clear("console")
		d.log.Info("console is served", "component", "console", "url", strings.Join(urls, " "))
	}
	d.page.Store(&now)
}

// whereConsole is where the page is, for the control API.
func (d *Daemon) whereConsole() api.Console {
	now := *cmp.Or(d.page.Load(), &api.Console{})
	if now.URLs == nil {
		now.URLs = []string{}
	}
	return now
}
