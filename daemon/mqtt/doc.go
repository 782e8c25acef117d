// Package mqtt joins hearthd to an MQTT broker, the household's or one of its
// own on loopback: it publishes what the speaker does and takes commands. It is
// the only package that imports MQTT libraries. packaging/mqtt.md is the
// contract that it keeps.
//
// Run has one goroutine that keeps the connection and sends, one that turns
// events into messages, two that carry out commands, and one for each Feed, which
// keeps subscriptions for the devices of the home and for the other boxes. Every
// connection gets a new client, without the library's own reconnecting, which resends
// old messages out of order, keeps sleeping for half a minute after it was ended, and
// hides why a broker refuses. Messages wait in an outbox (the latest value of each
// retained topic, and a bounded queue of the rest), and the library holds one at a
// time. The network connection is opened here too, so that a shutdown never waits for
// a dead peer. A payload that is put into the outbox belongs to it.
//
// The package must not import the dialogue: commands go through an interface.
package mqtt
