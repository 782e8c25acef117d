package discovery

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"hearthd/tools/home"
	"hearthd/tools/home/template"
)

// builder makes an entity of a configuration. The first thing that it does not
// understand is kept in err, and the entity is not made.
type builder struct {
	config
	e     *entity
	cache func(string) (*template.Template, error)
	err   error
}

func (b *builder) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// topics are those of a key, and topic is the first of them, or "".
func (b *builder) topics(key string) []string {
	t, err := b.config.topics(key)
	if err != nil {
		b.fail(err)
	}
	return t
}

func (b *builder) topic(key string) string {
	if t := b.topics(key); len(t) > 0 {
		return t[0]
	}
	return ""
}

// tmpl is the template of the first key that has one, or nil.
func (b *builder) tmpl(keys ...string) *tmpl {
	for _, k := range keys {
		source, ok := b.config[k].(string)
		if !ok || source == "" {
			continue
		}
		t, err := b.cache(source)
		if err != nil {
			b.fail(fmt.Errorf("%s: %w", k, err))
		}
		own := &tmpl{of: t, key: k}
		b.e.tmpls = append(b.e.tmpls, own)
		b.e.sources = append(b.e.sources, source)
		return own
	}
	return nil
}

// build makes the entity of one component.
func build(platform string, cfg config, cache func(string) (*template.Template, error)) (*entity, error) {
	make := platforms[platform]
	if make == nil {
		return nil, fmt.Errorf("the component %.40q is not known", platform)
	}
	e := &entity{
		Entity: home.Entity{
			Kind: home.Kind(platform), Can: map[home.Key]bool{}, Reports: map[home.Key]bool{},
			Options: map[home.Key][]string{}, State: home.State{},
		},
		senders: map[home.Key]func(any) (message, error){},
	}
	e.polls, _ = cfg["polls"].([]message)
	b := &builder{config: cfg, e: e, cache: cache}
	b.describe(platform)
	b.availability()
	make(b)
	if b.err != nil {
		return nil, b.err
	}
	if len(e.Can) == 0 && len(e.reads) == 0 {
		return nil, errors.New("it has neither a state nor a command")
	}
	e.qos = byte(min(max(b.num("qos", 0), 0), 1))
	e.retain = b.flag("retain", false)
	e.weighed(cfg)
	b.config = nil // everything that is needed of it is known
	return e, nil
}

// classed are the platforms whose entities are called by their class where a document gives no
// name.
var classed = []string{"sensor", "binary_sensor", "number", "event", "button"}

// describe fills in what a person calls the entity.
func (b *builder) describe(platform string) {
	e := b.e
	e.Class = strings.ToLower(b.str("device_class", ""))
	e.Category = b.str("entity_category", "")
	if !b.flag("enabled_by_default", true) && e.Category == "" {
		e.Category = "diagnostic"
	}
	device, _ := b.config["device"].(map[string]any)
	d := config(device)
	e.Device = home.Clean(d.str("name", ""))
	e.Object = strings.TrimSpace(b.str("object_id", "") + " " + b.str("default_entity_id", ""))
	e.Object = e.Object[:min(len(e.Object), maxTopic)]
	e.Area = home.Clean(d.str("suggested_area", ""))
	name, given := b.config["name"]
	switch {
	case given && name == nil:
	case given:
		e.Name = home.Clean(b.str("name", ""))
	case slices.Contains(classed, platform):
		if class := []rune(home.Clean(e.Class)); len(class) > 0 {
			e.Name = strings.ToUpper(string(class[:1])) + string(class[1:])
		}
	}
	if e.Name == "" && e.Device == "" {
		e.Name = home.Clean(b.str("object_id", platform))
	}
	if strings.EqualFold(e.Name, e.Device) {
		e.Name = ""
	}
	e.Unit = b.str("unit_of_measurement", "")
	if len(e.Unit) > 20 {
		e.Unit = ""
	}
}

// availability reads where the device reports whether it is online.
func (b *builder) availability() {
	b.e.mode = b.str("availability_mode", "latest")
	if list, ok := b.config["availability"].([]any); ok {
		for _, a := range list {
			b.place(a.(map[string]any), "value_template")
		}
	} else if t, ok := b.config["availability_topic"]; ok {
		b.place(config{"topic": t, "availability_template": b.config["availability_template"]}, "availability_template")
	}
}

// place reads one topic of these.
func (b *builder) place(c config, tmplKey string) {
	sub := builder{config: c, e: b.e, cache: b.cache}
	p := place{
		topic: sub.topic("topic"), tmpl: sub.tmpl(tmplKey),
		online: c.str("payload_available", b.str("payload_available", "online")),
		off:    c.str("payload_not_available", b.str("payload_not_available", "offline")),
	}
	if sub.err != nil {
		b.fail(fmt.Errorf("availability: %w", sub.err))
	}
	if p.topic != "" {
		b.e.places = append(b.e.places, p)
	}
}

// there takes a message on an availability topic. known is whether it is one of the two payloads.
func (e *entity) there(topic string, m template.Message) (offline, known bool, failed error) {
	for i := range e.places {
		p := &e.places[i]
		if p.topic != topic {
			continue
		}
		known = true
		text, err := value(p.tmpl, m)
		if err == nil && p.tmpl == nil && text != p.online && text != p.off {
			// Zigbee2MQTT 2 sends JSON where version 1 sent the word.
			if v, ok := m.JSON(); ok {
				if o, ok := v.(map[string]any); ok {
					text, _ = o["state"].(string)
				}
			}
		}
		switch {
		case err != nil:
			failed = err
		case text == p.online:
			p.offline = false
			e.latest = false
		case text == p.off:
			p.offline = true
			e.latest = true
		}
	}
	if e.mode == "latest" {
		return e.latest, known, failed
	}
	off := 0
	for _, p := range e.places {
		if p.offline {
			off++
		}
	}
	return off > 0 && (e.mode == "all" || off == len(e.places)), known, failed
}
