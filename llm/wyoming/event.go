package wyoming

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// What a peer may send. Real servers stay far below: a whole info message of
// piper with its hundreds of voices is about 200 kB of data, and an audio chunk
// is 2 kB. The line has the limit of Python's asyncio, which the reference
// implementation reads with.
const (
	maxLine    = 64 << 10
	maxData    = 1 << 20
	maxPayload = 1 << 20
)

// version is the protocol version that a message claims.
const version = "1.9.0"

// Event is one message. Data is a JSON object, or nil for none.
type Event struct {
	Type    string
	Data    json.RawMessage
	Payload []byte
}

// NewEvent returns an event whose data is v as JSON.
func NewEvent(kind string, v any) (Event, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return Event{}, fmt.Errorf("encode wyoming %s: %w", kind, err)
	}
	return Event{Type: kind, Data: data}, nil
}

// Decode reads the data into v. Without data v stays as it is.
func (e Event) Decode(v any) error {
	if e.Data == nil {
		return nil
	}
	if err := json.Unmarshal(e.Data, v); err != nil {
		return fmt.Errorf("decode wyoming %.32q: %w", e.Type, err)
	}
	return nil
}

// header is the line that opens a message.
type header struct {
	Type          string          `json:"type"`
	Version       string          `json:"version,omitempty"`
	Data          json.RawMessage `json:"data,omitempty"`
	DataLength    int64           `json:"data_length,omitempty"`
	PayloadLength int64           `json:"payload_length,omitempty"`
}

// Append appends the wire form of e to dst. As the reference implementation
// does, it puts the data in a block of its own. It refuses what a Reader would.
func Append(dst []byte, e Event) ([]byte, error) {
	if e.Type == "" || len(e.Data) > maxData || len(e.Payload) > maxPayload {
		return dst, fmt.Errorf("encode wyoming %.32q: %d bytes of data, %d of payload", e.Type, len(e.Data),
			len(e.Payload))
	}
	line, err := json.Marshal(header{
		Type: e.Type, Version: version,
		DataLength: int64(len(e.Data)), PayloadLength: int64(len(e.Payload)),
	})
	if err != nil {
		return dst, fmt.Errorf("encode wyoming %.32q: %w", e.Type, err)
	}
	dst = append(dst, line...)
	dst = append(dst, '\n')
	dst = append(dst, e.Data...)
	return append(dst, e.Payload...), nil
}

// Reader reads events from a stream.
type Reader struct {
	r *bufio.Reader
}

// NewReader returns a Reader on r. It reads ahead.
func NewReader(r io.Reader) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, maxLine)}
}

// Read returns the next event, which belongs to the caller. The error is io.EOF
// when the stream ended between two events. After an error the Reader has lost
// its place.
func (r *Reader) Read() (Event, error) {
	h, err := r.header()
	if err != nil {
		return Event{}, err
	}
	data, err := r.block("data", h.DataLength, maxData)
	if err != nil {
		return Event{}, err
	}
	payload, err := r.block("payload", h.PayloadLength, maxPayload)
	if err != nil {
		return Event{}, err
	}
	merged, err := merge(h.Data, data)
	if err != nil {
		return Event{}, err
	}
	return Event{Type: h.Type, Data: merged, Payload: payload}, nil
}

func (r *Reader) header() (header, error) {
	line, err := r.r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return header{}, fmt.Errorf("read wyoming line: longer than %d bytes", maxLine)
	case err == io.EOF && len(line) > 0:
		return header{}, fmt.Errorf("read wyoming line: %w", io.ErrUnexpectedEOF)
	case err == io.EOF:
		return header{}, io.EOF
	case err != nil:
		return header{}, fmt.Errorf("read wyoming line: %w", err)
	}
	var h header
	if err := json.Unmarshal(line, &h); err != nil {
		return header{}, fmt.Errorf("read wyoming line: %w", err)
	}
	if h.Type == "" {
		return header{}, errors.New("read wyoming line: no type")
	}
	return h, nil
}

// block reads the n bytes that a header announced.
func (r *Reader) block(what string, n, limit int64) ([]byte, error) {
	if n < 0 || n > limit {
		return nil, fmt.Errorf("read wyoming %s: length %d is not in 0..%d", what, n, limit)
	}
	if n == 0 {
		return nil, nil
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(r.r, b); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("read wyoming %s: %w", what, err)
	}
	return b, nil
}

// merge lays the data block over the data of the line.
func merge(line, block json.RawMessage) (json.RawMessage, error) {
	if bytes.Equal(line, []byte("null")) {
		line = nil
	}
	all := map[string]json.RawMessage{}
	for _, part := range []json.RawMessage{line, block} {
		if part == nil {
			continue
		}
		if err := json.Unmarshal(part, &all); err != nil {
			return nil, fmt.Errorf("read wyoming data: %w", err)
		}
	}
	switch {
	case block == nil:
		return line, nil
	case line == nil:
		return block, nil
	}
	merged, err := json.Marshal(all)
	if err != nil {
		return nil, fmt.Errorf("read wyoming data: %w", err)
	}
	return merged, nil
}
