package audio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

const (
	wavMaxChannels = 8
	wavMaxHeader   = 1 << 20          // bytes before the samples: room for tags with a cover picture
	wavMaxDuration = 10 * time.Minute // when the options do not say
	wavReadBytes   = 8192             // read at a time
)

// WAVOptions says what a WAVReader accepts. The zero value is a file that is
// right in every respect and lasts no more than ten minutes.
type WAVOptions struct {
	// Streaming accepts the sizes that programs write which do not know the
	// length yet: 0, and everything from 0x7fff0000 (espeak-ng has 0x7ffff000,
	// others 0xffffffff). The samples then last to the end of the stream.
	Streaming bool

	// MaxDuration is the longest sound that is read; zero is ten minutes.
	MaxDuration time.Duration
}

// WAVReader reads the samples of a RIFF WAVE stream: PCM of 16 bits, 1 to 8
// channels, MinRate to MaxRate. Several channels become their mean.
type WAVReader struct {
	name   string // of the file, empty for a stream
	r      io.Reader
	file   io.Closer // nil for a stream
	format wavFormat
	open   bool  // the samples last to the end of the stream
	size   int64 // bytes of samples, or the limit when open
	left   int64 // of size
	buf    []byte
	have   int // bytes at the start of buf that are not a whole sample frame
	err    error
}

// NewWAVReader reads the header of r and leaves it at the first sample. Errors
// name what is wrong; where r ended too early they wrap io.ErrUnexpectedEOF.
func NewWAVReader(r io.Reader, o WAVOptions) (*WAVReader, error) {
	return newWAVReader(&WAVReader{r: r}, o, -1)
}

// OpenWAV is NewWAVReader for a file. It also compares the sizes in the header with the file's,
// unless the header leaves them open as for a stream. Its errors, and those of Read, name the file.
// The caller closes the reader.
func OpenWAV(path string, o WAVOptions) (*WAVReader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err // names the file already
	}
	length := int64(-1)
	if fi, err := f.Stat(); err == nil && fi.Mode().IsRegular() {
		length = fi.Size()
	}
	w, err := newWAVReader(&WAVReader{r: f, file: f, name: path}, o, length)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return w, nil
}

// ReadWAV reads a whole file.
func ReadWAV(path string, o WAVOptions) (Chunk, error) {
	w, err := OpenWAV(path, o)
	if err != nil {
		return Chunk{}, err
	}
	c, err := w.ReadAll()
	return c, errors.Join(err, w.Close())
}

func newWAVReader(w *WAVReader, o WAVOptions, fileLength int64) (*WAVReader, error) {
	if o.MaxDuration == 0 {
		o.MaxDuration = wavMaxDuration
	}
	if err := w.header(o, fileLength); err != nil {
		return nil, w.fail(err)
	}
	w.left = w.size
	w.buf = make([]byte, wavReadBytes)
	return w, nil
}

func (w *WAVReader) fail(err error) error {
	if w.name == "" {
		return fmt.Errorf("read wav: %w", err)
	}
	return fmt.Errorf("read wav %q: %w", w.name, err)
}

// Rate is the sample rate in samples per second.
func (w *WAVReader) Rate() int { return w.format.rate }

// Close closes the file of OpenWAV. A stream stays open.
func (w *WAVReader) Close() error {
	if w.file == nil {
		return nil
	}
	return w.file.Close()
}

// Read fills p with the next samples, mixed to mono, and returns how many there
// were: at least one, unless there is an error. It does not wait for more than
// what has come. At the end the error is io.EOF; an error that wraps
// io.ErrUnexpectedEOF says that there should have been more.
func (w *WAVReader) Read(p []int16) (int, error) {
	if w.err != nil || len(p) == 0 {
		return 0, w.err
	}
	n, err := w.read(p)
	if err != nil && err != io.EOF {
		err = w.fail(err)
	}
	w.err = err
	return n, err
}

func (w *WAVReader) read(p []int16) (int, error) {
	frame := 2 * w.format.channels
	if w.left == 0 {
		return 0, w.end()
	}
	want := int(min(int64(len(w.buf)), int64(len(p))*int64(frame), w.left+int64(w.have)))
	n, err := io.ReadAtLeast(w.r, w.buf[w.have:want], frame-w.have)
	w.left -= int64(n)
	w.have += n
	if err != nil {
		return 0, w.ended(err)
	}
	n = w.have / frame
	w.format.mono(p[:n], w.buf)
	w.have = copy(w.buf, w.buf[n*frame:w.have])
	return n, nil
}

// end is the error after the last sample that may come.
func (w *WAVReader) end() error {
	if w.open {
		if n, _ := io.ReadFull(w.r, w.buf[:1]); n > 0 {
			return fmt.Errorf("stream is longer than the limit of %d bytes", w.size)
		}
	}
	return io.EOF
}

// ended says what it means that the stream ended with err.
func (w *WAVReader) ended(err error) error {
	switch {
	case err != io.EOF && err != io.ErrUnexpectedEOF:
		return err
	case !w.open:
		return fmt.Errorf("data ends after %d of %d bytes: %w", w.size-w.left, w.size, io.ErrUnexpectedEOF)
	case w.have > 0:
		return fmt.Errorf("stream ends inside a sample: %w", io.ErrUnexpectedEOF)
	}
	return io.EOF
}

// ReadAll reads the samples that are left.
func (w *WAVReader) ReadAll() (Chunk, error) {
	c := Chunk{Rate: w.Rate()}
	block := make([]int16, wavReadBytes/2)
	for {
		n, err := w.Read(block)
		c.Samples = append(c.Samples, block[:n]...)
		if err == io.EOF {
			return c, nil
		}
		if err != nil {
			return Chunk{}, err
		}
	}
}

// mono writes the mean of the channels of len(p) sample frames into p.
func (f wavFormat) mono(p []int16, b []byte) {
	for i := range p {
		sum := 0
		for range f.channels {
			sum += int(int16(binary.LittleEndian.Uint16(b)))
			b = b[2:]
		}
		p[i] = int16(sum / f.channels)
	}
}
