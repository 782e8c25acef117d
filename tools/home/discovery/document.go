package discovery

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Bounds of documents. Zigbee2MQTT's longest has 4 KB, a device document of a
// large ESPHome node 40 KB.
const (
	maxDocument   = 256 << 10 // bytes
	maxNesting    = 16        // objects and lists within each other
	maxComponents = 300       // of one device
	maxTopic      = 512       // bytes
	maxOptions    = 200       // of a list
	maxText       = 200       // bytes of an option or payload that is no template
)

// config is one component of a document, with long names and whole topics.
type config map[string]any

// document is a parsed discovery document; a document that removes its device has no parts.
type document struct {
	parts map[string]part  // by the component's own name
	wrong map[string]error // components that are not valid
}

type part struct {
	platform string
	cfg      config
}

// documentTopic is a topic that Home Assistant subscribes to, below the prefix:
// COMPONENT/[NODE/]ID/config.
var documentTopic = regexp.MustCompile(`^([a-z_]+)/(?:[a-zA-Z0-9_-]+/)?([a-zA-Z0-9_-]+)/config$`)

// parseDocument reads the document of a topic below the prefix.
func parseDocument(topic string, payload []byte) (document, error) {
	at := documentTopic.FindStringSubmatch(topic)
	if at == nil {
		return document{}, errors.New("the topic is not COMPONENT/[NODE/]ID/config")
	}
	if len(bytes.TrimSpace(payload)) == 0 {
		return document{}, nil
	}
	top, err := parseObject(payload)
	if err != nil {
		return document{}, err
	}
	top = lengthen(top, "keys")
	origin, _ := top["origin"].(map[string]any)
	switch {
	case len(top) == 0 && at[1] != "device":
		return document{}, nil
	case top["migrate_discovery"] == true: // the device document takes over
		return document{}, nil
	case origin["name"] == "hearthd": // the speakers are no devices to speak of
		return document{}, nil
	}
	d := document{parts: map[string]part{}}
	if at[1] != "device" {
		cfg, err := component(top, nil)
		if err != nil {
			return document{}, err
		}
		if cfg["object_id"] == nil {
			cfg["object_id"] = at[2]
		}
		d.parts[""] = part{at[1], cfg}
		return d, nil
	}
	list, ok := top["components"].(map[string]any)
	if !ok {
		return document{}, errors.New("components is missing")
	}
	if len(list) > maxComponents {
		return document{}, fmt.Errorf("%d components are more than %d", len(list), maxComponents)
	}
	d.wrong = map[string]error{}
	for id, v := range list {
		p, err := componentOf(v, top)
		switch {
		case err != nil:
			d.wrong[id] = err
		case p.cfg != nil:
			if p.cfg["object_id"] == nil {
				p.cfg["object_id"] = id
			}
			d.parts[id] = p
		}
	}
	return d, nil
}

// componentOf reads one component of a device document. A component that is removed has nothing but
// its platform.
func componentOf(v any, device map[string]any) (part, error) {
	c, ok := v.(map[string]any)
	if !ok {
		return part{}, errors.New("it is no object")
	}
	c = lengthen(c, "keys")
	platform, _ := c["platform"].(string)
	if platform == "" {
		return part{}, errors.New("it has no platform")
	}
	if len(c) == 1 {
		return part{}, nil
	}
	cfg, err := component(c, device)
	return part{platform, cfg}, err
}

// parseObject decodes an object of at most maxDocument bytes, which the reader has counted.
func parseObject(payload []byte) (map[string]any, error) {
	if !utf8.Valid(payload) {
		return nil, errors.New("it is not UTF-8")
	}
	var v any
	if err := json.Unmarshal(payload, &v); err != nil {
		return nil, fmt.Errorf("decode JSON: %w", err)
	}
	if nesting(v) > maxNesting {
		return nil, fmt.Errorf("it is nested deeper than %d", maxNesting)
	}
	top, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("decode JSON: it is no object")
	}
	return top, nil
}

// nesting is how many objects and lists stand within each other.
func nesting(v any) (depth int) {
	switch v := v.(type) {
	case map[string]any:
		for _, x := range v {
			depth = max(depth, nesting(x))
		}
	case []any:
		for _, x := range v {
			depth = max(depth, nesting(x))
		}
	default:
		return 0
	}
	return depth + 1
}

// shared are what the components of a device take from its document.
var shared = []string{
	"availability", "availability_mode", "availability_template", "availability_topic", "command_topic", "device",
	"encoding", "origin", "payload_available", "payload_not_available", "qos", "retain", "state_topic", "~",
}

// component makes the whole configuration of a component: with what it shares with its device, with
// long names, and with the base topic filled in.
func component(c, device map[string]any) (config, error) {
	there := c["availability"] != nil || c["availability_topic"] != nil // it has its own
	for _, k := range shared {
		_, own := c[k]
		if strings.HasPrefix(k, "availability") {
			own = own || there
		}
		if !own && device[k] != nil {
			c[k] = device[k]
		}
	}
	for _, k := range []string{"device", "origin"} {
		if m, ok := c[k].(map[string]any); ok {
			c[k] = lengthen(m, k)
		}
	}
	base, _ := c["~"].(string)
	delete(c, "~")
	var places []any
	switch a := c["availability"].(type) {
	case []any:
		places = a
	case map[string]any:
		places = []any{a}
	}
	if len(places) > 20 {
		return nil, errors.New("availability has more than 20 topics")
	}
	if places != nil {
		out := make([]any, 0, len(places))
		for _, p := range places {
			m, ok := p.(map[string]any)
			if !ok {
				return nil, errors.New("availability holds something that is no object")
			}
			m = lengthen(m, "keys")
			whole(m, base)
			out = append(out, m)
		}
		c["availability"] = out
	}
	whole(c, base)
	return c, nil
}

// whole puts the base topic in the place of ~.
func whole(m map[string]any, base string) {
	if base == "" {
		return
	}
	for k, v := range m {
		t, ok := v.(string)
		if !ok || !strings.HasSuffix(k, "topic") {
			continue
		}
		if strings.HasPrefix(t, "~") {
			t = base + t[1:]
		}
		if strings.HasSuffix(t, "~") {
			t = t[:len(t)-1] + base
		}
		m[k] = t
	}
}
