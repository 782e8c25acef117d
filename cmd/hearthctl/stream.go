package main

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
const maxEvent = 1 << 20

// streamed is one event of a stream of the API.
type streamed struct {
	name string // empty for most
	data json.RawMessage
}

// stream opens a stream as open does. The sequence ends with an error, since a stream
// has no end.
func (c *client) stream(ctx context.Context, path string, body any) iter.Seq2[streamed, error] {
	return func(yield func(streamed, error) bool) {
		rc, err := c.open(ctx, path, body)
		if err != nil {
			yield(streamed{}, err)
			return
		}
		defer rc.Close()
		readStream(rc)(yield)
	}
}

// readStream gives the events of r.
func readStream(r io.Reader) iter.Seq2[streamed, error] {
	return func(yield func(streamed, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, maxEvent)
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
			if !yield(streamed{name, json.RawMessage(data)}, nil) {
				return
			}
			name = ""
		}
		err := errors.New("hearthd has ended the stream")
		if broken := lines.Err(); broken != nil {
			err = explain(broken, "")
		}
		yield(streamed{}, err)
	}
}
