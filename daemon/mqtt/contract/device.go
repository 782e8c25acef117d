package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Device is a box as Home Assistant knows it.
type Device struct {
	Discovery string // first level of Home Assistant's discovery topics
	Prefix    string
	Node      string
	Version   string
	Area      string   // suggested to Home Assistant; may be empty
	House     string   // boxes of one house are peers; empty: this box is on its own
	Groups    []string // to which the box belongs, beside its area
	Commands  []string // those that the box accepts
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
		components[e.ID] = e.component(d)
	}
	device := map[string]any{
		"identifiers": []string{d.ID()}, "name": d.Name(), "manufacturer": "hearthd", "model": "hearthd",
		"sw_version": d.Version,
	}
	if d.Area != "" {
		device["suggested_area"] = d.Area
	}
	doc, err := json.Marshal(map[string]any{
		"device":       device,
		"origin":       map[string]any{"name": "hearthd", "sw_version": d.Version},
		"availability": []map[string]any{{"topic": d.Own(Availability)}},
		"qos":          1,
		"components":   components,
	})
	if err != nil {
		return nil, fmt.Errorf("encode device document: %w", err)
	}
	return doc, nil
}

// Own is the full name of a topic of the box.
func (d *Device) Own(level string) string { return d.Prefix + "/" + d.Node + "/" + level }

// Retained are the topics that a broker keeps of the box, but for those that now has too. The
// availability is the last, so that who finds it knows that there may be more.
func (d *Device) Retained(now *Device) (topics []string) {
	kept := now.retained()
	return slices.DeleteFunc(d.retained(), func(topic string) bool { return slices.Contains(kept, topic) })
}

func (d *Device) retained() []string {
	topics := []string{d.Topic()}
	if d.House != "" {
		topics = append(topics, HouseTopic(d.Prefix, d.House, Boxes)+"/"+d.Node)
	}
	for _, t := range Topics() {
		if t.Retained && t.Level != Availability {
			topics = append(topics, d.Own(t.Level))
		}
	}
	return append(topics, d.Own(Availability))
}

// Key tells the topics of the box from those of others.
func (d *Device) Key() string {
	return strings.Join([]string{d.Discovery, d.Prefix, d.Node, d.House}, "/")
}

// Former is a box of the key, as far as its topics go.
func Former(key string) (d Device, ok bool) {
	levels := strings.Split(key, "/")
	if len(levels) != 4 {
		return d, false
	}
	return Device{Discovery: levels[0], Prefix: levels[1], Node: levels[2], House: levels[3]}, true
}

// entities are those of d. An entity whose command d does not obey is left out.
func (d *Device) entities() (list []entity) {
	has := map[string]bool{
		"": true, "transcripts": d.Transcripts, "words": len(d.Words) > 1, "policies": len(d.Policies) > 1,
		"responder": d.Currency != "", "temperature": d.Temperature,
	}
	for _, e := range read().Entities {
		e.More = maps.Clone(e.More)
		switch e.ID {
		case "wake":
			e.More["options"] = d.Words
		case "policy":
			e.More["options"] = d.Policies
		case "spent_today", "spent_month":
			e.More["unit_of_measurement"] = d.Currency
		case "version": // it is shown even where it cannot be installed
			if !slices.Contains(d.Commands, e.Sets) {
				e.Sets = ""
				delete(e.More, "payload_install")
			}
		}
		if has[e.Needs] && (e.Sets == "" || slices.Contains(d.Commands, e.Sets)) {
			list = append(list, e)
		}
	}
	return list
}

// component is the entity as it appears in the document.
func (e *entity) component(d *Device) map[string]any {
	c := map[string]any{
		"platform": e.Platform, "name": e.Name, "unique_id": d.ID() + "_" + e.ID,
		"default_entity_id": e.Platform + "." + strings.ToLower(strings.ReplaceAll(d.ID(), "-", "_")) + "_" + e.ID,
	}
	for key, level := range map[string]string{"state_topic": e.Reads, "json_attributes_topic": e.Attributes} {
		if level != "" {
			c[key] = d.Own(level)
		}
	}
	if e.Sets != "" {
		c["command_topic"] = d.Own(Set + "/" + e.Sets)
	}
	maps.Copy(c, e.More)
	return c
}
