package daemon

import (
	"cmp"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"hearthd/config"
	"hearthd/daemon/api"
	"hearthd/daemon/control/web"
	"hearthd/daemon/health"
	"hearthd/daemon/metrics"
	"hearthd/daemon/secrets"
	"hearthd/daemon/supervise"
	"hearthd/daemon/talk"
)

// tokenName is the file of the token that is made where the configuration has none, and
// sessionsName that of the browsers that have shown it.
const (
	tokenName    = "console.token"
	sessionsName = "console.sessions"
)

// page is the web console, and where it is served.
type page struct {
	*base
	where atomic.Pointer[api.Console] // nil: it is not served yet
}

// build makes the web page over the control API, if there is to be one. A
// mistake in its token or its certificate costs the page and nothing else.
func (d *page) build(api http.Handler, counts *metrics.Metrics, calls *talk.Exchange) []supervise.Part {
	c := &d.cfg.Console
	if c.Listen == "" {
		return nil
	}
	o := web.Options{API: api, More: map[string]http.Handler{"GET /metrics": counts.Handler()}}
	if calls != nil {
		o.Calls = calls.Answer
	}
	s, err := d.newConsole(c, o)
	if err != nil {
		d.changed("", nil, err)
		return nil
	}
	return append(talkPart(calls),
		supervise.Part{Name: "metrics", Policy: supervise.Restart, Run: counts.Run},
		supervise.Part{Name: "console", Policy: supervise.Restart, Run: s.Run},
	)
}

// newConsole completes o, which has what is served.
func (d *page) newConsole(c *config.Console, o web.Options) (*web.Server, error) {
	token, err := secrets.Read(c.Token)
	if err == nil && token == "" {
		token, err = secrets.Made(filepath.Join(d.opt.StateDir, tokenName))
	}
	if err != nil {
		return nil, err
	}
	o.Listen, o.Hosts = c.Listen, slices.Concat(c.Hosts, web.Names())
	o.Token, o.Sessions = token, filepath.Join(d.opt.StateDir, sessionsName)
	o.CertFile, o.KeyFile = c.CertFile, c.KeyFile
	o.Changed = func(urls []string, err error) { d.changed(token, urls, err) }
	o.Log = d.log
	return web.New(o)
}

// changed keeps where the page is, and the condition that it is not there.
func (d *page) changed(token string, urls []string, err error) {
	now := api.Console{URLs: append([]string{}, urls...), Token: token, Metrics: web.MetricsToken(token)}
	if err != nil {
		now.Problem = err.Error()
		d.conditions.Set("console", health.Warning, fmt.Sprintf("The web console is not served: %v.", err))
	} else {
		d.conditions.Clear("console")
		d.log.Info("console is served", "component", "console", "url", strings.Join(urls, " "))
	}
	d.where.Store(&now)
}

// console is where the page is, for the control API.
func (d *page) console() api.Console {
	return *cmp.Or(d.where.Load(), &api.Console{URLs: []string{}})
}
