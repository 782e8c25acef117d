package harmonic

import (
	"math"
	"math/rand/v2"
	"testing"

	"hearthd/audio"
)

// tone is a sine at −6 dBFS.
func tone(f float64, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 0.5 * math.Sin(2*math.Pi*f*float64(i)/audio.Rate)
	}
	return x
}

// lowLevel is the level of f in the low band after the filters have settled.
func lowLevel(f float64) float64 {
	d := newDecimator()
	x := pcm(tone(f, audio.Rate))
	var out [lowHop]float32
	var y []float64
	for i := 0; i+hop <= len(x); i += hop {
		d.run(x[i:i+hop], out[:])
		for _, v := range out {
			y = append(y, float64(v))
		}
	}
	return 10 * math.Log10(power(y[len(y)/2:])/power(tone(f, audio.Rate)))
}

func TestDecimatorKeepsTheVoiceBandAndLetsNothingAlias(t *testing.T) {
	for _, f := range []float64{150, 250, 400} {
		if g := lowLevel(f); g < -1.5 || g > 0.5 {
			t.Errorf("%v Hz comes through at %.1f dB", f, g)
		}
	}
	if g := lowLevel(30); g > -18 {
		t.Errorf("30 Hz comes through at %.1f dB", g)
	}
	for _, f := range []float64{1800, 3850, 4200, 7800} {
		if g := lowLevel(f); g > -45 {
			t.Errorf("%v Hz comes through at %.1f dB", f, g)
		}
	}
}

func TestCorrelateFindsThePitchOfAVoice(t *testing.T) {
	var r [maxLag + 1]float32
	for _, f0 := range []float64{85, 120, 210, 333} {
		var x [window]float32
		for h := 1.0; h*f0 < 900; h++ {
			for i := range x {
				x[i] += float32(math.Sin(2*math.Pi*h*f0*float64(i)/lowRate+h*h) / h)
			}
		}
		_, voice, tone, lag := correlate(&x, &r)
		if pitch := lowRate / float64(lag); voice < 0.9 || tone > voice-tonalFull || math.Abs(pitch/f0-1) > 0.03 {
			t.Errorf("%v Hz: voice %.2f, tone %.2f, pitch %.1f", f0, voice, tone, pitch)
		}
	}
}

func TestCorrelateTellsAToneAndNoiseFromAVoice(t *testing.T) {
	var r [maxLag + 1]float32
	var x [window]float32
	for i := range x {
		x[i] = float32(math.Exp(-float64(i)/200) * math.Sin(2*math.Pi*700*float64(i)/lowRate))
	}
	if _, voice, tone, _ := correlate(&x, &r); voice-tone > tonalNone {
		t.Errorf("ringing 700 Hz: voice %.2f, tone %.2f", voice, tone)
	}
	clear(x[:])
	x[77] = 1
	if _, voice, _, _ := correlate(&x, &r); voice > 0 {
		t.Errorf("one sample: voice %.2f", voice)
	}
	rnd := rand.New(rand.NewPCG(3, 1))
	for i := range x {
		x[i] = float32(rnd.NormFloat64())
	}
	if _, voice, _, _ := correlate(&x, &r); voice > voiceNone {
		t.Errorf("noise: voice %.2f", voice)
	}
	clear(x[:])
	if e, voice, tone, lag := correlate(&x, &r); e != 0 || voice != 0 || tone != 0 || lag != 0 {
		t.Errorf("silence: %v %v %v %v", e, voice, tone, lag)
	}
}

func TestFloorFollowsAFallAtOnceAndARiseWithinItsMemory(t *testing.T) {
	var f floor
	for range 200 {
		f.push(-40)
	}
	if got := f.push(-60); got != -60 {
		t.Errorf("after a fall: %v", got)
	}
	hops := 1
	for f.push(-30) != -30 {
		if hops++; hops > 1000 {
			t.Fatal("never rises")
		}
	}
	if hops < floorSlices*floorSlice || hops > (floorSlices+1)*floorSlice {
		t.Errorf("took %d hops to rise", hops)
	}
	if got := f.push(-96); got != lowestFloor {
		t.Errorf("digital silence: floor %v", got)
	}
}
