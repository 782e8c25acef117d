// Package metrics counts what the daemon does and shows it in Prometheus' text format. It
// watches the event bus in one goroutine, that of Run, and reads the present state when it
// is scraped. No word that was heard or said is a label. It owns no buffer but its
// subscription, and must import nothing of hearthd but daemon/event and daemon/health.
package metrics

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"hearthd/daemon/event"
)

// queue is how many events may wait to be counted.
const queue = 256

// maxScrapes bounds the scrapes that are answered at once.
const maxScrapes = 4

// Now is state that is read at a scrape.
type Now struct {
	Frames       uint64 // captured since the start
	Dropped      uint64 // samples that found the capture ring full
	Unknown      uint64 // requests for thinkers that do not exist
	Conditions   []event.Condition
	EventsMissed map[string]uint64 // by observer
}

// Options are the events that are counted, and the state that is read at a scrape.
type Options struct {
	Bus     *event.Bus
	Version string
	// Breakers are the parts that are not used for a while after a failure, each by the
	// condition that holds meanwhile.
	Breakers []string
	Now      func() Now
	Log      *slog.Logger
}

// Metrics counts from New on.
type Metrics struct {
	opt      Options
	sub      *event.Subscription
	registry *prometheus.Registry
	counters
}

// New subscribes at once, so that no event of the start is missed.
func New(opt Options) (*Metrics, error) {
	if opt.Bus == nil || opt.Now == nil || opt.Log == nil {
		return nil, errors.New("new metrics: bus, state and log are needed")
	}
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		newNow(&opt))
	return &Metrics{opt: opt, sub: opt.Bus.Subscribe("metrics", queue), registry: r, counters: newCounters(r)}, nil
}

// Handler answers a scrape.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		MaxRequestsInFlight: maxScrapes,
		ErrorLog:            slog.NewLogLogger(m.opt.Log.With("component", "metrics").Handler(), slog.LevelWarn),
	})
}

// Run counts until ctx ends.
func (m *Metrics) Run(ctx context.Context) error {
	for {
		select {
		case e := <-m.sub.C():
			m.count(e)
		case <-ctx.Done():
			return nil
		}
	}
}

// count takes one event. The labels are names of tools, wake words and domains, whose
// number the configuration bounds, and words of hearthd's own.
func (m *Metrics) count(e event.Event) {
	switch e := e.(type) {
	case *event.Woken:
		m.wakes.WithLabelValues(e.By).Inc()
	case *event.SpeechEnded:
		m.utterances.WithLabelValues(e.Reason).Inc()
	case *event.Ignored:
		m.ignored.WithLabelValues(e.Reason).Inc()
	case *event.BargeIn:
		m.bargeIns.Inc()
	case *event.Hushed:
		m.hushes.Inc()
	case *event.ToolFinished:
		m.tools.WithLabelValues(e.Tool, e.Outcome).Inc()
		m.toolSeconds.Observe(float64(e.TookMS) / 1000)
	case *event.TimerFired:
		m.rings.WithLabelValues(e.Timer.Kind).Inc()
	case *event.Turn:
		m.turn(e)
	}
}

func (m *Metrics) turn(t *event.Turn) {
	m.turns.WithLabelValues(t.Source, t.Route, t.Outcome).Inc()
	for _, s := range append(t.Stages.Parts(), event.Stage{Name: "first_token", Took: t.FirstTokenMS},
		event.Stage{Name: "first_sound", Took: t.Stages.FirstSound}, event.Stage{Name: "total", Took: t.Stages.Total}) {
		if s.Took > 0 { // otherwise the turn did not have that stage
			m.stages.WithLabelValues(s.Name).Observe(float64(s.Took) / 1000)
		}
	}
	if t.Thinker != "" {
		m.answers.WithLabelValues(t.Thinker, yesNo(t.Cached)).Inc()
	}
	m.tokens.WithLabelValues("prompt").Add(float64(t.PromptTokens))
	m.tokens.WithLabelValues("evaluated").Add(float64(t.EvaluatedTokens))
	m.tokens.WithLabelValues("output").Add(float64(t.OutputTokens))
	m.cost.Add(max(t.Cost, 0))
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// now is a collector of the state at a scrape.
type now struct {
	opt                                                      *Options
	build, frames, dropped, unknown, condition, open, missed *prometheus.Desc
}

func newNow(opt *Options) *now {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("hearthd_"+name, help, labels, nil)
	}
	return &now{
		opt:       opt,
		build:     desc("build_info", "Version of hearthd.", "version"),
		frames:    desc("frames_total", "Frames of 20 ms that were captured."),
		dropped:   desc("samples_dropped_total", "Samples that found the capture ring full."),
		unknown:   desc("unknown_thinkers_total", "Thinkers that the responder asked for and that there are not."),
		condition: desc("condition", "1 for each health problem that stands.", "code", "severity"),
		open:      desc("breaker_open", "1 while a part that failed is left alone.", "part"),
		missed:    desc("events_missed_total", "Events that an observer was too slow for.", "observer"),
	}
}

// Describe sends nothing: the labels of some metrics depend on the state.
func (n *now) Describe(chan<- *prometheus.Desc) {}

// Collect reads the state once.
func (n *now) Collect(ch chan<- prometheus.Metric) {
	give := func(d *prometheus.Desc, kind prometheus.ValueType, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, kind, v, labels...)
	}
	s := n.opt.Now()
	give(n.build, prometheus.GaugeValue, 1, strings.ToValidUTF8(n.opt.Version, "?"))
	give(n.frames, prometheus.CounterValue, float64(s.Frames))
	give(n.dropped, prometheus.CounterValue, float64(s.Dropped))
	give(n.unknown, prometheus.CounterValue, float64(s.Unknown))
	holds := make(map[string]bool, len(s.Conditions))
	for _, c := range s.Conditions {
		holds[c.Code] = true
		give(n.condition, prometheus.GaugeValue, 1, c.Code, string(c.Severity))
	}
	for _, part := range n.opt.Breakers {
		v := 0.0
		if holds[part] {
			v = 1
		}
		give(n.open, prometheus.GaugeValue, v, part)
	}
	for name, count := range s.EventsMissed {
		give(n.missed, prometheus.CounterValue, float64(count), name)
	}
}
