package daemon

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"hearthd/config"
	"hearthd/daemon/api"
	"hearthd/daemon/control/web"
	"hearthd/daemon/ears"
	"hearthd/daemon/health"
	"hearthd/daemon/metrics"
	"hearthd/daemon/secrets"
	"hearthd/daemon/supervise"
	"hearthd/daemon/talk"
	"hearthd/daemon/thinkers"
	"hearthd/daemon/timeline"
	"hearthd/daemon/trace"
)

// tokenName is the file of the token that is made where none is configured, and sessionsName the
// file of the browsers that have logged in with it.
const (
	tokenName    = "console.token"
	sessionsName = "console.sessions"
)

// webConsole is the page for browsers. It is made before the control API, which says where the page
// is, and which the page serves.
type webConsole struct {
	*base
	token string
	where atomic.Pointer[api.Console]
}

// newWebConsole reads the token, or notes why there will be no page: a mistake costs the page and nothing
// else.
func (d *base) newWebConsole() *webConsole {
	p := &webConsole{base: d}
	p.where.Store(&api.Console{URLs: []string{}})
	if d.cfg.Console.Listen == "" {
		return p
	}
	var err error
	if p.token, err = secrets.Read(d.cfg.Console.Token); err == nil && p.token == "" {
		p.token, err = secrets.Made(filepath.Join(d.opt.StateDir, tokenName))
	}
	if err != nil {
		p.changed(nil, err)
	}
	return p
}

// serve makes the server of the page, if there is to be one.
func (d *webConsole) serve(api http.Handler, counts *metrics.Metrics, calls *talk.Exchange) []supervise.Part {
	c := &d.cfg.Console
	if c.Listen == "" || d.token == "" {
		return nil
	}
	o := web.Options{
		API: api, More: map[string]http.Handler{"GET /metrics": counts.Handler()},
		Listen: c.Listen, Hosts: slices.Concat(c.Hosts, web.Names()), CertFile: c.CertFile, KeyFile: c.KeyFile,
		Token: d.token, Sessions: filepath.Join(d.opt.StateDir, sessionsName), Changed: d.changed, Log: d.log,
	}
	if calls != nil {
		o.Calls = calls.Answer
	}
	s, err := web.New(o)
	if err != nil {
		d.changed(nil, err)
		return nil
	}
	return append(talkPart(calls),
		supervise.Part{Name: "metrics", Policy: supervise.Restart, Run: counts.Run},
		supervise.Part{Name: "console", Policy: supervise.Restart, Run: s.Run},
	)
}

// changed keeps the addresses of the page, and the condition that it is not there.
func (d *webConsole) changed(urls []string, err error) {
	now := api.Console{URLs: append([]string{}, urls...), Token: d.token, Metrics: web.MetricsToken(d.token)}
	if err != nil {
		now.Problem = err.Error()
		d.conditions.Set("console", health.Warning, unserved(err))
	} else {
		d.conditions.Clear("console")
		d.log.Info("console is served", "component", "console", "url", strings.Join(urls, " "))
	}
	d.where.Store(&now)
}

// unserved says why there is no page, and what a person can do.
func unserved(err error) string {
	op, ok := errors.AsType[*net.OpError](err)
	if !ok || op.Addr == nil || !errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Sprintf("The web console is not served: %v.", err)
	}
	return fmt.Sprintf("The web console is not served, because another program listens on %s: ss -ltnp names it; or choose "+
		"another console.listen.", op.Addr)
}

// console says where the page is, for the control API.
func (d *webConsole) console() api.Console { return *d.where.Load() }

// buildMetrics makes the counters that can be scraped at the console.
func (d *base) buildMetrics(microphone *ears.Microphone, m *thinkers.Thinkers) (*metrics.Metrics, error) {
	return metrics.New(metrics.Options{
		Bus: d.bus, Version: d.opt.Version, Log: d.log,
		Breakers: []string{"recogniser", "voice", "thinker", "responder", "broker"},
		Now: func() metrics.Now {
			return metrics.Now{
				Frames: microphone.Frames(), Dropped: microphone.Dropped(),
				Conditions: d.conditions.List(), EventsMissed: d.bus.Missed(), Unknown: m.Missed(),
			}
		},
	})
}

// newTurns makes the record of the last turns, and the export to a collector, if there is one.
func (d *base) newTurns() (turns *timeline.Recorder, traces []supervise.Part, err error) {
	var each func(*timeline.Turn)
	if d.cfg.Trace.URL != "" {
		x, err := trace.New(trace.Options{
			URL: d.cfg.Trace.URL, Key: d.secrets.Get(d.cfg.Trace.Key), Node: d.node, Version: d.opt.Version,
			Begun:   d.begun,
			Changed: d.tracesChanged, Log: d.log,
		})
		if err != nil {
			return nil, nil, err
		}
		each, traces = x.Turn, []supervise.Part{{Name: "trace", Policy: supervise.Restart, Run: x.Run}}
	}
	turns = timeline.New(d.bus, each)
	d.limitSounds(turns)
	return turns, traces, nil
}

// limitSounds sets how many utterances are kept: as many as the owner wants, and none where words
// are kept from everybody, because a recording reveals more than they do.
func (d *base) limitSounds(turns *timeline.Recorder) {
	turns.Sounds.Limit(recordings(d.now()))
}

func recordings(c *config.Config) int {
	if !c.Log.Transcripts {
		return 0
	}
	return c.Console.Recordings
}

func (d *base) tracesChanged(err error) {
	text := ""
	if err != nil {
		text = fmt.Sprintf("The collector of traces does not take them: %v.", err)
	}
	d.conditions.Keep("trace", health.Warning, text)
}
