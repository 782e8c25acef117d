package audio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

func encode(t testing.TB, c Chunk) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := EncodeWAV(&b, c); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func ramp(n int) []int16 {
	p := make([]int16, n)
	for i := range p {
		p[i] = int16(i*7 - 20000)
	}
	return p
}

// patch returns a copy of b with a little-endian value of the given bytes at at.
func patch(b []byte, at int, value ...byte) []byte {
	b = bytes.Clone(b)
	copy(b[at:], value)
	return b
}

func u32(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }

// withChunk puts a chunk before the fmt chunk of b.
func withChunk(b []byte, id string, body []byte) []byte {
	c := append([]byte(id), u32(uint32(len(body)))...)
	c = append(c, body...)
	if len(body)%2 == 1 {
		c = append(c, 0)
	}
	b = slices.Concat(b[:12], c, b[12:])
	return patch(b, 4, u32(uint32(len(b)-8))...)
}

func readStream(b []byte, o WAVOptions) (Chunk, error) {
	w, err := NewWAVReader(bytes.NewReader(b), o)
	if err != nil {
		return Chunk{}, err
	}
	return w.ReadAll()
}

func TestWAVComesBackAsItWasWritten(t *testing.T) {
	want := Chunk{Rate: 22050, Samples: ramp(10001)}
	path := filepath.Join(t.TempDir(), "a.wav")
	whole := encode(t, want)
	if err := os.WriteFile(path, patch(patch(whole, 4, u32(36)...), 40, u32(0)...), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadWAV(path, WAVOptions{}); err == nil {
		t.Error("a file without its sizes was read as complete")
	}
	if c, err := ReadWAV(path, WAVOptions{Streaming: true}); err != nil || !slices.Equal(c.Samples, want.Samples) {
		t.Errorf("a file that is being written: %d samples, %v", len(c.Samples), err)
	}
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := ReadWAV(path, WAVOptions{})
	if err != nil || got.Rate != want.Rate || !slices.Equal(got.Samples, want.Samples) {
		t.Errorf("got %d samples at %d, %v", len(got.Samples), got.Rate, err)
	}
}

func TestWAVReaderMixesChannelsToMono(t *testing.T) {
	stereo := encode(t, Chunk{16000, []int16{100, 200, -32768, -32768, 32767, -1}})
	stereo = patch(patch(stereo, 22, 2), 32, 4)
	c, err := readStream(stereo, WAVOptions{})
	if want := []int16{150, -32768, 16383}; err != nil || !slices.Equal(c.Samples, want) {
		t.Errorf("got %v, %v, want %v", c.Samples, err, want)
	}
	six := patch(patch(encode(t, Chunk{48000, slices.Repeat([]int16{1, 2, 3, 4, 5, 9}, 3000)}), 22, 6), 32, 12)
	w, err := NewWAVReader(iotest.HalfReader(bytes.NewReader(six)), WAVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if c, err := w.ReadAll(); err != nil || !slices.Equal(c.Samples, level(4, 3000)) {
		t.Errorf("six channels: %d samples, %v", len(c.Samples), err)
	}
}

func TestWAVReaderDoesNotWaitForMoreThanHasCome(t *testing.T) {
	r, w := io.Pipe()
	defer r.Close()
	b := patch(encode(t, Chunk{16000, ramp(100)}), 40, 0xFF, 0xFF, 0xFF, 0xFF)
	go w.Write(b[:44+21]) // ten samples and a half, and the pipe stays open
	wav, err := NewWAVReader(r, WAVOptions{Streaming: true})
	if err != nil {
		t.Fatal(err)
	}
	var got []int16
	for p := make([]int16, 50); len(got) < 10; {
		n, err := wav.Read(p)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, p[:n]...)
	}
	go func() { w.Write(b[44+21:]); w.Close() }()
	rest, err := wav.ReadAll()
	if err != nil || !slices.Equal(append(got, rest.Samples...), ramp(100)) {
		t.Errorf("the rest: %d samples, %v", len(rest.Samples), err)
	}
}

func TestWAVReaderSkipsOtherChunksAndKnowsExtensible(t *testing.T) {
	want := ramp(50)
	b := withChunk(withChunk(encode(t, Chunk{8000, want}), "LIST", []byte("odd")), "bext", make([]byte, 602))
	if c, err := readStream(b, WAVOptions{}); err != nil || !slices.Equal(c.Samples, want) {
		t.Errorf("other chunks: %v, %v", c.Samples, err)
	}
	if c, err := readStream(extensible(encode(t, Chunk{8000, want})), WAVOptions{}); err != nil ||
		!slices.Equal(c.Samples, want) {
		t.Errorf("extensible: %v, %v", c.Samples, err)
	}
}

// extensible turns the fmt chunk of a plain file into WAVE_FORMAT_EXTENSIBLE.
func extensible(b []byte) []byte {
	body := slices.Concat(b[20:36], []byte{22, 0, 16, 0, 4, 0, 0, 0, 1, 0}, []byte(wavSubFormat))
	body[0], body[1] = 0xFE, 0xFF
	b = slices.Concat(b[:16], u32(40), body, b[36:])
	return patch(b, 4, u32(uint32(len(b)-8))...)
}

func TestWAVReaderNamesWhatIsWrong(t *testing.T) {
	good := encode(t, Chunk{16000, ramp(1000)})
	for _, c := range []struct {
		name string
		file []byte
		want string
		cut  bool // the error wraps io.ErrUnexpectedEOF
	}{
		{"empty", nil, "RIFF header", true},
		{"short header", good[:7], "RIFF header", true},
		{"mp3", append([]byte("ID3\x04"), good...), `begins with "ID3`, false},
		{"big endian", patch(good, 0, []byte("RIFX")...), `begins with "RIFX`, false},
		{"no samples", good[:36], "chunk header", true},
		{"float", patch(good, 20, 3), "format 0x3 is not PCM", false},
		{"extensible float", patch(extensible(good), 44, 3), "format 0x3 is not PCM", false},
		{"extensible of another kind", patch(extensible(good), 46, 9), "format 0xfffe is not PCM", false},
		{"8 bits", patch(good, 34, 8), "8 bits per sample", false},
		{"no channel", patch(good, 22, 0), "0 channels", false},
		{"9 channels", patch(patch(good, 22, 9), 32, 18), "9 channels", false},
		{"rate too low", patch(good, 24, u32(4000)...), "rate 4000 is outside", false},
		{"rate of 4 GHz", patch(good, 24, u32(0xFFFFFFFF)...), "rate 4294967295 is outside", false},
		{"wrong sample frame", patch(good, 32, 4), "4 bytes per sample frame", false},
		{"fmt too short", patch(good, 16, 8), "fmt chunk of 8 bytes", false},
		{"fmt huge", patch(good, 16, u32(500)...), "fmt chunk of 500 bytes", false},
		{"data before fmt", patch(slices.Concat(good[:12], good[36:]), 4, u32(2012)...), "no fmt chunk", false},
		{"huge chunk", patch(withChunk(good, "LIST", make([]byte, 8)), 16, u32(0xFFFFFFF0)...),
			`chunk "LIST" of 4294967280 bytes`, false},
		{"chunk cut off", withChunk(good, "LIST", make([]byte, 800))[:500], `chunk "LIST" ends after 480 of 800`, true},
		{"truncated", good[:1000], "says 2044 bytes, file has 1000", true},
		{"data beyond RIFF", patch(good, 40, u32(2002)...), "data chunk ends at 2046", false},
		{"half a sample", patch(patch(good, 40, u32(1999)...), 4, u32(2035)...), "1999 bytes, no multiple of the 2",
			false},
		{"longer than it says", append(bytes.Clone(good), 1, 2, 3), "says 2044 bytes, file has 2047", false},
		{"sizes of a stream", patch(patch(good, 4, u32(0)...), 40, u32(0)...), "header says 8 bytes", false},
		{"too long", patch(patch(good, 4, u32(0x7FFFF024)...), 40, u32(0x7FFFF000)...), "limit 19200000 (10m0s)", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "too long" { // the file is not that long: only a stream can say so
				_, err := readStream(c.file, WAVOptions{})
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v, want ... %s", err, c.want)
				}
				return
			}
			path := filepath.Join(t.TempDir(), "bad.wav")
			if err := os.WriteFile(path, c.file, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := ReadWAV(path, WAVOptions{})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
				t.Fatalf("got %v, want ... %s, and the file's name", err, c.want)
			}
			if errors.Is(err, io.ErrUnexpectedEOF) != c.cut {
				t.Errorf("%v: wraps io.ErrUnexpectedEOF: %v, want %v", err, !c.cut, c.cut)
			}
		})
	}
}

