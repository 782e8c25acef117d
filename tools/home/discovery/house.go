package discovery

import (
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"

	"hearthd/tools/home/template"
)

// Bounds of a house.
const (
	maxEntities = 20_000
	maxHouse    = 64 << 20 // bytes of everything that is kept of the house
	maxKept     = 16 << 20 // of these, for messages that are kept for devices not found yet
	maxKeptOne  = 16 << 10 // of one message
)

// house is what the reader keeps of the documents and messages of the house, within one budget in
// bytes. Only the reader's goroutine touches it.
type house struct {
	docs      map[string][]string        // entities by the topic of their document
	sums      map[string]uint64          // of the documents that something is kept of
	seed      maphash.Seed               // of sums
	boards    map[string]*board          // Tasmota devices, by address
	topics    map[string]map[string]bool // of the entities that follow each
	templates map[string]*sharedTemplate // by source
	fresh     []string                   // templates that no entity uses yet
	kept      map[string]string          // the last message of each topic
	keptSize  int
	size      int // bytes of all
}

// sharedTemplate is a template that several entities use.
type sharedTemplate struct {
	of   *template.Template
	uses int
}

func newHouse() house {
	return house{
		docs: map[string][]string{}, sums: map[string]uint64{}, seed: maphash.MakeSeed(), boards: map[string]*board{},
		topics: map[string]map[string]bool{}, templates: map[string]*sharedTemplate{}, kept: map[string]string{},
	}
}

// template parses a template once.
func (h *house) template(source string) (*template.Template, error) {
	if s, ok := h.templates[source]; ok {
		return s.of, nil
	}
	t, err := template.Parse(source)
	if err == nil {
		h.templates[source] = &sharedTemplate{of: t}
		h.fresh = append(h.fresh, source)
	}
	return t, err
}

// choose returns those of a document's entities for which there is room once the old ones are gone.
func (h *house) choose(all map[string]*entity, old []string, made map[string]*entity) (map[string]*entity, error) {
	fresh := map[string]*entity{}
	count, size := len(all)-len(old), h.size
	for _, id := range old {
		size -= all[id].weight
	}
	for _, id := range slices.Sorted(maps.Keys(made)) {
		e := made[id]
		if all[id] != nil && !slices.Contains(old, id) { // of another document
			continue
		}
		need := e.weight
		for _, source := range e.sources {
			if s := h.templates[source]; s.uses == 0 {
				need += templateWeight(source)
			}
		}
		switch {
		case count+1 > maxEntities:
			return fresh, fmt.Errorf("there are more than %d devices", maxEntities)
		case size+need > maxHouse:
			return fresh, fmt.Errorf("the documents of the house need more than %d MB", maxHouse>>20)
		}
		count, size = count+1, size+need
		fresh[id] = e
	}
	return fresh, nil
}

// take replaces the entities of a document, and returns which topics are followed from now on and
// which no longer.
func (h *house) take(source string, before, fresh map[string]*entity) (follow, gone []string) {
	delete(h.docs, source)
	for id, e := range fresh {
		h.docs[source] = append(h.docs[source], id)
		h.size += e.weight
		for _, s := range e.sources {
			h.use(s, 1)
		}
		for _, t := range e.followed() {
			if h.topics[t] == nil {
				h.topics[t] = map[string]bool{}
				follow = append(follow, t)
			}
			h.topics[t][id] = true
		}
	}
	for id, e := range before {
		h.size -= e.weight
		for _, s := range e.sources {
			h.use(s, -1)
		}
		for _, t := range e.followed() {
			if e := fresh[id]; e != nil && slices.Contains(e.followed(), t) {
				continue
			}
			delete(h.topics[t], id)
			if len(h.topics[t]) == 0 {
				delete(h.topics, t)
				h.forget(t)
				gone = append(gone, t)
			}
		}
	}
	for _, s := range h.fresh {
		h.use(s, 0)
	}
	h.fresh = nil
	return follow, gone
}

// use counts the entities that use a template, and drops it with the last.
func (h *house) use(source string, n int) {
	s := h.templates[source]
	if s == nil {
		return
	}
	if s.uses == 0 && n > 0 {
		h.size += templateWeight(source)
	}
	s.uses += n
	if s.uses > 0 {
		return
	}
	if n < 0 {
		h.size -= templateWeight(source)
	}
	delete(h.templates, source)
}

// keep remembers the last message of a topic, for entities that will be found later.
func (h *house) keep(topic, payload string) {
	h.forget(topic)
	n := len(payload) + perLetter
	if len(payload) <= maxKeptOne && h.keptSize+n <= maxKept && h.size+n <= maxHouse {
		h.kept[topic] = payload
		h.keptSize += n
		h.size += n
	}
}

func (h *house) forget(topic string) {
	if payload, ok := h.kept[topic]; ok {
		n := len(payload) + perLetter
		h.keptSize -= n
		h.size -= n
		delete(h.kept, topic)
	}
}

// board is the two documents of a Tasmota device, as far as they are understood, and what
// each takes.
type board struct {
	device                      *tasmotaDevice
	sensors                     []measured
	deviceWeight, sensorsWeight int
}

// keepBoard replaces a document of Tasmota. One that is refused leaves nothing.
func (h *house) keepBoard(mac, what string, payload []byte) (board, error) {
	var b board
	if old := h.boards[mac]; old != nil {
		b = *old
	}
	weight := &b.deviceWeight
	if what == "sensors" {
		weight = &b.sensorsWeight
	}
	h.size -= *weight
	*weight = 0
	var err error
	if need := 1000 + 2*len(payload); h.size+need > maxHouse && len(payload) > 0 {
		err = fmt.Errorf("the documents of the house need more than %d MB", maxHouse>>20)
		payload = nil
	}
	var err2 error
	if what == "config" {
		b.device, err2 = parseTasmota(mac, payload)
	} else {
		b.sensors, err2 = parseSensors(payload)
	}
	if err = errors.Join(err, err2); err == nil && len(payload) > 0 {
		*weight = 1000 + 2*len(payload)
		h.size += *weight
	}
	h.boards[mac] = &b
	if b.device == nil && b.sensors == nil {
		delete(h.boards, mac)
	}
	return b, err
}

// What things take, in bytes. TestWeightsCoverWhatIsKept compares them with the heap.
const (
	perEntity   = 2500
	perFollowed = 400 // a topic with who follows it
	perText     = 50
	perNumber   = 32 // the text of one
)

// templateWeight is what a parsed template takes.
func templateWeight(source string) int { return 500 + 40*len(source) }

// weighed notes what the entity takes. Of the configuration that it was made of, the
// texts are kept.
func (e *entity) weighed(c config) {
	e.weight = perEntity
	for _, v := range c {
		switch v := v.(type) {
		case string:
			e.weight += len(v) + len(v)/4 // large blocks are rounded up
		case float64:
			e.weight += perNumber
		case []any:
			others := 0 // what is no text yet: config.list makes one of each
			for _, x := range v {
				if t, ok := x.(string); ok {
					e.weight += perText + len(t)
				} else {
					others++
				}
			}
			e.weight += min(others, maxOptions) * (perText + perNumber)
		}
	}
	for _, t := range e.followed() {
		e.weight += perFollowed + len(t)
	}
	for _, p := range e.places {
		e.weight += 2*perText + len(p.topic) + len(p.online) + len(p.off)
	}
	e.weight += perText * (2*len(e.sources) + len(e.reads))
}
