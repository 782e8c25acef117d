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

// tokenName is the file of the token that is made where the configuration has none, and
// sessionsName that of the browsers that have shown it.
const (
	tokenName    = "console.token"
	sessionsName = "console.sessions"
)

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
	o := web.Options{API: api, More: map[string]http.Handler{"GET /metrics": counts.Handler()}}
	if calls != nil {
		o.Calls = calls.Answer
	}
	s, err := d.newConsole(c, o)
	if err != nil {
		d.consoleChanged("", nil, err)
		return nil, nil
	}
	return append(talkPart(calls),
		supervise.Part{Name: "metrics", Policy: supervise.Restart, Run: counts.Run},
		supervise.Part{Name: "console", Policy: supervise.Restart, Run: s.Run},
	), nil
}

// newConsole completes o, which has what is served.
func (d *Daemon) newConsole(c *config.Console, o web.Options) (*web.Server, error) {
	token, err := secret(c.Token)
	if err == nil && token == "" {
		token, err = madeSecret(filepath.Join(d.opt.StateDir, tokenName))
	}
	if err != nil {
		return nil, err
	}
	o.Listen, o.Hosts = c.Listen, slices.Concat(c.Hosts, web.Names())
	o.Token, o.Sessions = token, filepath.Join(d.opt.StateDir, sessionsName)
	o.CertFile, o.KeyFile = c.CertFile, c.KeyFile
	o.Changed = func(urls []string, err error) { d.consoleChanged(token, urls, err) }
	o.Log = d.log
	return web.New(o)
}

// consoleChanged keeps where the page is, and the condition that it is not there.
func (d *Daemon) consoleChanged(token string, urls []string, err error) {
	now := api.Console{URLs: urls, Token: token, Metrics: web.MetricsToken(token)}
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
