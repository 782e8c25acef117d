package program

import (
	"context"
	"encoding/binary"
	"sync"

	"hearthd/audio"
)

// tap is a source while it is played. It is used by one goroutine, but for its channel and its end.
type tap struct {
	done      <-chan struct{}         // closed when nobody reads any more
	cause     func() error            // why
	end       context.CancelCauseFunc // has Read give an error
	source    *runner
	running   sync.WaitGroup // of a program that was wanted
	blocks    chan []byte
	resampler *audio.Resampler
	mono      []int16
	out       []int16
	bytes     []byte
}

// newTap gives it with the context of the playing.
func newTap(ctx context.Context, r *runner, rate int) (context.Context, *tap, error) {
	resampler, err := audio.NewResampler(r.Rate, rate)
	if err != nil {
		return nil, nil, err
	}
	ctx, end := context.WithCancelCause(ctx)
	return ctx, &tap{done: ctx.Done(), cause: func() error { return context.Cause(ctx) }, end: end, source: r,
		blocks: make(chan []byte, queued), resampler: resampler}, nil
}

// Read implements io.Reader.
func (t *tap) Read(p []byte) (int, error) {
	for len(t.bytes) == 0 {
		select {
		case <-t.done:
			return 0, t.cause()
		case block := <-t.blocks:
			t.convert(block)
		}
	}
	n := copy(p, t.bytes)
	t.bytes = t.bytes[n:]
	return n, nil
}

// convert makes mono samples of a block, at the rate that is wanted.
func (t *tap) convert(block []byte) {
	width, channels := t.source.Width, t.source.Channels
	t.mono = t.mono[:0]
	for ; len(block) > 0; block = block[width*channels:] {
		sum := 0
		for c := range channels {
			sum += int(int16(binary.LittleEndian.Uint16(block[(c+1)*width-2:])))
		}
		t.mono = append(t.mono, int16(sum/channels))
	}
	t.out = t.resampler.Process(t.out[:0], t.mono)
	t.bytes = t.bytes[:0]
	for _, v := range t.out {
		t.bytes = binary.LittleEndian.AppendUint16(t.bytes, uint16(v))
	}
}

// Close ends a program that was wanted, and leaves one that runs always to itself.
func (t *tap) Close() error {
	t.end(nil)
	t.running.Wait()
	t.source.left(t)
	return nil
}
