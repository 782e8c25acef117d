// Package mqtt joins hearthd to an MQTT broker, the household's or one of its
// own on loopback: it publishes what the speaker does and takes commands. It is
// the only package that imports MQTT libraries.
//
// A Bridge runs one goroutine that turns events into messages, one that sends
// them, and two that carry out commands; the client library's own goroutines
// end with Run. Messages wait in an outbox of our own (the latest value of each
// retained topic, a bounded queue of the rest), because the client library
// drops, or queues without bound, what it is given while the broker is away.
// The package must not import the dialogue: commands go through an interface.
package mqtt
