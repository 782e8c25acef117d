package home

import (
	"cmp"
	"slices"
	"strings"
)

// kindWords are what people call the kinds; classWords what they call some
// classes of sensors and covers. A word may name several.
var kindWords = map[Kind][]string{
	Light: {"light", "lamp", "bulb", "lighting", "led"}, Switch: {"switch", "plug", "socket", "outlet"},
	Cover: {"cover", "blind", "shutter", "curtain", "shade", "awning"}, Fan: {"fan", "ventilator"}, Lock: {"lock"},
	Climate:     {"thermostat", "heating", "heater", "radiator", "climate", "ac", "conditioner", "conditioning", "heat"},
	WaterHeater: {"water", "heater", "boiler"}, Humidifier: {"humidifier", "dehumidifier"}, Valve: {"valve", "tap", "sprinkler"},
	Vacuum: {"vacuum", "hoover", "robot", "cleaner"}, LawnMower: {"mower", "lawnmower"}, Scene: {"scene", "mood"}, Script: {"script"}, Siren: {"siren", "alarm"},
	Button: {"button"}, Sensor: {"sensor"}, BinarySensor: {"sensor"}, MediaPlayer: {"speaker", "tv", "television", "player"},
}

var classWords = map[string][]string{
	"temperature": {"temperature", "temp", "thermometer"}, "humidity": {"humidity", "moisture"}, "battery": {"battery", "charge"},
	"power": {"power", "consumption", "usage"}, "energy": {"energy", "consumption", "usage"}, "illuminance": {"illuminance", "brightness", "light"},
	"carbon_dioxide": {"co", "2", "carbon", "dioxide"}, "pressure": {"pressure"}, "atmospheric_pressure": {"pressure"}, "voltage": {"voltage"}, "current": {"current"},
	"garage": {"garage", "door"}, "garage_door": {"garage", "door"}, "gate": {"gate"}, "door": {"door"}, "window": {"window"}, "opening": {"door", "window"},
	"blind": {"blind"}, "curtain": {"curtain"}, "shade": {"shade"}, "shutter": {"shutter"}, "awning": {"awning"}, "damper": {"damper"},
	"motion": {"motion", "movement"}, "occupancy": {"motion", "occupancy", "presence"}, "presence": {"presence"}, "moisture": {"water", "leak", "moisture"},
	"smoke": {"smoke"}, "gas": {"gas"}, "carbon_monoxide": {"carbon", "monoxide"}, "lock": {"lock"}, "outlet": {"outlet", "plug", "socket"}, "plug": {"plug"},
	"vibration": {"vibration"}, "pm25": {"particles", "air", "quality"}, "aqi": {"air", "quality"}, "volatile_organic_compounds": {"air", "quality"}, "water": {"water"},
}

// everything are words that ask for all of something.
var everything = map[string]bool{"all": true, "every": true, "each": true, "both": true, "everything": true, "any": true, "anything": true, "something": true}

// query is what a person said to name devices.
type query struct {
	words []string
	area  []string
	all   bool // every one that fits is meant
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
			continue
		}
		q.words = append(q.words, w)
	}
	if n := len(q.words); n > 0 && plural(q.words[n-1]) && isKindWord(singular(q.words[n-1])) {
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
	switch w {
	case "door", "window", "gate":
		return true
	}
	return false
}

// found is a device that fits a query.
type found struct {
	Entity
	score float64
}

// find gives the devices that a query means, of those that suit. When several are
// as good and not all are meant, the person must choose.
func find(all []Entity, q query, suits func(*Entity) bool) []Entity {
	if len(q.words) == 0 && len(q.area) == 0 && !q.all {
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
	if len(hits) == 0 {
		return nil
	}
	hits = q.ofKind(hits)
	// "kitchen lights" may be the very name of a group of them.
	least := hits[0].score - 0.02
	switch {
	case hits[0].score >= whole:
	case q.all:
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
	return out
}

// ofKind keeps those that are what was said, where others only have that word in
// a longer name: the heating is not the heating blanket.
func (q query) ofKind(hits []found) []found {
	if len(q.words) == 0 || q.all || hits[0].score >= whole {
		return hits
	}
	is := func(f found) bool {
		return !slices.ContainsFunc(q.words, func(w string) bool {
			return !slices.Contains(kindWords[f.Kind], singular(w)) && q.memo.among(q.words, w, q.memo.tokens(f.Area)) == 0
		})
	}
	if !slices.ContainsFunc(hits, is) {
		return hits
	}
	return slices.DeleteFunc(hits, func(f found) bool { return !is(f) && !mentions(q.memo.tokens(f.Device+" "+f.Name), kindWords[Light]) })
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
	meant := append(slices.Clone(kindWords[e.Kind]), classWords[e.Class]...)
	if e.Kind == Switch && mentions(full, kindWords[Light]) {
		meant = append(meant, kindWords[Light]...)
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
	share := max(m.covered(name, said), m.covered(full, said), m.covered(append(slices.Clone(area), name...), said))
	if share < 0.9 {
		share /= 10
	}
	return sum/float64(len(q.words)) + share
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
