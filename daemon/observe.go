package daemon

import (
	"fmt"

	"hearthd/config"
	"hearthd/daemon/ears"
	"hearthd/daemon/health"
	"hearthd/daemon/metrics"
	"hearthd/daemon/supervise"
	"hearthd/daemon/thinkers"
	"hearthd/daemon/timeline"
	"hearthd/daemon/trace"
)

// buildMetrics counts for whoever scrapes the console.
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

// newTurns keeps how the last turns went, and tells a collector, if there is one.
func (d *base) newTurns() (turns *timeline.Recorder, traces []supervise.Part, err error) {
	var each func(*timeline.Turn)
	if d.cfg.Trace.URL != "" {
		x, err := trace.New(trace.Options{
			URL: d.cfg.Trace.URL, Key: d.secrets.Get(d.cfg.Trace.Key), Node: d.node, Version: d.opt.Version, Begun: d.begun,
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

// limitSounds has as many utterances kept as the owner wants, and none where words are
// kept from everybody: a recording tells more than they do.
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
