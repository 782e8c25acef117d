package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// counters are the metrics that events change.
type counters struct {
	turns, wakes, utterances, ignored, tools, answers, tokens, rings *prometheus.CounterVec
	bargeIns, hushes, cost                                           prometheus.Counter
	stages                                                           *prometheus.HistogramVec
	toolSeconds                                                      prometheus.Histogram
}

// seconds are the bounds of the histograms: from what nobody notices to the time limit of a
// turn that thinks (2 minutes).
func seconds() []float64 {
	return []float64{.01, .02, .05, .1, .2, .3, .5, .7, 1, 1.5, 2, 3, 5, 10, 30, 60, 120}
}

// newCounters registers them with r.
func newCounters(r prometheus.Registerer) counters {
	in := promauto.With(r)
	counted := func(name, help string, labels ...string) *prometheus.CounterVec {
		return in.NewCounterVec(prometheus.CounterOpts{Namespace: "hearthd", Name: name, Help: help}, labels)
	}
	one := func(name, help string) prometheus.Counter {
		return in.NewCounter(prometheus.CounterOpts{Namespace: "hearthd", Name: name, Help: help})
	}
	took := func(name, help string) prometheus.HistogramOpts {
		return prometheus.HistogramOpts{Namespace: "hearthd", Name: name, Help: help, Buckets: seconds()}
	}
	return counters{
		turns:      counted("turns_total", "Turns that ended.", "source", "route", "outcome"),
		wakes:      counted("wakes_total", "What opened turns.", "by"),
		utterances: counted("utterances_total", "Utterances, by how they ended.", "reason"),
		ignored:    counted("utterances_ignored_total", "Utterances that opened no turn.", "reason"),
		tools:      counted("tool_calls_total", "Tool calls.", "tool", "outcome"),
		answers: counted("thinker_answers_total", "Answers of thinkers; cached: kept from before.", "thinker",
			"cached"),
		tokens: counted("tokens_total", "Tokens of models; evaluated: those of prompts that no cache held.",
			"kind"),
		rings:    counted("rings_total", "Timers, alarms and reminders that rang.", "kind"),
		bargeIns: one("barge_ins_total", "Answers that speech cut."),
		hushes:   one("stop_words_total", "Stop words that stopped something."),
		cost:     one("cost_total", "What responders cost, in the money of responder.prices.currency."),
		stages: in.NewHistogramVec(
			took("turn_stage_seconds", "Stages of turns, as stages_ms of the turn's document."), []string{"stage"}),
		toolSeconds: in.NewHistogram(took("tool_seconds", "Tool calls.")),
	}
}
