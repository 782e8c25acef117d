// Package remote finds wake words with a Wyoming wake server, such as
// wyoming-openwakeword or wyoming-microwakeword: it streams the microphone there
// and takes the detections that come back.
//
// The microphone goes to that server all the time, not only in a turn. So it is
// the user who names the address, of a server of their own: nothing here or in
// hearthd may look one up, guess one, or take one from the network.
//
// Push belongs to the listen goroutine and never waits: it puts a copy of the
// frame into a bounded queue and takes what has been found from another. Run is
// the goroutine that connects, and has two more for each connection. Frames that
// find the queue full are dropped and counted. The package imports audio,
// vad/wake and, for the framing of the protocol, llm/wyoming.
package remote
