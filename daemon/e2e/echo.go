package e2e

import (
	"encoding/binary"
	"io"
	"os"

	"hearthd/audio/device/testcard"
)

const (
	// echoWait is how much of the speaker is kept back, in samples, so that the two
	// clocks of the card may be a little apart: 100 ms.
	echoWait = testcard.Rate / 10
	// echoMost bounds what is read at once; what is older is past.
	echoMost = testcard.Rate
)

// echoTaps are the way from the speaker to the microphone: what comes straight, and
// three walls, by samples of delay.
var echoTaps = map[int]float64{0: 0.2, 310: 0.1, 997: -0.07, 2411: 0.04}

// echo is the speaker's sound in the room.
type echo struct {
	path    string
	file    *os.File
	queue   []int16 // played, and not heard yet
	past    [4096]float64
	at      int
	flowing bool
}

// add adds to p what of the speaker reaches the microphone meanwhile.
func (e *echo) add(p []int16) {
	e.read()
	if len(e.queue) >= echoWait+len(p) {
		e.flowing = true
	} else if len(e.queue) < len(p) {
		e.flowing = false
	}
	for i := range p {
		e.at = (e.at + 1) % len(e.past)
		e.past[e.at] = 0
		if e.flowing {
			e.past[e.at] = float64(e.queue[i])
		}
		sum := float64(p[i])
		for delay, gain := range echoTaps {
			sum += gain * e.past[(e.at-delay+len(e.past))%len(e.past)]
		}
		p[i] = int16(max(min(sum, 32767), -32768))
	}
	if e.flowing {
		e.queue = e.queue[len(p):]
	}
}

// read takes what the card has played since the last time. There is no file before
// it has played anything.
func (e *echo) read() {
	if e.file == nil {
		f, err := os.Open(e.path)
		if err != nil {
			return
		}
		e.file = f
	}
	raw := make([]byte, 2*echoMost)
	n, err := io.ReadFull(e.file, raw)
	if err == nil { // the microphone was closed for a while
		e.queue = nil
	}
	for n &^= 1; n > 0; n -= 2 {
		e.queue = append(e.queue, int16(binary.LittleEndian.Uint16(raw)))
		raw = raw[2:]
	}
}

func (e *echo) close() {
	if e.file != nil {
		e.file.Close()
	}
}
