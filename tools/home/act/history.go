package act

import (
	"slices"
	"sync"
	"time"

	"hearthd/tools/home"
	"hearthd/tools/home/meaning"
)

// maxTogether bounds the devices of one command: there are houses with 186 lights, and hearthd is measured with 300
// devices.
const maxTogether = 300

// undoWithin is how long an order can be taken back.
const undoWithin = 5 * time.Minute

// history is what commands did lately. Any goroutine may use it.
type history struct {
	mu      sync.Mutex
	past    []past          // the last at the end
	number  int             // of the last order
	order   meaning.Request // the last that took nothing back
	ordered time.Time       // when
}

// begin says that an order comes. Those of one turn are one order.
func (h *history) begin(a *meaning.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if a.Turn == 0 || a.Turn != h.order.Turn {
		h.number++
	}
	h.order, h.ordered = *a, time.Now()
}

// last is the last order, and whether there was one within that time.
func (h *history) last(within time.Duration) (order meaning.Request, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.order, h.order.Action != "" && time.Since(h.ordered) < within
}

// keep keeps what a command did, and forgets what was done to the same devices before.
func (h *history) keep(fresh []past) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if slices.ContainsFunc(fresh, func(p past) bool { return p.redone }) {
		h.number++
	}
	for i := range fresh {
		fresh[i].order, fresh[i].at = h.number, time.Now()
	}
	told := func(p past) bool {
		return slices.ContainsFunc(fresh, func(f past) bool { return f.id == p.id }) || time.Since(p.at) > undoWithin
	}
	all := append(slices.DeleteFunc(h.past, told), fresh...)
	h.past = slices.Clone(all[max(0, len(all)-maxTogether):])
}

// undoable is what may be taken back now: the last order, and what was done to each device before.
func (h *history) undoable() (last, all []past) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range h.past {
		if time.Since(p.at) > undoWithin {
			continue
		}
		if all = append(all, p); p.order == h.number {
			last = append(last, p)
		}
	}
	return last, all
}

// devices are the IDs of those that something was done to, each once.
func devices(list []past) (ids []string) {
	for _, p := range list {
		if !slices.Contains(ids, p.id) {
			ids = append(ids, p.id)
		}
	}
	return ids
}

// wasOn is what gives a device that is off back what it was before the last command switched it off, or nil.
func (h *history) wasOn(e *home.Entity) home.State {
	if on, known := home.Answers(e, "on"); on && known {
		return nil
	}
	_, all := h.undoable()
	i := slices.IndexFunc(all, func(p past) bool { return p.id == e.ID })
	if i < 0 || all[i].want[home.Main] != "off" && all[i].want[home.Mode] != "off" {
		return nil
	}
	want, why := all[i].back(e)
	if why != meaning.Fine || want[home.Main] == "off" || want[home.Mode] == "off" {
		return nil
	}
	return want
}

// Why what a command did is not taken back.
var (
	notUndone = meaning.Problem{Why: "undo"}
	notBefore = meaning.Problem{Why: "before"} // nobody knows how it was
	sinceThen = meaning.Problem{Why: "since"}  // somebody else has changed it
)

// toldBack is the command that brings a device of a kind back into a state. Others are told the state itself.
var toldBack = map[home.Kind]map[any]string{
	home.Cover: {"open": "open", "opening": "open", "closed": "closed", "closing": "closed"},
	home.Valve: {"open": "open", "opening": "open", "closed": "closed", "closing": "closed"},
	home.Lock: {"locked": "locked", "locking": "locked", "unlocked": "unlocked", "unlocking": "unlocked",
		"open": "unlocked"},
	home.Vacuum: {"docked": "returning", "returning": "returning", "cleaning": "cleaning", "paused": "paused",
		"idle": "stopped"},
	home.LawnMower: {"docked": "returning", "returning": "returning", "mowing": "mowing", "paused": "paused"},
	home.MediaPlayer: {"off": "off", "standby": "off", "playing": "playing", "buffering": "playing", "paused": "paused",
		"on": "paused", "idle": "paused"},
}

// tones are those of a light, of which it follows one at a time: an effect has its own colours. A preset has its own
// speed or temperature.
var (
	tones = []home.Key{home.Effect, home.Kelvin, home.Colour}
	led   = map[home.Key][]home.Key{
		home.Effect: tones, home.Kelvin: tones, home.Colour: tones, home.Speed: {home.Preset, home.Speed},
		home.Target: {home.Preset, home.Target}, home.Preset: {home.Preset, home.Speed, home.Target},
	}
)

