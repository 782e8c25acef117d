package daemon

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"hearthd/daemon/devices"
	"hearthd/daemon/dialogue"
	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/engines"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/daemon/recall"
	"hearthd/daemon/responder"
	"hearthd/daemon/sentences"
	"hearthd/daemon/supervise"
	"hearthd/daemon/thinkers"
	"hearthd/daemon/timers"
	"hearthd/daemon/voice"
	"hearthd/llm"
	"hearthd/llm/stt"
	"hearthd/tools"
	"hearthd/tools/home/act"
	"hearthd/tools/home/entrance"
	"hearthd/tools/home/hass"
	"hearthd/tools/mcp"
	mediatools "hearthd/tools/media"
	"hearthd/tools/phrase"
)

// assistant is what understands requests, and what answers them.
type assistant struct {
	registry  *tools.Registry
	exec      *tools.Executor
	toolbox   *answer.Toolbox
	matcher   *sentences.Matcher
	hears     stt.Engine
	thinker   *thinkers.Thinkers       // nil: there is none
	files     thinkers.Files           // files that configure the thinkers and the responder
	responder *responder.Responder     // nil: there is none
	declared  []string                 // names of the tools that manifests declare
	services  atomic.Pointer[[]string] // names of the tools that ask services, or keep a calendar
	devices   *devices.Devices
	homes     *homes
	lists     lists
	playing   mediatools.Options
	servers   *mcp.Client      // of tools
	sources   []supervise.Part // the parts that run for servers and documents
}

// lists are the shopping list and others, wherever they are kept.
type lists interface {
	Lists(ctx context.Context) (map[string][]string, error)
	Items(ctx context.Context, list string) ([]string, error)
	AddItems(ctx context.Context, list string, names []string) (added []string, err error)
	RemoveItems(ctx context.Context, list string, names []string) (removed []string, err error)
}

// toolsEnd is how long tools that outlived their turn may take at the end.
const toolsEnd = time.Second

// finish waits, once ctx has ended, for tools that outlived their turn.
func (h *assistant) finish(ctx context.Context) error {
	<-ctx.Done()
	wctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), toolsEnd)
	defer cancel()
	return h.exec.Wait(wctx)
}

// declaredTools loads the manifests and gives the names of their tools. A mistake is
// named and the rest loads.
func (d *base) declaredTools(r *tools.Registry) (names []string) {
	loaded, mistakes := tools.LoadDir(r, d.cfg.Tools.Dir)
	for _, c := range d.offered(loaded) {
		names = append(names, c.Spec().Name)
	}
	for _, m := range mistakes {
		d.log.Error("declared tool refused", "component", "tools", "error", m)
	}
	if n := len(mistakes); n > 0 {
		d.conditions.Set("tools", health.Warning, fmt.Sprintf("Mistakes in declared tools: %d; the first: %v.", n,
			mistakes[0]))
	}
	return names
}

// offered are the declared tools whose programs and files exist.
func (d *base) offered(loaded []*tools.Command) (list []tools.Tool) {
	for _, c := range loaded {
		if lacks := c.Missing(); len(lacks) > 0 {
			d.log.Info("declared tool not offered", "component", "tools", "tool", c.Spec().Name, "reason",
				"it lacks "+strings.Join(lacks, ", "))
			continue
		}
		list = append(list, c)
	}
	return list
}

func toolNames(list []tools.Tool) []string {
	return each(list, func(t tools.Tool) string { return t.Spec().Name })
}

// thinkersTools are the tools offered to thinkers, run as thinkers run them.
type thinkersTools struct {
	*tools.Registry
	*answer.Toolbox
}

// answers are the options of the answers of one machine, but for its thinker and its responder.
func (d *base) answers(h *assistant, bus *event.Bus, v *voice.Voice, rings *timers.Timers,
	known *recall.Recollection) answer.Options {
	return answer.Options{
		Log: d.log, Bus: bus, Tools: h.toolbox, Voice: v, Matcher: h.matcher, Offers: offers{h.registry, d},
		Memory: remembering{known, h.thinker}, Ringing: d.ringing(rings),
		FirstAudio: d.cfg.Responder.FirstAudio, Transcripts: d.cfg.Log.Transcripts,
		Forgets: d.folder.Forgets(),
	}
}

