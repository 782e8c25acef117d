package home

import (
	"cmp"
	"slices"
	"strings"
)

// kindWords are what people call the kinds; classWords what they call some classes of
// sensors. A word may name several. Whatever is locked is called a door too. What covers
// are called goes by their class: coverWords.
var kindWords = map[Kind][]string{
	Light: {"light", "lamp", "bulb", "lighting", "led"}, Switch: {"switch", "plug", "socket", "outlet"},
	Cover: {"cover"}, Fan: {"fan", "ventilator"}, Lock: {"lock", "door"},
	Climate:     {"thermostat", "heating", "heater", "radiator", "climate", "ac", "conditioner", "conditioning", "heat"},
	WaterHeater: {"water", "heater", "boiler"}, Humidifier: {"humidifier", "dehumidifier"}, Valve: {"valve", "tap", "sprinkler"},
	Vacuum: {"vacuum", "hoover", "robot", "cleaner"}, LawnMower: {"mower", "lawnmower"}, Scene: {"scene", "mood"}, Script: {"script"}, Siren: {"siren", "alarm"},
	Button: {"button"}, Sensor: {"sensor"}, BinarySensor: {"sensor"}, MediaPlayer: {"speaker", "tv", "television", "player"},
}

var classWords = map[string][]string{
	"temperature": {"temperature", "temp", "thermometer"}, "humidity": {"humidity", "moisture"}, "battery": {"battery", "charge"},
	"power": {"power", "consumption", "usage"}, "energy": {"energy", "consumption", "usage"}, "illuminance": {"illuminance", "brightness", "light"},
	"carbon_dioxide": {"co", "2", "carbon", "dioxide"}, "pressure": {"pressure"}, "atmospheric_pressure": {"pressure"}, "voltage": {"voltage"}, "current": {"current"},
	"garage_door": {"garage", "door"}, "door": {"door"}, "window": {"window"}, "opening": {"door", "window"},
	"motion": {"motion", "movement"}, "occupancy": {"motion", "occupancy", "presence"}, "presence": {"presence"}, "moisture": {"water", "leak", "moisture"},
	"smoke": {"smoke"}, "gas": {"gas"}, "carbon_monoxide": {"carbon", "monoxide"}, "lock": {"lock", "door"}, "outlet": {"outlet", "plug", "socket"}, "plug": {"plug"},
	"vibration": {"vibration"}, "pm25": {"particles", "air", "quality"}, "aqi": {"air", "quality"}, "volatile_organic_compounds": {"air", "quality"}, "water": {"water"},
}

// everything are words that ask for all of something.
var everything = map[string]bool{"all": true, "every": true, "each": true, "both": true, "everything": true, "any": true, "anything": true, "something": true,
	"no": true, "none": true, "nothing": true}

// houseWide are those of them that mean the whole house, and not only the room.
var houseWide = map[string]bool{"all": true, "every": true, "each": true, "everything": true}

// query is what a person said to name devices.
type query struct {
	words []string
	area  []string
	near  []string // the room of the box: what is there goes first
	all   bool     // every one that fits is meant
	every bool     // and it was said so: no name takes all for itself
	memo  memo
}

// memo keeps what was found of words, which repeat in a house.
type memo struct {
	words map[string][]string
	same  map[[2]string]float64
}

func newMemo() memo { return memo{map[string][]string{}, map[[2]string]float64{}} }

func (m memo) tokens(s string) []string {
	ws, ok := m.words[s]
	if !ok {
		ws = tokens(s)
		m.words[s] = ws
	}
	return ws
}

func (m memo) alike(a, b string) float64 {
	if a == b {
		return 1
	}
	k := [2]string{a, b}
	s, ok := m.same[k]
	if !ok {
		s = alike(a, b)
		m.same[k] = s
	}
	return s
}

func newQuery(name, area string) query {
	q := query{area: tokens(area), memo: newMemo()}
	for _, w := range tokens(name) {
		if everything[w] {
			q.all = true
			q.every = q.every || houseWide[w]
			continue
		}
		q.words = append(q.words, w)
	}
	if n := len(q.words); n > 0 && plural(q.words[n-1]) && (isKindWord(singular(q.words[n-1])) || isCoverWord(singular(q.words[n-1]))) {
		q.all = true
	}
	return q
}

func isKindWord(w string) bool {
	for _, ws := range kindWords {
		if slices.Contains(ws, w) {
			return true
		}
	}
	return w != "garage" && isCoverWord(w) // which is a room too
}

