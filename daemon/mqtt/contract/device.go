package contract

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Device is a box as Home Assistant is told of it.
type Device struct {
	Discovery string // first level of Home Assistant's discovery topics
	Prefix    string
	Node      string
	Version   string
	Area      string   // suggested to Home Assistant; may be empty
	House     string   // boxes of one house are peers; empty: this box is on its own
	Groups    []string // to which the box belongs, beside its area
	Commands  []string // that the box obeys
	Words     []string // choices for the wake word, if there are two or more
	Policies  []string // choices for the policy, if there are two or more
	Currency  string   // of the responder's prices; empty: there is no responder
	// Transcripts: turns carry words. Temperature: vitals carry one.
	Transcripts bool
	Temperature bool
}

// ID is the box's identifier in Home Assistant. It is stable, and unique on a broker if the
// topics are.
func (d *Device) ID() string { return d.Prefix + "_" + d.Node }

// Topic is where the document is published, retained. An empty payload there removes the
// device.
func (d *Device) Topic() string { return d.Discovery + "/device/" + d.ID() + "/config" }

// Birth is where Home Assistant says that it has started.
func (d *Device) Birth() string { return d.Discovery + "/status" }

// Name is what people read: "Kitchen speaker" for the node kitchen.
func (d *Device) Name() string {
	words := strings.Fields(strings.NewReplacer("-", " ", "_", " ").Replace(d.Node))
	name := strings.Join(append(words, "speaker"), " ")
	return strings.ToUpper(name[:1]) + name[1:]
}

// Document is the device document for Home Assistant (MQTT discovery, "device
// discovery payload"). It has only keys that Home Assistant knows: one unknown key makes
// it drop the whole document.
func (d *Device) Document() ([]byte, error) {
	components := map[string]any{}
	for _, e := range d.entities() {
		components[e.id] = e.component(d)
	}
	device := map[string]any{
		"identifiers": []string{d.ID()}, "name": d.Name(), "manufacturer": "hearthd", "model": "hearthd", "sw_version": d.Version,
	}
	if d.Area != "" {
		device["suggested_area"] = d.Area
	}
	doc, err := json.Marshal(map[string]any{
		"device":       device,
		"origin":       map[string]any{"name": "hearthd", "sw_version": d.Version},
		"availability": []map[string]any{{"topic": d.own(Availability)}},
		"qos":          1,
		"components":   components,
	})
	if err != nil {
		return nil, fmt.Errorf("encode device document: %w", err)
	}
	return doc, nil
}

func (d *Device) own(level string) string { return d.Prefix + "/" + d.Node + "/" + level }

func (d *Device) obeys(command string) bool { return slices.Contains(d.Commands, command) }

// entity is one thing that Home Assistant shows or presses.
type entity struct {
	id, platform, name string
	reads              string // level of its state, or empty
	sets               string // its command, or empty
	only               string // when the entity exists, in Markdown; empty: always
	more               map[string]any
}

// component is the entity as it appears in the document.
func (e *entity) component(d *Device) map[string]any {
	c := map[string]any{
		"platform": e.platform, "name": e.name, "unique_id": d.ID() + "_" + e.id,
		"default_entity_id": e.platform + "." + strings.ToLower(strings.ReplaceAll(d.ID(), "-", "_")) + "_" + e.id,
	}
	if e.reads != "" {
		c["state_topic"] = d.own(e.reads)
	}
	if e.sets != "" {
		c["command_topic"] = d.own(Set + "/" + e.sets)
	}
	for k, v := range e.more {
		if level, ok := v.(attributesOf); ok {
			v = d.own(string(level))
		}
		c[k] = v
	}
	return c
}

// attributesOf stands for the topic of a level.
type attributesOf string
