package g722

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// speech is a second of tones that come and go, and noise, with clipping at the end.
func speech() []int16 {
	p := make([]int16, 16000)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range p {
		t := float64(i) / 16000
		v := 9000*math.Sin(2*math.Pi*220*t)*math.Sin(2*math.Pi*3*t) + 3000*math.Sin(2*math.Pi*5200*t)*math.Cos(
			2*math.Pi*2*t)
		v += 800 * r.NormFloat64()
		if i > 15000 {
			v *= 8
		}
		p[i] = int16(min(max(v, -32768), 32767))
	}
	return p
}

// The sums are of what ffmpeg 5.1 makes of the same input (-f g722).
const (
	sumOfRandom = "1f29e36d53be92ed"
	sumOfSpeech = "6714fa760b90cb61"
	sumOfCodes  = "f95d763cfdfa1e23"
)

func sum(v any) string {
	h := sha256.New()
	if err := binary.Write(h, binary.LittleEndian, v); err != nil {
		panic(err) // a hash takes all
	}
	return fmt.Sprintf("%x", h.Sum(nil))[:16]
}

// Every code after every other, which no speech has.
func randomCodes() []byte {
	codes := make([]byte, 20000)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range codes {
		codes[i] = byte(r.Uint32())
	}
	return codes
}

func TestCodecIsThatOfOthersBitByBit(t *testing.T) {
	codes := NewEncoder().Encode(nil, speech())
	for _, tt := range []struct {
		what, got, want string
	}{
		{"encoded", sum(codes), sumOfCodes},
		{"decoded", sum(NewDecoder().Decode(nil, codes)), sumOfSpeech},
		{"decoded random codes", sum(NewDecoder().Decode(nil, randomCodes())), sumOfRandom},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %s, not %s", tt.what, tt.got, tt.want)
		}
	}
}

func TestWhatIsSaidIsHeard(t *testing.T) {
	in := speech()[:14000]
	out := NewDecoder().Decode(nil, NewEncoder().Encode(nil, in))
	const delay = 22 // samples, of the two filters
	var signal, noise float64
	for i := range in[:len(in)-delay] {
		d := float64(out[i+delay]) - float64(in[i])
		signal += float64(in[i]) * float64(in[i])
		noise += d * d
	}
	if db := 10 * math.Log10(signal/noise); db < 14 {
		t.Errorf("the noise is %.1f dB below the speech", db)
	}
}

func TestACallAllocatesNothing(t *testing.T) {
	e, d := NewEncoder(), NewDecoder()
	frame, codes, out := speech()[:320], make([]byte, 0, 160), make([]int16, 0, 320)
	if n := testing.AllocsPerRun(100, func() {
		codes = e.Encode(codes[:0], frame)
		out = d.Decode(out[:0], codes)
	}); n != 0 {
		t.Errorf("%v allocations a frame", n)
	}
	if !slices.ContainsFunc(out, func(v int16) bool { return v != 0 }) {
		t.Error("nothing is heard")
	}
}

// BenchmarkFrame is 20 ms of a call, both ways.
func BenchmarkFrame(b *testing.B) {
	e, d := NewEncoder(), NewDecoder()
	frame, codes, out := speech()[:320], make([]byte, 0, 160), make([]int16, 0, 320)
	for b.Loop() {
		codes = e.Encode(codes[:0], frame)
		out = d.Decode(out[:0], codes)
	}
}