// found is a device that fits a query.
type found struct {
	Entity
	score float64
}

// find gives the devices that a query means, of those that suit. When several are
// as good and not all are meant, the person must choose.
func find(all []Entity, q query, suits func(*Entity) bool) []Entity {
	hits := q.hits(all, suits)
	if len(hits) == 0 {
		return nil
	}
	hits = q.ofKind(hits)
	// "kitchen lights" may be the very name of a group of them.
	least := hits[0].score - 0.02
	switch {
	case hits[0].score >= whole:
	case q.all || q.bare(): // "the light" is not rather the one that is called Light
		least = 0
	default: // a word more of the name than another has is no reason to take it
		least -= 0.13
	}
	var out []Entity
	for _, h := range hits {
		if h.score >= least {
			out = append(out, h.Entity)
		}
	}
	return q.nearest(q.narrow(q.ofClass(out)))
}

// bare reports whether only a kind was named.
func (q query) bare() bool {
	return len(q.words) > 0 && !slices.ContainsFunc(q.words, func(w string) bool { return !isKindWord(singular(w)) })
}

// hits are the devices that fit a query at all, the best first.
func (q query) hits(all []Entity, suits func(*Entity) bool) []found {
	if q.nothing() {
		return nil
	}
	var hits []found
	for i := range all {
		if e := &all[i]; suits(e) {
			if s := q.score(e); s > 0 {
				hits = append(hits, found{*e, s})
			}
		}
	}
	// What a person uses comes before its settings.
	if slices.ContainsFunc(hits, func(f found) bool { return f.Category == "" }) {
		hits = slices.DeleteFunc(hits, func(f found) bool { return f.Category != "" && (f.score < whole || q.all) })
	}
	slices.SortStableFunc(hits, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.Spoken(), b.Spoken()), cmp.Compare(a.ID, b.ID))
	})
	return hits
}

// isCalled reports whether what was said is all of a device's own name.
func (q query) isCalled(e *Entity) bool {
	return slices.ContainsFunc(append([]string{cmp.Or(e.Name, e.Device)}, e.Aliases...), func(name string) bool {
		return slices.Equal(q.memo.tokens(name), q.words)
	})
}

// ofKind keeps those that are what was said, where others only have that word in
// a longer name: the heating is not the heating blanket.
func (q query) ofKind(hits []found) []found {
	if len(q.words) == 0 || q.all || hits[0].score >= whole {
		return hits
	}
	is := func(f found) bool {
		return q.isCalled(&f.Entity) || !slices.ContainsFunc(q.words, func(w string) bool {
			return !slices.Contains(f.calledBy(), singular(w)) && q.memo.among(q.words, w, q.memo.tokens(f.Area)) == 0
		})
	}
	if !slices.ContainsFunc(hits, is) {
		return hits
	}
	return slices.DeleteFunc(hits, func(f found) bool {
		return !is(f) && !(f.Kind == Switch && mentions(q.memo.tokens(f.Device+" "+f.Name), kindWords[Light]))
	})
}

// onlyArea reports whether what was said names areas and nothing in them.
func (q query) onlyArea(all []Entity) bool {
	words := append(slices.Clone(q.words), q.area...)
	if len(words) == 0 || q.all && len(q.words) > 0 {
		return false
	}
	named := func(area []string) bool {
		return len(area) > 0 && q.memo.covered(area, words) > 0.7 && !slices.ContainsFunc(words, func(w string) bool { return q.memo.among(words, w, area) == 0 })
	}
	return slices.ContainsFunc(all, func(e Entity) bool {
		return named(q.memo.tokens(e.Area)) || slices.ContainsFunc(e.around(), func(f string) bool { return named(q.memo.tokens(f)) })
	})
}

// whole is the least score of a device whose whole name was said, in its words.
const whole = 1.85

// score says how well a device fits, by the best of what it is called.
func (q query) score(e *Entity) float64 {
	best := q.scoreOf(e)
	for _, alias := range e.Aliases {
		other := *e
		other.Name, other.Device = alias, ""
		best = max(best, q.scoreOf(&other))
	}
	return best
}

