package audio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The layout is Microsoft and IBM's Multimedia Programming Interface and Data
// Specifications 1.0 (1991), with WAVE_FORMAT_EXTENSIBLE as mmreg.h has it.
const (
	wavPCM        = 1
	wavExtensible = 0xFFFE
	wavUnknown    = 0x7FFF0000 // a data size from here on is "not known yet"

	// The rest of the GUID of a sub-format, after its two bytes of format tag.
	wavSubFormat = "\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71"
)

type wavFormat struct {
	channels int
	rate     int
}

// header walks the chunks up to the samples. fileLength is -1 if not known.
func (w *WAVReader) header(o WAVOptions, fileLength int64) error {
	var b [12]byte
	if err := w.fill(b[:], "RIFF header"); err != nil {
		return err
	}
	if string(b[:4]) != "RIFF" || string(b[8:]) != "WAVE" {
		return fmt.Errorf("begins with %q, not with a RIFF WAVE header", b[:])
	}
	riffEnd := int64(binary.LittleEndian.Uint32(b[4:])) + 8
	at := int64(len(b))
	for {
		if err := w.fill(b[:8], "chunk header"); err != nil {
			return err
		}
		id, size := string(b[:4]), int64(binary.LittleEndian.Uint32(b[4:]))
		at += 8
		if id == "data" {
			if !o.Streaming {
				if err := checkLengths(riffEnd, at+size, fileLength); err != nil {
					return err
				}
			}
			return w.data(size, o)
		}
		padded := size + size&1
		if at += padded; at > wavMaxHeader {
			return fmt.Errorf("chunk %q of %d bytes: more than %d bytes before the samples", id, size, wavMaxHeader)
		}
		if err := w.chunk(id, size, padded); err != nil {
			return err
		}
	}
}

// fill reads all of b, which is part of what.
func (w *WAVReader) fill(b []byte, what string) error {
	_, err := io.ReadFull(w.r, b)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// checkLengths compares the ends, in bytes from the start, of the RIFF chunk,
// the data chunk, and the file.
func checkLengths(riffEnd, dataEnd, fileLength int64) error {
	switch {
	case riffEnd < dataEnd:
		return fmt.Errorf("header says %d bytes, but its data chunk ends at %d", riffEnd, dataEnd)
	case fileLength < 0:
		return nil
	case fileLength < riffEnd:
		return fmt.Errorf("header says %d bytes, file has %d: %w", riffEnd, fileLength, io.ErrUnexpectedEOF)
	case fileLength > riffEnd+1: // one byte of padding may be uncounted
		return fmt.Errorf("header says %d bytes, file has %d", riffEnd, fileLength)
	}
	return nil
}

// data begins the samples, which are said to be size bytes.
func (w *WAVReader) data(size int64, o WAVOptions) error {
	if w.format.channels == 0 {
		return errors.New("no fmt chunk before the samples")
	}
	frame := int64(2 * w.format.channels)
	limit := int64(o.MaxDuration.Seconds()*float64(w.format.rate)) * frame
	if o.Streaming && (size == 0 || size >= wavUnknown) {
		w.open, w.size = true, limit
		return nil
	}
	if size > limit {
		return fmt.Errorf("data chunk says %d bytes, limit %d (%v)", size, limit, o.MaxDuration)
	}
	if size%frame != 0 {
		return fmt.Errorf("data chunk says %d bytes, no multiple of the %d of a sample frame", size, frame)
	}
	w.size = size
	return nil
}

// chunk reads a chunk that is not the samples.
func (w *WAVReader) chunk(id string, size, padded int64) error {
	if id != "fmt " {
		if n, err := io.CopyN(io.Discard, w.r, padded); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return fmt.Errorf("chunk %q ends after %d of %d bytes: %w", id, n, size, err)
		}
		return nil
	}
	var b [40]byte // of WAVE_FORMAT_EXTENSIBLE, the longest there is
	if size < 16 || size > int64(len(b)) {
		return fmt.Errorf("fmt chunk of %d bytes, want 16 to %d", size, len(b))
	}
	if err := w.fill(b[:padded], "fmt chunk"); err != nil {
		return err
	}
	return w.format.parse(b[:size])
}

// parse reads the body of a fmt chunk, 16 bytes or more.
func (f *wavFormat) parse(b []byte) error {
	le := binary.LittleEndian
	tag, channels, rate := le.Uint16(b), int(le.Uint16(b[2:])), le.Uint32(b[4:])
	frame, bits := int(le.Uint16(b[12:])), le.Uint16(b[14:])
	if tag == wavExtensible && len(b) == 40 && string(b[26:]) == wavSubFormat {
		tag = le.Uint16(b[24:])
	}
	switch {
	case tag != wavPCM:
		return fmt.Errorf("format %#x is not PCM", tag)
	case bits != 16:
		return fmt.Errorf("%d bits per sample, want 16", bits)
	case channels < 1 || channels > wavMaxChannels:
		return fmt.Errorf("%d channels, want 1 to %d", channels, wavMaxChannels)
	case rate < MinRate || rate > MaxRate:
		return fmt.Errorf("rate %d is outside %d..%d", rate, MinRate, MaxRate)
	case frame != 2*channels:
		return fmt.Errorf("%d bytes per sample frame of %d channels, want %d", frame, channels, 2*channels)
	}
	f.channels, f.rate = channels, int(rate)
	return nil
}
