package ctl

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"strings"
)

// maxEvent bounds one line of a stream in bytes.
const MaxEvent = 1 << 20

// Event is one event of a stream of the API.
type Event struct {
	Name string // empty for most
	Data json.RawMessage
}

// Stream opens a stream as Open does. The sequence always ends with an error, since a stream has no
// end.
func (c *Client) Stream(ctx context.Context, path string, body any) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		rc, err := c.Open(ctx, path, body)
		if err != nil {
			yield(Event{}, err)
			return
		}
		defer rc.Close()
		ReadStream(rc)(yield)
	}
}

// ReadStream gives the events of r.
func ReadStream(r io.Reader) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, MaxEvent)
		name := ""
		for lines.Scan() {
			line := lines.Text()
			if n, ok := strings.CutPrefix(line, "event: "); ok {
				name = n
			}
			data, ok := strings.CutPrefix(line, "data: ")
			if !ok {
				continue
			}
			if !yield(Event{name, json.RawMessage(data)}, nil) {
				return
			}
			name = ""
		}
		err := errors.New("hearthd has ended the stream")
		if broken := lines.Err(); broken != nil {
			err = explain(broken, "")
		}
		yield(Event{}, err)
	}
}
