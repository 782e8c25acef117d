package enrolled

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"hearthd/audio"
)

// formants of five vowels, in Hz.
var formants = [][3]float64{{730, 1090, 2440}, {270, 2290, 3010}, {300, 870, 2240}, {530, 1840, 2480}, {570, 840, 2410}}

// voice is how a word is spoken: pitch in Hz, and a factor on its length.
type voice struct{ pitch, stretch float64 }

// chant makes a word of vowels, 180 ms each, which needs no synthesiser. It has
// half a second of near silence at either end.
func chant(v voice, vowels ...int) []int16 {
	r := rand.New(rand.NewPCG(uint64(v.pitch), 1))
	length := int(0.18 * v.stretch * audio.Rate)
	out := make([]int16, audio.Rate+length*len(vowels))
	var state [3][2]float64
	phase := 0.0
	for i := range out {
		x := r.NormFloat64() * 8
		k := i - audio.Rate/2
		if k >= 0 && k < length*len(vowels) {
			pulse := 0.0
			if phase += v.pitch / audio.Rate; phase >= 1 {
				phase--
				pulse = 1
			}
			// Vowels glide into each other.
			at := float64(k) / float64(length)
			a := formants[vowels[int(at)]]
			b := formants[vowels[min(int(at)+1, len(vowels)-1)]]
			mix := math.Max(0, (at-math.Floor(at)-0.5)*2)
			for n := range state {
				f := a[n] + mix*(b[n]-a[n])
				d := math.Exp(-math.Pi * (60 + 40*float64(n)) / audio.Rate)
				y := pulse + 2*d*math.Cos(2*math.Pi*f/audio.Rate)*state[n][0] - d*d*state[n][1]
				state[n] = [2]float64{y, state[n][0]}
				x += 700 * y
			}
		}
		out[i] = int16(max(-32768, min(32767, x)))
	}
	return out
}

// The made-up word of most tests, and how it is enrolled.
var (
	madeUp = []int{0, 1, 2, 4}
	other  = []int{3, 0, 4, 1}
	voices = []voice{{110, 1}, {116, 1.05}, {105, 0.95}}
)

func enrol(tb testing.TB, name string, vowels ...int) *Template {
	tb.Helper()
	var recordings [][]int16
	for _, v := range voices {
		recordings = append(recordings, chant(v, vowels...))
	}
	t, a, err := Learn(name, recordings)
	if err != nil {
		tb.Fatalf("%v: %+v", err, a)
	}
	return t
}

// say speaks text with flite, a Debian synthesiser, with half a second of near
// silence at either end.
func say(t *testing.T, speaker, text string, stretch, pitch float64) []int16 {
	t.Helper()
	if _, err := exec.LookPath("flite"); err != nil {
		t.Skip("flite is not installed; packaging/deps.sh installs it")
	}
	out := filepath.Join(t.TempDir(), "say.wav")
	cmd := exec.Command("flite", "-voice", speaker, "-t", text, "-o", out,
		"--setf", fmt.Sprint("duration_stretch=", stretch), "--setf", fmt.Sprint("int_f0_target_mean=", pitch))
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, msg)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	// flite writes the canonical 44-byte header, and these voices have 16 kHz.
	if rate := binary.LittleEndian.Uint32(b[24:]); rate != audio.Rate {
		t.Fatalf("%s speaks at %d Hz", speaker, rate)
	}
	x := make([]int16, audio.Rate+len(b[44:])/2)
	for i := range b[44:] {
		if i%2 == 0 {
			x[audio.Rate/2+i/2] = int16(binary.LittleEndian.Uint16(b[44+i:]))
		}
	}
	return hiss(x, 8, 1)
}

// hiss adds white noise of the given RMS.
func hiss(x []int16, rms float64, seed uint64) []int16 {
	r := rand.New(rand.NewPCG(seed, 2))
	y := make([]int16, len(x))
	for i, v := range x {
		y[i] = int16(max(-32768, min(32767, float64(v)+rms*r.NormFloat64())))
	}
	return y
}

// rms is that of the samples that are not silence.
func rms(x []int16) float64 {
	sum, n := 0.0, 0
	for _, v := range x {
		if v > 100 || v < -100 {
			sum += float64(v) * float64(v)
			n++
		}
	}
	return math.Sqrt(sum / float64(max(1, n)))
}

// silence is a second in a quiet room.
func silence() []int16 { return hiss(make([]int16, audio.Rate), 8, 9) }

// cutFrames is x in frames, without what is left of it.
func cutFrames(x []int16) []*audio.Frame {
	var frames []*audio.Frame
	for f := range slices.Chunk(x, audio.FrameSamples) {
		if len(f) == audio.FrameSamples {
			frames = append(frames, (*audio.Frame)(f))
		}
	}
	return frames
}