func TestWAVReaderGivesWhatIsThereBeforeItSaysTruncated(t *testing.T) {
	b := encode(t, Chunk{16000, ramp(1000)})[:44+101]
	w, err := NewWAVReader(bytes.NewReader(b), WAVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p := make([]int16, 2000)
	n, err := w.Read(p)
	if err != nil || !slices.Equal(p[:n], ramp(50)) {
		t.Errorf("Read gave %d samples, %v", n, err)
	}
	for range 2 { // and it stays so
		_, err = w.Read(p)
		if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "data ends after 101 of 2000 bytes") {
			t.Errorf("then %v", err)
		}
	}
}

func TestWAVReaderTakesTheSizesOfStreams(t *testing.T) {
	want := ramp(500)
	for _, size := range []uint32{0, 0x7FFFF000, 0x7FFFF024, 0xFFFFFFFF} {
		b := patch(patch(encode(t, Chunk{16000, want}), 4, u32(size)...), 40, u32(size)...)
		if c, err := readStream(b, WAVOptions{Streaming: true}); err != nil || !slices.Equal(c.Samples, want) {
			t.Errorf("size %#x: %d samples, %v", size, len(c.Samples), err)
		}
		limit := WAVOptions{Streaming: true, MaxDuration: 31250 * time.Microsecond}
		if c, err := readStream(b, limit); err != nil || len(c.Samples) != len(want) {
			t.Errorf("size %#x, exactly the limit: %d samples, %v", size, len(c.Samples), err)
		}
		limit.MaxDuration -= time.Second / 16000
		if _, err := readStream(b, limit); err == nil ||
			!strings.Contains(err.Error(), "longer than the limit of 998 bytes") {
			t.Errorf("size %#x over the limit: %v", size, err)
		}
		if _, err := readStream(b[:len(b)-1], WAVOptions{Streaming: true}); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("size %#x, half a sample at the end: %v", size, err)
		}
	}
	// A size that can be true is believed.
	b := encode(t, Chunk{16000, want})
	if _, err := readStream(b[:len(b)-100], WAVOptions{Streaming: true}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("truncated stream with a size: %v", err)
	}
}

