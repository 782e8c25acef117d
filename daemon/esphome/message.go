package esphome

import (
	"errors"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// The messages, by their number in api.proto.
const (
	helloRequest        = 1
	helloResponse       = 2
	authRequest         = 3
	authResponse        = 4
	disconnectRequest   = 5
	disconnectResponse  = 6
	pingRequest         = 7
	pingResponse        = 8
	deviceInfoRequest   = 9
	deviceInfoResponse  = 10
	listRequest         = 11
	listDone            = 19
	statesRequest       = 20
	switchCommand       = 33
	numberCommand       = 51
	buttonCommand       = 62
	playerCommand       = 65
	voiceSubscribe      = 89
	voiceRequest        = 90
	voiceResponse       = 91
	voiceEvent          = 92
	voiceAudio          = 106
	voiceTimer          = 115
	voiceAnnounce       = 119
	voiceAnnounced      = 120
	voiceConfig         = 121
	voiceConfigResponse = 122
	voiceSetConfig      = 123
)

// message is the body of one, in the encoding of protocol buffers. Fields at their default are left out.
type message []byte

func (m *message) text(n protowire.Number, s string) {
	if s != "" {
		*m = protowire.AppendString(protowire.AppendTag(*m, n, protowire.BytesType), s)
	}
}

func (m *message) number(n protowire.Number, v uint64) {
	if v != 0 {
		*m = protowire.AppendVarint(protowire.AppendTag(*m, n, protowire.VarintType), v)
	}
}

func (m *message) flag(n protowire.Number, on bool) { m.number(n, protowire.EncodeBool(on)) }

func (m *message) fixed(n protowire.Number, v uint32) {
	if v != 0 {
		*m = protowire.AppendFixed32(protowire.AppendTag(*m, n, protowire.Fixed32Type), v)
	}
}

func (m *message) float(n protowire.Number, v float64) { m.fixed(n, math.Float32bits(float32(v))) }

// fields are what a message holds: of each number the last value, and all that are bytes.
type fields struct {
	numbers map[protowire.Number]uint64
	bytes   map[protowire.Number][][]byte
}

// maxFields bounds the fields of one message; the longest ones are lists of a few names.
const maxFields = 256

var errMessage = errors.New("a message cannot be read")

// parse reads a message. What it returns shares the memory of body.
func parse(body []byte) (fields, error) {
	f := fields{map[protowire.Number]uint64{}, map[protowire.Number][][]byte{}}
	for count := 0; len(body) > 0; count++ {
		n, kind, size := protowire.ConsumeTag(body)
		if size < 0 || count == maxFields {
			return f, errMessage
		}
		body = body[size:]
		switch kind {
		case protowire.VarintType:
			f.numbers[n], size = protowire.ConsumeVarint(body)
		case protowire.Fixed32Type:
			var v uint32
			v, size = protowire.ConsumeFixed32(body)
			f.numbers[n] = uint64(v)
		case protowire.BytesType:
			var b []byte
			b, size = protowire.ConsumeBytes(body)
			f.bytes[n] = append(f.bytes[n], b)
		default:
			size = protowire.ConsumeFieldValue(n, kind, body)
		}
		if size < 0 {
			return f, errMessage
		}
		body = body[size:]
	}
	return f, nil
}

func (f fields) flag(n protowire.Number) bool { return f.numbers[n] != 0 }

func (f fields) float(n protowire.Number) float64 {
	return float64(math.Float32frombits(uint32(f.numbers[n])))
}

func (f fields) text(n protowire.Number) string {
	if all := f.bytes[n]; len(all) > 0 {
		return string(all[len(all)-1])
	}
	return ""
}

func (f fields) texts(n protowire.Number) (list []string) {
	for _, b := range f.bytes[n] {
		list = append(list, string(b))
	}
	return list
}
