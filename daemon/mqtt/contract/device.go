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
	Area      string   // that Home Assistant suggests; may be empty
	House     string   // whose boxes know each other; empty: this one is on its own
	Groups    []string // that the box belongs to, beside its area
	Commands  []string // that are obeyed
	Words     []string // that may be set as the wake word; fewer than two: there is no choice
	Policies  []string // that may be set; fewer than two: there is no choice
	Currency  string   // of what the responder costs; empty: there is none
	// Transcripts says that turns carry words, Temperature that vitals carry one.
	Transcripts bool
	Temperature bool
}

// ID is the box's name in Home Assistant: stable, and different on one broker as
// long as the topics are.
func (d *Device) ID() string { return d.Prefix + "_" + d.Node }

// Topic is where the document belongs, retained. An empty payload there removes
// the device.
func (d *Device) Topic() string { return d.Discovery + "/device/" + d.ID() + "/config" }

// Birth is where Home Assistant says that it has begun.
func (d *Device) Birth() string { return d.Discovery + "/status" }

// Name is what people read: "Kitchen speaker" for the node kitchen.
func (d *Device) Name() string {
	words := strings.Fields(strings.NewReplacer("-", " ", "_", " ").Replace(d.Node))
	name := strings.Join(append(words, "speaker"), " ")
	return strings.ToUpper(name[:1]) + name[1:]
}

// Document is the device document of Home Assistant (MQTT discovery, "device
// discovery payload"), with the keys that it allows and no others: one that it
// does not know makes it drop the whole.
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
	reads              string // level, or empty
	sets               string // command, or empty
	only               string // when it is there, for a person
	more               map[string]any
}

// component is the entity as the document has it.
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

// attributesOf is the topic of a level.
type attributesOf string