// remembering takes each finished turn, to remember of it what is worth it.
type remembering struct {
	people   *recall.Recollection
	thinkers *thinkers.Thinkers // nil: there are none
}

func (r remembering) Remember(ask llm.Ask, answer string) {
	r.people.Heard(ask)
	r.thinkers.Reflect(ask, answer)
}

// offers are the tools that work now.
type offers struct {
	*tools.Registry
	*base
}

// Missing is the sentence that says what a tool that does not work lacks, or "".
func (o offers) Missing(tool string) string { return o.missing(tool) }

// ringPause is how long the box listens between two rounds of ringing.
const ringPause = 4 * time.Second

// ringing is how what has ended rings.
func (d *base) ringing(rings *timers.Timers) answer.Ringing {
	r := d.cfg.Tools.Ring
	return answer.Ringing{
		Limit: r.Limit, Pause: ringPause, Volume: r.Volume, Timers: rings,
		Enders: []string{"speaker_stop", "alarm_snooze", "alarm_cancel", "timer_cancel", "reminder_cancel"},
	}
}

// buildUnderstanding makes the matcher and the recogniser.
func (d *base) buildUnderstanding(h *assistant) (err error) {
	triggers, learner := sentences.Triggers(h.registry), sentences.NewLearner(h.matcher,
		filepath.Join(d.opt.RuntimeDir, "pocketsphinx"), d.log)
	if d.cfg.STT.Engine != "pocketsphinx" {
		if _, err = d.sentences.Teach(h.matcher, triggers, nil); err != nil {
			return err
		}
		builtIn := func(ctx context.Context) (stt.Engine, error) {
			_, err := learner.Learn(ctx)
			return learner, err
		}
		if sentences.Unhearable(d.cfg) != nil {
			builtIn = nil
		}
		var phrase *engines.Phrase
		if builtIn != nil && d.cfg.Wake.Engine == dialogue.WakePhrase {
			phrase = &engines.Phrase{Called: h.matcher.Called}
			phrase.Engine, err = sentences.NewPhrase(d.now, filepath.Join(d.opt.RuntimeDir, "pocketsphinx"), d.log)
			if err != nil { // what the server writes has to begin with it then
				d.log.Info("the wake phrase is not heard beside the server", "component", "stt", "error", err)
				phrase = nil
			}
		}
		h.hears, err = d.engines.Recogniser(builtIn, h.matcher.Asks, h.matcher.HotWords, phrase)
		return err
	}
	unheard, err := d.sentences.Teach(h.matcher, triggers, learner)
	if h.hears = learner; unheard != nil {
		// The package only recommends the engine; without one the box answers text only.
		if d.cfg.Wake.Engine != dialogue.WakeOff { // else nobody is listened to, but a browser that talks
			d.conditions.Set("recogniser", health.Error, "Speech to text does not work: "+unheard.Error()+".")
		}
		broken := engines.Broken{Err: unheard}
		if sentences.Unhearable(d.cfg) == nil {
			broken.Again = learner
		}
		h.hears = broken
	}
	return err
}

// ownAgent is Home Assistant's own agent. It would open a door without asking, so it gets no
// sentence that may mean that.
type ownAgent struct {
	agent    *hass.Client
	ours     *devices.Devices
	book     *phrase.Book
	its      *act.Home // the devices that the agent knows
	language string
}

func newOwnAgent(c *hass.Client, ours *devices.Devices, book *phrase.Book, language string) (ownAgent, error) {
	its, err := act.New(act.Options{Devices: c, Marks: ours.Marks})
	return ownAgent{c, ours, book, its, language}, err
}

// Offer has the agent do or answer what text asks, unless it may open the house.
func (a ownAgent) Offer(ctx context.Context, text string) (tools.Result, bool, error) {
	if a.ours.NamesWayIn(text) || a.its.NamesWayIn(text) ||
		entrance.Asked(text+", everything") { // it opens things that no word names: all the covers
		return tools.Result{}, false, nil
	}
	r, taken, err := a.agent.Offer(ctx, text, a.language)
	if taken && err != nil {
		r.Text = a.book.Say("home.agent_silent")
	}
	return r, taken, err
}