// back is what gives a device its state from before the command, or why nothing does. The keys that the command set are
// given back, and where it switched the device or its mode, all that is not as it was.
func (p *past) back(now *home.Entity) (home.State, meaning.Problem) {
	was := *now
	was.State = p.before
	switch {
	case !now.IsRead(), home.Momentarily(p.want) && !was.Underway():
		return nil, notUndone
	case !p.ours(now, &was):
		return nil, sinceThen
	}
	want := home.State{}
	if _, wanted := p.want[home.Main]; wanted || p.want == nil || now.Kind == home.Fan {
		if why := mainBack(&was, now, want); why != meaning.Fine {
			return nil, why
		}
	}
	if want[home.Main] == "off" {
		return want, meaning.Fine
	}
	if why := p.othersBack(&was, now, want); why != meaning.Fine {
		return nil, why
	}
	if want[home.Mode] == "off" && p.switches(home.Mode) {
		want = home.State{home.Mode: "off"}
	}
	if len(want) == 0 && p.want != nil {
		return nil, notBefore
	}
	return want, meaning.Fine
}

// othersBack adds what the other keys than the main one were, or says why they cannot be that again.
func (p *past) othersBack(was, now *home.Entity, want home.State) meaning.Problem {
	switched := p.want == nil || p.switches(home.Main) || p.switches(home.Mode) || p.want[home.Preset] != nil
	for k := range now.Can {
		_, set := p.want[k]
		if k == home.Main || k == home.Position && want[k] != nil || k == home.Room || !set && !switched {
			continue
		}
		of := following(was, now, k)
		v, known := p.before[of]
		switch {
		case of != "" && known && (set || !home.Near(of, v, now.State[of])):
			want[of] = v
		case set && !(k == home.Position && want[home.Main] != nil):
			return notBefore
		}
	}
	return meaning.Fine
}

func (p *past) switches(k home.Key) bool { w, set := p.want[k]; return set && w != p.before[k] }

// ours reports whether a device is as the command wanted it, on its way there, or has not begun.
func (p *past) ours(now, was *home.Entity) bool {
	if p.want == nil || home.Momentarily(p.want) || now.Reached(p.want) || now.Moving(p.want, p.before) {
		return true
	}
	for k := range p.want {
		if now.Reports[k] && !home.Near(k, was.State[k], now.State[k]) {
			return false
		}
	}
	return true
}

// mainBack adds to want what switches now as e was.
func mainBack(e, now *home.Entity, want home.State) meaning.Problem {
	main, known := e.State[home.Main]
	if told := toldBack[e.Kind]; told != nil {
		main, known = told[main], told[main] != ""
	}
	at, placed := e.State[home.Position].(float64)
	off := now.State[home.Main] == "off" || now.State[home.Main] == "standby"
	switch {
	case placed && e.Can[home.Position] && !e.Underway():
		want[home.Position] = at
	case !e.Can[home.Main] && e.Can[home.Mode]: // its mode is what switches it
	case !known, placed && !e.Underway() && at > 0 && at < 100:
		return notBefore
	case e.Kind == home.MediaPlayer && off && main != "off": // nothing plays before it is on
		want[home.Main] = "on"
	default:
		want[home.Main] = main
	}
	return meaning.Fine
}

// following is the key by which a device is given back what it had of k, or "".
func following(e, now *home.Entity, k home.Key) home.Key {
	if k == home.Preset && follows(e, k) {
		return k
	}
	for _, k := range led[k] {
		idle := slices.Contains([]any{"none", "None", "off"}, e.State[k])
		if follows(e, k) && !idle && !home.Near(k, e.State[k], now.State[k]) {
			return k
		}
	}
	keys := append([]home.Key{k}, led[k]...)
	if i := slices.IndexFunc(keys, func(k home.Key) bool { return follows(e, k) }); i >= 0 {
		return keys[i]
	}
	return ""
}

// follows reports whether the device was following a key, and can be told so.
func follows(e *home.Entity, k home.Key) bool {
	v, known := e.State[k]
	word, _ := v.(string)
	kelvin, white := e.State[home.Kelvin].(float64)
	colour, coloured := e.State[home.Colour].(home.Color)
	switch {
	case !known || !e.Can[k]:
		return false
	case k == home.Kelvin && coloured && e.Can[home.Colour]: // some report a white while they show a colour
		return home.HueDistance(home.FromKelvin(kelvin), colour) < 40
	case k == home.Colour && white && e.Can[home.Kelvin]:
		return !follows(e, home.Kelvin)
	}
	return word == "" || len(e.Options[k]) == 0 || slices.Contains(e.Options[k], word)
}

// past is what a command did to one device, and how that was before.
type past struct {
	id     string
	order  int // the command, by its number
	at     time.Time
	before home.State
	want   home.State // nil: a scene did it, and nobody knows what it wanted
	redone bool       // it took an earlier one back
}
