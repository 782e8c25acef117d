package prints

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"hearthd/audio"
	"hearthd/config/letters"
	"hearthd/daemon/api"
	"hearthd/daemon/health"
	"hearthd/daemon/refusal"
	"hearthd/llm/wyoming"
	"hearthd/memory"
)

const (
	// dialLimit and printLimit bound one print: a model is loaded within seconds, when nobody waits.
	dialLimit, printLimit = time.Second, 10 * time.Second
	// awayTime is for how long a server that failed is left alone.
	awayTime = 15 * time.Second
	// shortest and longest are how much voice a print is made of, in samples: of less it says little, and of more
	// it says no more.
	shortest, longest = 4 * audio.Rate / 10, 10 * audio.Rate
)

// recorder records what is said to the box.
type recorder interface {
	Begin() (end func(), err error)
	Record(ctx context.Context, most int) ([]int16, error)
}

// Options are what Prints work with.
type Options struct {
	Server     string // unix:/path of a hearth-speech; empty: nobody is known by their voice
	Store      *memory.Store
	People     []string // who may leave prints
	Recorder   recorder
	Erased     func() // is called when prints, and the store's backups with them, were erased
	Conditions *health.Conditions
	Log        *slog.Logger
}

// Prints are those of the household.
type Prints struct {
	opt Options

	mu    sync.Mutex
	until time.Time // the server is left alone
}

// New opens nothing.
func New(o Options) (*Prints, error) {
	if o.Server != "" && !strings.HasPrefix(o.Server, "unix:") {
		return nil, fmt.Errorf("prints of voices stay on this box: %q is not unix:/path", o.Server)
	}
	return &Prints{opt: o}, nil
}

// Who is the person in memory.people whose voice is in samples, mono at audio.Rate, or empty: it is not known.
func (p *Prints) Who(ctx context.Context, samples []int16) string {
	said := voiced(samples)
	if len(said) < shortest || p.away() {
		return ""
	}
	known, err := p.opt.Store.VoicePrints(ctx)
	if err != nil {
		p.opt.Log.WarnContext(ctx, "read voice prints", "component", "memory", "error", err)
	}
	if len(known) == 0 {
		if err == nil { // nobody misses the server
			p.opt.Conditions.Keep("voices", health.Warning, "")
		}
		return ""
	}
	heard, err := p.print(ctx, said)
	if err != nil {
		return ""
	}
	who, best, second := nearest(heard, known)
	p.opt.Log.DebugContext(ctx, "voice compared", "component", "prints", "score", best, "second", second, "known",
		who != "")
	return who
}

func (p *Prints) away() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Now().Before(p.until)
}

// print has the server make a print, and keeps the condition.
func (p *Prints) print(ctx context.Context, samples []int16) (wyoming.Print, error) {
	made, err := p.ask(ctx, samples)
	if err != nil && errors.Is(ctx.Err(), context.Canceled) {
		return made, err // it is not wanted any more
	}
	text := ""
	p.mu.Lock()
	if p.until = (time.Time{}); err != nil {
		p.until = time.Now().Add(awayTime)
		text = fmt.Sprintf("Nobody is known by their voice: %v.", err)
		p.opt.Log.WarnContext(ctx, "make voice print", "component", "prints", "error", err)
	}
	p.mu.Unlock()
	p.opt.Conditions.Keep("voices", health.Warning, text)
	return made, err
}

func (p *Prints) ask(ctx context.Context, samples []int16) (made wyoming.Print, err error) {
	ctx, cancel := context.WithTimeout(ctx, printLimit)
	defer cancel()
	conn, err := wyoming.Dial(ctx, p.opt.Server, dialLimit)
	if err != nil {
		return made, err
	}
	defer conn.Close()
	payload := make([]byte, 0, 2*len(samples))
	for _, s := range samples {
		payload = append(payload, byte(s), byte(s>>8))
	}
	if err := conn.Send(ctx, wyoming.FrameFormat().Event(wyoming.VoicePrint, payload)); err != nil {
		return made, err
	}
	e, err := conn.Receive(ctx)
	switch {
	case err != nil:
		return made, err
	case e.Type == wyoming.Error:
		return made, e.Err("")
	case e.Type != wyoming.VoicePrint:
		return made, fmt.Errorf("the server makes no prints of voices: it answers %q", letters.Plain(e.Type, 40))
	}
	if err := e.Decode(&made); err != nil {
		return made, err
	}
	if len(made.Print) > 0 && (made.Likely <= 0 || made.Likely >= 1 || !normalise(made.Print)) {
		return made, errors.New("the server gave a print that is none")
	}
	return made, nil
}

// List lists whose voice is known.
func (p *Prints) List(ctx context.Context) ([]api.Voice, error) {
	known, err := p.opt.Store.VoicePrints(ctx)
	var list []api.Voice
	for _, k := range known {
		if n := len(list); n == 0 || list[n-1].Person != k.Person {
			list = append(list, api.Voice{Person: k.Person, Model: k.Model})
		}
		list[len(list)-1].Prints++
	}
	return list, err
}

// Remove forgets a person's voice.
func (p *Prints) Remove(ctx context.Context, person string) error {
	f, err := p.opt.Store.ForgetVoice(ctx, person)
	p.opt.Erased()
	if err == nil && f.Prints == 0 {
		err = refusal.Error("nobody of that name has left a voice here; hearthctl voice list names them")
	}
	return err
}
