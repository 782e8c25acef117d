package config

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
}

func defaultHome() Home {
	return Home{Source: "mqtt", Prefix: "homeassistant", Birth: true, Token: "credential:hearthd.homeassistant"}
}

func (k *checker) home() {
	h := &k.cfg.Tools.Home
	k.oneOf("tools.home.source", h.Source, "mqtt", "homeassistant", "off")
	k.match("tools.home.prefix", h.Prefix, topicLevel, "must be one topic level")
	if h.Source == "homeassistant" || h.Conversation || h.URL != "" { // an address is needed
		k.http("tools.home.url", h.URL)
	}
}
