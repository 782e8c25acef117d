package home

import "slices"

// Why what a command did is not taken back.
var (
	notUndone = problem{why: "undo"}
	notBefore = problem{why: "before"} // nobody knows how it was
	sinceThen = problem{why: "since"}  // somebody else has changed it
)

// told is the command that brings a device of a kind back into a state. Others are told the state itself.
var toldBack = map[Kind]map[any]string{
	Cover: {"open": "open", "opening": "open", "closed": "closed", "closing": "closed"},
	Valve: {"open": "open", "opening": "open", "closed": "closed", "closing": "closed"},
	Lock: {"locked": "locked", "locking": "locked", "unlocked": "unlocked", "unlocking": "unlocked",
		"open": "unlocked"},
	Vacuum: {"docked": "returning", "returning": "returning", "cleaning": "cleaning", "paused": "paused",
		"idle": "stopped"},
	LawnMower: {"docked": "returning", "returning": "returning", "mowing": "mowing", "paused": "paused"},
	MediaPlayer: {"off": "off", "standby": "off", "playing": "playing", "buffering": "playing", "paused": "paused",
		"on": "paused", "idle": "paused"},
}

// tones are those of a light, of which it follows one at a time: an effect has its own colours. A preset has its own speed
// or temperature.
var (
	tones = []Key{Effect, Kelvin, Colour}
	led   = map[Key][]Key{Effect: tones, Kelvin: tones, Colour: tones, Speed: {Preset, Speed}, Target: {Preset, Target},
		Preset: {Preset, Speed, Target}}
)

// back is what gives a device its state from before the command, or why nothing does. The keys that the command set are
// given back, and where it switched the device or its mode, all that is not as it was.
func (p *past) back(now *Entity) (State, problem) {
	was := *now
	was.State = p.before
	switch {
	case now.Kind == Scene || now.Kind == Script || now.Kind == Button, momentarily(p.want) && !was.underway():
		return nil, notUndone
	case !p.ours(now, &was):
		return nil, sinceThen
	}
	want := State{}
	if _, wanted := p.want[Main]; wanted || p.want == nil || now.Kind == Fan {
		if why := was.mainBack(now, want); why != fine {
			return nil, why
		}
	}
	if want[Main] == "off" {
		return want, fine
	}
	if why := p.othersBack(&was, now, want); why != fine {
		return nil, why
	}
	if want[Mode] == "off" && p.switches(Mode) {
		want = State{Mode: "off"}
	}
	if len(want) == 0 && p.want != nil {
		return nil, notBefore
	}
	return want, fine
}

// othersBack adds what the other keys than the main one were, or says why they cannot be that again.
func (p *past) othersBack(was, now *Entity, want State) problem {
	switched := p.want == nil || p.switches(Main) || p.switches(Mode) || p.want[Preset] != nil
	for k := range now.Can {
		_, set := p.want[k]
		if k == Main || k == Position && want[k] != nil || k == Room || !set && !switched {
			continue
		}
		of := was.following(k, now)
		v, known := p.before[of]
		switch {
		case of != "" && known && (set || !near(of, v, now.State[of])):
			want[of] = v
		case set && !(k == Position && want[Main] != nil):
			return notBefore
		}
	}
	return fine
}

func (p *past) switches(k Key) bool { w, set := p.want[k]; return set && w != p.before[k] }

func momentarily(want State) bool { return slices.Contains(momentary, want[Main]) }

// underway reports whether something moves.
func (e *Entity) underway() bool {
	return e.State[Main] == "opening" || e.State[Main] == "closing"
}

// ours reports whether a device is as the command wanted it, on its way there, or has not begun.
func (p *past) ours(now, was *Entity) bool {
	if p.want == nil || momentarily(p.want) || now.reached(p.want) || now.moving(p.want, p.before) {
		return true
	}
	for k := range p.want {
		if now.Reports[k] && !near(k, was.State[k], now.State[k]) {
			return false
		}
	}
	return true
}

// mainBack adds to want what switches now as e was.
func (e *Entity) mainBack(now *Entity, want State) problem {
	main, known := e.State[Main]
	if told := toldBack[e.Kind]; told != nil {
		main, known = told[main], told[main] != ""
	}
	at, placed := e.State[Position].(float64)
	off := now.State[Main] == "off" || now.State[Main] == "standby"
	switch {
	case placed && e.Can[Position] && !e.underway():
		want[Position] = at
	case !e.Can[Main] && e.Can[Mode]: // its mode is what switches it
	case !known, placed && !e.underway() && at > 0 && at < 100:
		return notBefore
	case e.Kind == MediaPlayer && off && main != "off": // nothing plays before it is on
		want[Main] = "on"
	default:
		want[Main] = main
	}
	return fine
}

// following is the key by which a device is given back what it had of k, or "".
func (e *Entity) following(k Key, now *Entity) Key {
	if k == Preset && e.follows(k) {
		return k
	}
	for _, k := range led[k] {
		idle := slices.Contains([]any{"none", "None", "off"}, e.State[k])
		if e.follows(k) && !idle && !near(k, e.State[k], now.State[k]) {
			return k
		}
	}
	keys := append([]Key{k}, led[k]...)
	if i := slices.IndexFunc(keys, e.follows); i >= 0 {
		return keys[i]
	}
	return ""
}

// follows reports whether the device was following a key, and can be told so.
func (e *Entity) follows(k Key) bool {
	v, known := e.State[k]
	word, _ := v.(string)
	kelvin, white := e.State[Kelvin].(float64)
	colour, coloured := e.State[Colour].(Color)
	switch {
	case !known || !e.Can[k]:
		return false
	case k == Kelvin && coloured && e.Can[Colour]: // some report a white while they show a colour
		return hueDistance(fromKelvin(kelvin), colour) < 40
	case k == Colour && white && e.Can[Kelvin]:
		return !e.follows(Kelvin)
	}
	return word == "" || len(e.Options[k]) == 0 || slices.Contains(e.Options[k], word)
}
