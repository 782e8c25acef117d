package config

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

func (m *MQTT) check(k *checker) {
	switch m.Broker {
	case "off", "mdns", "mdns-tls":
	case "embedded":
		k.hostPort("mqtt.listen", m.Listen)
		if host, _, err := net.SplitHostPort(m.Listen); err == nil {
			if ip, err := netip.ParseAddr(host); host != "localhost" && (err != nil || !ip.IsLoopback()) {
				k.add("mqtt.listen", m.Listen, "must be a loopback address: what goes through the embedded broker is not encrypted")
			}
		}
	default:
		m.checkBroker(k)
	}
	if (m.CertFile == "") != (m.KeyFile == "") {
		k.add("mqtt.key_file", m.KeyFile, "mqtt.cert_file and mqtt.key_file go together")
	}
	k.match("mqtt.prefix", m.Prefix, topicLevel, "must be one topic level of letters, digits, - and _")
	k.match("mqtt.discovery_prefix", m.DiscoveryPrefix, topicLevel, "must be one topic level of letters, digits, - and _")
	m.checkCommands(k)
	m.checkHouse(k)
}

func (m *MQTT) checkCommands(k *checker) {
	for i, name := range m.Commands {
		key := fmt.Sprintf("mqtt.commands[%d]", i)
		k.oneOf(key, name, "say", "announce", "ask", "listen", "stop", "repeat", "mute", "dnd", "volume", "timer", "tool",
			"wake", "route", "restart")
		if slices.Contains(m.Commands[:i], name) {
			k.add(key, name, "stands twice")
		}
	}
}

// checkHouse checks what the boxes of a house know of one another.
func (m *MQTT) checkHouse(k *checker) {
	if m.House != "" {
		k.match("mqtt.house", m.House, topicLevel, "must be one topic level of letters, digits, - and _")
		if m.House == "set" {
			k.add("mqtt.house", m.House, "is the name of something else")
		}
	}
	if m.ListsAt != "" {
		k.match("mqtt.lists_at", m.ListsAt, topicLevel, "must be a node: letters, digits, - and _")
	}
	if m.House == "" && (m.ShareTimers || m.ListsAt != "") {
		k.add("mqtt.house", m.House, "is needed for mqtt.share_timers and mqtt.lists_at")
	}
	if len(m.Groups) > maxGroups {
		k.add("mqtt.groups", fmt.Sprint(len(m.Groups)), fmt.Sprintf("are more than %d", maxGroups))
	}
	for i, name := range m.Groups {
		if name == "" || len(name) > maxArea {
			k.add(fmt.Sprintf("mqtt.groups[%d]", i), name, fmt.Sprintf("must have 1 to %d bytes", maxArea))
		}
	}
	if len(m.Area) > maxArea {
		k.add("mqtt.area", m.Area, fmt.Sprintf("is longer than %d bytes", maxArea))
	}
}

// maxGroups bounds the groups that a box belongs to.
const maxGroups = 20

// maxArea bounds the name of a room, in bytes.
const maxArea = 100

// checkBroker checks the address of one.
func (m *MQTT) checkBroker(k *checker) {
	u, err := url.Parse(m.Broker)
	if err != nil || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		k.add("mqtt.broker", "",
			"must be embedded, off, mdns, mdns-tls or an address such as mqtt://HOST[:PORT], without user and password")
		return
	}
	web := strings.HasPrefix(u.Scheme, "ws")
	switch {
	case !slices.Contains([]string{"mqtt", "mqtts", "ws", "wss"}, u.Scheme):
		k.add("mqtt.broker", "", "must begin with mqtt://, mqtts://, ws:// or wss://")
	case !web && u.Path != "" && u.Path != "/":
		k.add("mqtt.broker", "", "has a path, which only ws:// and wss:// take")
	case (u.Scheme == "mqtt" || u.Scheme == "ws") && (m.CAFile != "" || m.CertFile != ""):
		k.add("mqtt.broker", m.Broker, "must begin with mqtts:// or wss:// when certificates are set")
	}
}
