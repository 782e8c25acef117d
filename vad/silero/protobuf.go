package silero

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// field is one field of a message: number holds a varint, bytes what has a
// length of its own, as a part of the message.
type field struct {
	id     protowire.Number
	wire   protowire.Type
	number uint64
	bytes  []byte
}

// walk calls visit with each field of message, in order.
func walk(message []byte, visit func(field) error) error {
	for rest := message; len(rest) > 0; {
		at := len(message) - len(rest)
		id, wire, n := protowire.ConsumeTag(rest)
		if n < 0 {
			return fmt.Errorf("no field of a protocol buffer at byte %d of %d: %w", at, len(message),
				protowire.ParseError(n))
		}
		f, size := field{id: id, wire: wire}, 0
		switch rest = rest[n:]; wire {
		case protowire.VarintType:
			f.number, size = protowire.ConsumeVarint(rest)
		case protowire.BytesType:
			f.bytes, size = protowire.ConsumeBytes(rest)
		default:
			size = protowire.ConsumeFieldValue(id, wire, rest)
		}
		if size < 0 {
			return fmt.Errorf("broken or cut off: field %d at byte %d of %d: %w", id, at, len(message),
				protowire.ParseError(size))
		}
		rest = rest[size:]
		if err := visit(f); err != nil {
			return err
		}
	}
	return nil
}
