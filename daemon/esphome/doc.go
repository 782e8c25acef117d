// Package esphome shows the box to Home Assistant as a voice satellite: it speaks the native API of ESPHome (what
// api.proto of aioesphomeapi describes), plain or encrypted with Noise, as a server on TCP. A Server has a goroutine
// that accepts, one that follows the bus, and for each connection one that reads, one that writes from a bounded queue,
// and one that carries out commands; a message belongs to whoever has received it. Whoever connects encrypted has the
// key; without a key everybody who can connect is obeyed, so that only loopback may be served.
//
// The package must not import MQTT, the dialogue or what plays: those are the interfaces in options.go.
package esphome
