// Package discovery finds the devices of the house on an MQTT broker and controls
// them there, without a hub: it reads the discovery documents that Zigbee2MQTT,
// Tasmota, ESPHome and others publish for Home Assistant, single components and
// whole devices, and Tasmota's own; follows the topics that they name; and sends
// what they want to be sent. The formats are those of
// home-assistant.io/integrations/mqtt and of the sources of these projects.
//
// What comes from the broker is foreign: documents, names and values are bounded,
// and what is too long, too deep, too much or not understood is named and skipped
// while the rest works.
//
// A Hub may be called by many goroutines; Run has one of its own, which asks new
// devices for their state. The package keeps no payload of a caller. It must not
// import daemon.
package discovery
