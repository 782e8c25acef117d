package sherpa

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"hearthd/speech/model"
)

// Printer is a loaded model that makes prints of voices: vectors that are near each other when the same person
// speaks.
type Printer struct {
	l      *Library
	handle uintptr
	length int
	mu     sync.Mutex // one print at a time: the model keeps its scratch in itself
}

// maxPrint bounds the length of a print. Known models make 192 to 512 numbers.
const maxPrint = 4096

// Printer loads a model.
func (l *Library) Printer(m *model.Manifest, threads int) (*Printer, error) {
	if m.Kind != model.Speaker {
		return nil, fmt.Errorf("load model %s: a %s makes no prints of voices", m.Name, m.Kind)
	}
	var t texts
	defer t.keep()
	c := &printerConfig{Model: t.c(m.Path("model")), Threads: int32(threads), Provider: t.c("cpu")}
	p := &Printer{l: l, handle: l.createPrinter(c)}
	if p.handle == 0 {
		return nil, fmt.Errorf("load model %s: %w", m.Name, errModel)
	}
	if p.length = int(l.printLength(p.handle)); p.length < 1 || p.length > maxPrint {
		p.Close()
		return nil, fmt.Errorf("load model %s: its prints have %d numbers", m.Name, p.length)
	}
	return p, nil
}

// Close unloads the model. No Print may be running.
func (p *Printer) Close() { p.l.destroyPrinter(p.handle) }

// Print is that of the voice in samples at 16 kHz; nil: they are too few.
func (p *Printer) Print(samples []int16) ([]float32, error) {
	if len(samples) == 0 {
		return nil, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	stream := p.l.printStream(p.handle)
	if stream == 0 {
		return nil, errors.New("make print: the library has no stream")
	}
	defer p.l.onlineDestroy(stream)
	floats := appendFloats(nil, samples)
	p.l.onlineAccept(stream, 16000, &floats[0], int32(len(floats)))
	p.l.onlineFinished(stream)
	if p.l.printReady(p.handle, stream) == 0 {
		return nil, nil
	}
	made := p.l.print(p.handle, stream)
	if made == nil {
		return nil, errors.New("make print: the library made none")
	}
	defer p.l.printFree(made)
	return slices.Clone(unsafe.Slice(made, p.length)), nil
}
