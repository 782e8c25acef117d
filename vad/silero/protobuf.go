package silero

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The wire types of protocol buffers that ONNX uses
// (https://protobuf.dev/programming-guides/encoding).
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

// field is one field of a message: number holds a varint, bytes what has a
// length of its own, as a part of the message.
type field struct {
	id     int
	wire   int
	number uint64
	bytes  []byte
}

// walk calls visit with each field of message, in order.
func walk(message []byte, visit func(field) error) error {
	for rest := message; len(rest) > 0; {
		at := len(message) - len(rest)
		f, n, err := next(rest)
		if err != nil {
			return fmt.Errorf("%w at byte %d of %d", err, at, len(message))
		}
		rest = rest[n:]
		if err := visit(f); err != nil {
			return err
		}
	}
	return nil
}

var errCut = errors.New("message is cut off")

// next decodes the first field of b, which takes n bytes.
func next(b []byte) (f field, n int, err error) {
	key, n := binary.Uvarint(b)
	if n <= 0 || key>>3 == 0 || key>>3 > 1<<29-1 {
		return f, 0, errors.New("no field of a protocol buffer")
	}
	f.id, f.wire = int(key>>3), int(key&7)
	size := uint64(0)
	switch f.wire {
	case wireVarint, wireBytes:
		v, k := binary.Uvarint(b[n:])
		if k <= 0 {
			return f, 0, errCut
		}
		n += k
		if f.number = v; f.wire == wireBytes {
			size = v
		}
	case wireFixed64:
		size = 8
	case wireFixed32:
		size = 4
	default:
		return f, 0, fmt.Errorf("no field of a protocol buffer: wire type %d", f.wire)
	}
	if size > uint64(len(b)-n) {
		return f, 0, fmt.Errorf("%w: field %d has %d bytes, %d are left,", errCut, f.id, size, len(b)-n)
	}
	end := n + int(size)
	f.bytes = b[n:end]
	return f, end, nil
}
