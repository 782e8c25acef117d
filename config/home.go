package config

import "fmt"

// Home says where the devices of the house are.
type Home struct {
	// Source is "mqtt", where Zigbee2MQTT, Tasmota, ESPHome and others announce
	// their devices; "homeassistant"; or "off".
	Source string `yaml:"source"`
	Prefix string `yaml:"prefix"` // of discovery topics
	// Birth asks devices for their state as a starting Home Assistant does.
	Birth bool   `yaml:"birth"`
	URL   string `yaml:"url"` // of Home Assistant: http://HOST:8123
	Token Secret `yaml:"token"`
	// Conversation asks Home Assistant's agent what the thinker cannot answer.
	Conversation bool `yaml:"conversation"`
	// Floors are those that the devices do not tell of.
	Floors []Floor `yaml:"floors"`
	// Entrances are devices that let somebody into the house, NoEntrances those that do
	// not, whatever they look like: names or IDs.
	Entrances   []string `yaml:"entrances"`
	NoEntrances []string `yaml:"no_entrances"`
}

// Floor is what people call one, and the areas that are on it.
type Floor struct {
	Name  string   `yaml:"name"`
	Areas []string `yaml:"areas"`
}

func defaultHome() Home {
	return Home{
		Source: "mqtt", Prefix: "homeassistant", Birth: true, Token: "credential:hearthd.homeassistant",
		Floors: []Floor{}, Entrances: []string{}, NoEntrances: []string{},
	}
}

func (h *Home) check(k *checker) {
	k.oneOf("tools.home.source", h.Source, "mqtt", "homeassistant", "off")
	k.match("tools.home.prefix", h.Prefix, topicLevel, "must be one topic level")
	if h.Source == "homeassistant" || h.Conversation || h.URL != "" { // an address is needed
		k.http("tools.home.url", h.URL)
	}
	k.entrances("tools.home.entrances", h.Entrances)
	k.entrances("tools.home.no_entrances", h.NoEntrances)
	if len(h.Floors) > 20 {
		k.add("tools.home.floors", fmt.Sprint(len(h.Floors)), "must be 20 at most")
	}
	for i, f := range h.Floors {
		key := fmt.Sprintf("tools.home.floors[%d]", i)
		k.filled(key+".name", f.Name)
		if len(f.Areas) == 0 || len(f.Areas) > 100 {
			k.add(key+".areas", fmt.Sprint(len(f.Areas)), "must be 1 to 100 areas")
		}
	}
}

func (k *checker) entrances(key string, list []string) {
	for i, name := range list {
		k.filled(fmt.Sprintf("%s[%d]", key, i), name)
	}
}
