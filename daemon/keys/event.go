package keys

import (
	"encoding/binary"
	"io"
	"strconv"
)

// event is struct input_event of linux/input.h without its time.
type event struct {
	Type, Code uint16
	Value      int32
}

// Of linux/input-event-codes.h, and the values of a key.
const (
	evKey   = 1
	pressed = 1
	held    = 2
)

// eventSize is the size of struct input_event: a timeval of two words and 8 bytes. It
// is that of the program, whatever the kernel's is.
const eventSize = 2*strconv.IntSize/8 + 8

// batch is how many events are taken in one read.
const batch = 16

// readEvents gives take the events of r, each of which has size bytes, until r ends.
func readEvents(r io.Reader, size int, take func(event)) error {
	buf := make([]byte, batch*size)
	have := 0
	for {
		n, err := r.Read(buf[have:])
		have += n
		at := 0
		for ; have-at >= size; at += size {
			b := buf[at+size-8:]
			take(event{
				Type: binary.NativeEndian.Uint16(b), Code: binary.NativeEndian.Uint16(b[2:]),
				Value: int32(binary.NativeEndian.Uint32(b[4:])),
			})
		}
		have = copy(buf, buf[at:have])
		if err != nil {
			return err
		}
	}
}