// scoreOf says how well a name fits: 0 when a word names nothing of it, and up
// to 2. Up to 1 is for the words that were said, and 1 for the whole of the name.
func (q query) scoreOf(e *Entity) float64 {
	m := q.memo
	own, device, area, floor := m.tokens(e.Name), m.tokens(e.Device), m.tokens(e.Area), m.floor(e)
	name := own
	if len(own) == 0 {
		name = device
	}
	full := append(slices.Clone(device), own...)
	meant := e.calledBy()
	if !q.mayMean(e, meant) {
		return 0
	}
	for _, w := range q.area {
		if m.among(q.area, w, area) == 0 && m.among(q.area, w, full) == 0 && m.among(q.area, w, floor) == 0 {
			return 0
		}
	}
	if len(q.words) == 0 {
		return 0.5
	}
	sum := 0.0
	for _, w := range q.words {
		best := max(m.among(q.words, w, full), 0.95*m.among(q.words, w, area), 0.95*m.among(q.words, w, floor), 0.9*m.among(q.words, w, meant))
		if best == 0 {
			return 0
		}
		sum += best
	}
	said := append(slices.Clone(q.words), q.area...)
	short := max(m.covered(name, said), m.covered(append(slices.Clone(area), name...), said))
	long := m.covered(full, said)
	if short < 0.9 || !q.mayBe(e, name) {
		short /= 10
	}
	if long < 0.9 || !q.mayBe(e, full) {
		long /= 10
	}
	return sum/float64(len(q.words)) + max(short, long)
}

// mayBe reports whether what was said may be the very name of a device. One that is
// called only "Light" is not what "the lights" are, nor is one lamp.
func (q query) mayBe(e *Entity, name []string) bool {
	bare := !slices.ContainsFunc(name, func(w string) bool { return !isKindWord(singular(w)) })
	if bare && (q.all || len(q.near) > 0 || e.Name != "" && e.Device != "") {
		return false
	}
	return !q.every && (!q.all || len(name) > 0 && plural(name[len(name)-1]))
}

// calledBy are the words for the kind and the class of a device.
func (e *Entity) calledBy() []string {
	words := slices.Concat(kindWords[e.Kind], classWords[e.Class])
	name := tokens(e.Device + " " + e.Name)
	switch {
	case e.Kind == Switch && mentions(name, kindWords[Light]):
		words = append(words, kindWords[Light]...)
	case e.Kind == Cover:
		words = e.coverCalledBy()
	case e.Class == "opening" && mentions(name, []string{"window"}) != mentions(name, []string{"door"}):
		words = kindWords[e.Kind] // its name says which of both it is
	}
	return words
}

// mayMean reports whether a device is of the kind that was named. The kind decides where
// all of it are meant: a lamp on a "Ceiling fan" is none of the fans. Among covers the
// class always does.
func (q query) mayMean(e *Entity, calledBy []string) bool {
	if len(q.words) == 0 {
		return true
	}
	head := singular(q.words[len(q.words)-1])
	switch e.Kind {
	case Cover:
		return q.coverFits(e) != other
	case Switch, Sensor:
		return true
	case BinarySensor:
		if isCoverWord(head) {
			return true
		}
	case Scene, Script, Button, Number, Select, Text:
		if full := q.memo.tokens(e.Device + " " + e.Name); slices.Equal(full, q.words) {
			return true
		}
	}
	return !q.all || !isKindWord(head) || slices.Contains(kindWords[Switch], head) || slices.Contains(calledBy, head)
}

func mentions(words, any []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(any, singular(w)) })
}

// among says how much w is one of words; said are all words of the query, for
// "bed room" is "bedroom".
func (m memo) among(said []string, w string, words []string) float64 {
	return m.amongThe(said, w, words, m.alike)
}

func (m memo) amongThe(said []string, w string, words []string, alike func(w, o string) float64) float64 {
	best := 0.0
	for i, o := range words {
		best = max(best, alike(w, o))
		if i > 0 && w == words[i-1]+o {
			best = max(best, 0.99)
		}
		if len(o) > 5 && best < 0.9 && o != w && (strings.HasPrefix(o, w) || strings.HasSuffix(o, w)) && len(w) > 2 {
			for j, other := range said {
				if other == w && (j > 0 && said[j-1]+w == o || j+1 < len(said) && w+said[j+1] == o) {
					best = max(best, 0.99)
				}
			}
		}
	}
	return best
}

// covered is the share of a name that was said.
func (m memo) covered(name, said []string) float64 {
	if len(name) == 0 {
		return 0
	}
	sum := 0.0
	for _, w := range name {
		sum += m.amongThe(name, w, said, func(w, o string) float64 { return m.alike(o, w) })
	}
	return sum / float64(len(name))
}
