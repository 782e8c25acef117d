package audio

import (
	"encoding/binary"
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
	size, le := uint32(2*len(c.Samples)), binary.LittleEndian
	b := make([]byte, 0, wavHeaderBytes+int(size))
	b = le.AppendUint32(append(b, "RIFF"...), wavHeaderBytes-8+size)
	b = le.AppendUint32(append(b, "WAVEfmt "...), 16)
	b = le.AppendUint16(b, wavPCM)
	b = le.AppendUint16(b, 1)                // channels
	b = le.AppendUint32(b, uint32(c.Rate))   // samples per second
	b = le.AppendUint32(b, uint32(2*c.Rate)) // bytes per second
	b = le.AppendUint16(b, 2)                // bytes per sample frame
	b = le.AppendUint16(b, 16)               // bits per sample
	b = le.AppendUint32(append(b, "data"...), size)
	for _, v := range c.Samples {
		b = le.AppendUint16(b, uint16(v))
	}
	if _, err := w.Write(b); err != nil {
		return fmt.Errorf("write wav: %w", err)
	}
	return nil
}