func TestWAVReaderReadsWhatDebianSynthesisersWrite(t *testing.T) {
	dir := t.TempDir()
	for name, args := range map[string][]string{
		"espeak-ng": {"-w", filepath.Join(dir, "espeak-ng"), "the kettle is on"},
		"flite":     {"-t", "the kettle is on", "-o", filepath.Join(dir, "flite")},
	} {
		if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
			t.Fatalf("run %s: %v: %s", name, err, out)
		}
		c, err := ReadWAV(filepath.Join(dir, name), WAVOptions{})
		if err != nil || len(c.Samples) < c.Rate/2 {
			t.Errorf("%s: %d samples at %d, %v", name, len(c.Samples), c.Rate, err)
		}
	}
	out, err := exec.Command("espeak-ng", "--stdout", "the kettle is on").Output()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readStream(out, WAVOptions{}); err == nil {
		t.Error("espeak-ng to a pipe was read as a file that is right")
	}
	if c, err := readStream(out, WAVOptions{Streaming: true}); err != nil || len(c.Samples) < c.Rate/2 {
		t.Errorf("espeak-ng to a pipe: %d samples at %d, %v", len(c.Samples), c.Rate, err)
	}
}

func TestWAVErrorsOfTheDeviceBelowComeThrough(t *testing.T) {
	broken := errors.New("disk on fire")
	b := encode(t, Chunk{16000, ramp(1000)})
	w, err := NewWAVReader(io.MultiReader(bytes.NewReader(b[:100]), iotest.ErrReader(broken)), WAVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.ReadAll(); !errors.Is(err, broken) {
		t.Errorf("ReadAll: %v", err)
	}
	if err := EncodeWAV(failingWriter{broken}, Chunk{16000, ramp(10)}); !errors.Is(err, broken) {
		t.Errorf("EncodeWAV: %v", err)
	}
	if _, err := OpenWAV(filepath.Join(t.TempDir(), "none.wav"), WAVOptions{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("OpenWAV: %v", err)
	}
}

type failingWriter struct{ err error }

func (f failingWriter) Write([]byte) (int, error) { return 0, f.err }

func FuzzWAVReader(f *testing.F) {
	good := encode(f, Chunk{16000, ramp(20)})
	f.Add(good, false)
	f.Add(good[:60], true)
	f.Add(extensible(good), false)
	f.Add(withChunk(good, "LIST", []byte("abc")), false)
	f.Add(patch(good, 40, 0, 0, 0, 0), true)
	f.Add(patch(good, 40, 0xFF, 0xFF, 0xFF, 0xFF), true)
	f.Add(patch(good, 40, 0x00, 0xF0, 0xFF, 0x7F), true)
	f.Add(patch(patch(good, 22, 3), 32, 6), true)
	f.Add(patch(withChunk(good, "LIST", []byte("abc")), 16, 0xF0, 0xFF, 0xFF, 0xFF), false)
	f.Fuzz(func(t *testing.T, b []byte, streaming bool) {
		w, err := NewWAVReader(bytes.NewReader(b), WAVOptions{Streaming: streaming, MaxDuration: time.Minute})
		if err != nil {
			if !strings.HasPrefix(err.Error(), "read wav: ") {
				t.Errorf("error without a subject: %v", err)
			}
			return
		}
		c, err := w.ReadAll()
		if 2*len(c.Samples) > len(b) {
			t.Errorf("%d samples out of %d bytes", len(c.Samples), len(b))
		}
		if err != nil {
			return
		}
		again, err := readStream(encode(t, c), WAVOptions{})
		if err != nil || again.Rate != c.Rate || !slices.Equal(again.Samples, c.Samples) {
			t.Errorf("what was read cannot be written and read again: %v", err)
		}
	})
}

func BenchmarkWAVRead(b *testing.B) {
	file := encode(b, Chunk{16000, ramp(16000)})
	p := make([]int16, FrameSamples)
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		w, err := NewWAVReader(bytes.NewReader(file), WAVOptions{})
		for err == nil {
			_, err = w.Read(p)
		}
	}
}

func BenchmarkEncodeWAV(b *testing.B) {
	c := Chunk{16000, ramp(16000)}
	b.SetBytes(2 * 16000)
	for b.Loop() {
		EncodeWAV(io.Discard, c)
	}
}
