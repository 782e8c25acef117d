package audio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

const wavHeaderBytes = 44

// wavMaxSamples is what the 32-bit sizes of a RIFF file can say.
const wavMaxSamples = (math.MaxUint32 - wavHeaderBytes) / 2

// EncodeWAV writes c as a complete WAV file, mono PCM of 16 bits.
func EncodeWAV(w io.Writer, c Chunk) error {
	if int64(len(c.Samples)) > wavMaxSamples {
		return fmt.Errorf("write wav: %d samples, limit %d", len(c.Samples), int64(wavMaxSamples))
	}
	b := make([]byte, 0, wavHeaderBytes+2*len(c.Samples))
	b = appendSamples(wavHeader(b, c.Rate, int64(len(c.Samples))), c.Samples)
	if _, err := w.Write(b); err != nil {
		return fmt.Errorf("write wav: %w", err)
	}
	return nil
}

// wavHeader appends the header of a mono file.
func wavHeader(b []byte, rate int, samples int64) []byte {
	le := binary.LittleEndian
	b = le.AppendUint32(append(b, "RIFF"...), uint32(wavHeaderBytes-8+2*samples))
	b = le.AppendUint32(append(b, "WAVEfmt "...), 16)
	b = le.AppendUint16(b, wavPCM)
	b = le.AppendUint16(b, 1)              // channels
	b = le.AppendUint32(b, uint32(rate))   // samples per second
	b = le.AppendUint32(b, uint32(2*rate)) // bytes per second
	b = le.AppendUint16(b, 2)              // bytes per sample frame
	b = le.AppendUint16(b, 16)             // bits per sample
	return le.AppendUint32(append(b, "data"...), uint32(2*samples))
}

func appendSamples(b []byte, p []int16) []byte {
	for _, v := range p {
		b = binary.LittleEndian.AppendUint16(b, uint16(v))
	}
	return b
}

// WAVWriter writes a mono WAV file of unknown length. Until Close its header
// says 0, which a WAVReader accepts as a stream.
type WAVWriter struct {
	w       io.WriteSeeker
	start   int64
	rate    int
	samples int64
	buf     []byte
}

// NewWAVWriter writes a header where w stands.
func NewWAVWriter(w io.WriteSeeker, rate int) (*WAVWriter, error) {
	start, err := w.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, fmt.Errorf("write wav: %w", err)
	}
	ww := &WAVWriter{w: w, start: start, rate: rate, buf: make([]byte, 0, wavReadBytes)}
	if _, err := w.Write(wavHeader(ww.buf, rate, 0)); err != nil {
		return nil, fmt.Errorf("write wav: %w", err)
	}
	return ww, nil
}

// Write appends samples. It keeps nothing back, so that a file is complete but
// for its header at any moment.
func (w *WAVWriter) Write(p []int16) error {
	if w.samples+int64(len(p)) > wavMaxSamples {
		return errors.New("write wav: file is full at 4 GiB")
	}
	for len(p) > 0 {
		n := min(len(p), cap(w.buf)/2)
		if _, err := w.w.Write(appendSamples(w.buf, p[:n])); err != nil {
			return fmt.Errorf("write wav: %w", err)
		}
		w.samples += int64(n)
		p = p[n:]
	}
	return nil
}

// Close writes the sizes into the header and leaves the underlying file open,
// at its end.
func (w *WAVWriter) Close() error {
	_, err := w.w.Seek(w.start, io.SeekStart)
	if err == nil {
		_, err = w.w.Write(wavHeader(w.buf, w.rate, w.samples))
	}
	if err == nil {
		_, err = w.w.Seek(w.start+wavHeaderBytes+2*w.samples, io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("write wav header: %w", err)
	}
	return nil
}
