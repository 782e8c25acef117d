package audio

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// counted are samples that tell their place.
func counted(from, n int) []int16 {
	p := make([]int16, n)
	for i := range p {
		p[i] = int16(10000 + from + i)
	}
	return p
}

// steady mixes until media that began have come up to full level.
func steady(m *Mixer) { mixed(m, int(mediaFade().rise*testRate)+mixBlock) }

func TestMediaBeginSoftlyAndAreDuckedWithinSixtyMilliseconds(t *testing.T) {
	m := openMixer()
	x := m.Media()
	x.Write(x.Begin(), level(20000, 60000))
	if out := mixed(m, 960); out[0] != 0 && out[0] != 1 || out[959] > 2000 {
		t.Errorf("media begin at %d and are at %d after 20 ms", out[0], out[959])
	}
	steady(m)
	x.Duck(true)
	out := mixed(m, testRate*60/1000)
	if got := out[len(out)-1]; got != 1000 {
		t.Errorf("60 ms after the duck a sample of 20000 is %d, want 26 dB less", got)
	}
	for i := 1; i < len(out); i++ {
		if out[i-1]-out[i] > 20 {
			t.Fatalf("sample %d falls from %d to %d", i, out[i-1], out[i])
		}
	}
	x.Duck(false)
	steady(m)
	if got := mixed(m, 1)[0]; got != 20000 {
		t.Errorf("after the duck it is at %d", got)
	}
}

func TestHeldMediaGoOnAtTheSampleWhereTheyFellSilent(t *testing.T) {
	m := openMixer()
	x := m.Media()
	g := x.Begin()
	x.Write(g, counted(0, 1))
	x.Write(g, level(20000, 40000))
	steady(m)
	for range 3 {
		x.Hold(true)
		mixed(m, 3000) // the fall
		at := x.ring.tail.Load()
		if slices.Max(mixed(m, 5000)) != 0 || x.ring.tail.Load() != at || m.Waiting() {
			t.Fatal("held media sound, move on or keep the device awake")
		}
		x.Hold(false)
		if !m.Waiting() {
			t.Fatal("what goes on does not wake the device")
		}
		first := mixed(m, 1)[0]
		if x.ring.tail.Load() != at+1 || first > 2 {
			t.Fatalf("it goes on %d samples later, at level %d", x.ring.tail.Load()-at, first)
		}
		mixed(m, 2000)
	}
}

func TestNoSampleIsLostWhileMediaFallSilent(t *testing.T) {
	m := openMixer()
	x := m.Media()
	x.Write(x.Begin(), level(20000, 60000))
	steady(m)
	from := x.ring.tail.Load()
	x.Hold(true)
	for range 8 { // in odd pieces
		mixed(m, 777)
	}
	if fell, want := int(x.ring.tail.Load()-from), int(mediaFade().fall*testRate); fell < want-1 || fell > want+1 {
		t.Errorf("%d samples went while it fell silent, want %d", fell, want)
	}
}

func TestWhatIsHeldStaysSilentWhateverEndsAround(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 1000 {
		m := openMixer()
		x, v := m.Media(), m.Voice()
		x.Write(x.Begin(), level(20000, 60000))
		held := false
		for range 20 {
			switch rng.IntN(6) {
			case 0:
				held = true
				x.Hold(true)
			case 1:
				held = false
				x.Hold(false)
			case 2:
				x.Duck(true)
			case 3:
				x.Duck(false)
			case 4:
				x.SetVolume(rng.IntN(101))
			case 5:
				v.Write(v.Begin(), make([]int16, 100))
				v.Cut()
			}
			mixed(m, 1+rng.IntN(2000))
			if !held {
				continue
			}
			mixed(m, 2000) // the fall
			if slices.Max(mixed(m, 100)) != 0 {
				t.Fatalf("round %d: what is held sounds", round)
			}
		}
	}
}

func TestMediaHaveAVolumeOfTheirOwnUnderTheMaster(t *testing.T) {
	m := openMixer()
	x, v := m.Media(), m.Voice()
	x.SetVolume(50)
	x.Write(x.Begin(), level(16000, 60000))
	steady(m)
	if got := mixed(m, 1)[0]; got != 2000 {
		t.Errorf("media at half volume: %d, want 18 dB less than 16000", got)
	}
	v.Write(v.Begin(), level(8000, 4000))
	if got := mixed(m, 2000)[1999]; got != 10000 {
		t.Errorf("with a voice beside them: %d, want 2000 and 8000", got)
	}
	m.SetVolume(50)
	if got := mixed(m, 2000)[1999]; got != 1250 {
		t.Errorf("under the master: %d, want 18 dB less than 10000", got)
	}
	if x.SetVolume(300); x.Volume() != 100 {
		t.Errorf("volume %d", x.Volume())
	}
}

func TestAStalledSourceIsSilenceAndHoldsNothingUp(t *testing.T) {
	m := openMixer()
	x, v := m.Media(), m.Voice()
	g := x.Begin()
	x.Write(g, level(20000, 30000))
	mixed(m, 30000)
	v.Write(v.Begin(), level(500, 1000))
	if out := mixed(m, 1000); out[0] != 500 || out[999] != 500 {
		t.Errorf("the voice is %d to %d beside media that stall", out[0], out[999])
	}
	x.Write(g, level(20000, 30000))
	if out := mixed(m, 100); out[99] == 0 || out[99] > 500 {
		t.Errorf("after the stall media are at %d", out[99])
	}
}

func TestMediaAreInTheRenderReference(t *testing.T) {
	m := NewMixer(100)
	r := m.Reference()
	m.SetRate(Rate)
	x := m.Media()
	x.Write(x.Begin(), level(20000, 20000))
	var f Frame
	loud := false
	for range 40 {
		mixed(m, FrameSamples)
		r.ReadFrame(&f)
		loud = loud || slices.Max(f[:]) > 10000
	}
	if !loud {
		t.Error("the reference does not know of media")
	}
}

func TestMediaAllocateNothing(t *testing.T) {
	m := openMixer()
	x := m.Media()
	g, src, out, on := x.Begin(), level(20000, 960), make([]int16, 960), false
	if n := testing.AllocsPerRun(200, func() {
		on = !on
		x.Hold(on)
		x.SetVolume(50)
		x.Write(g, src)
		m.Mix(out)
	}); n != 0 {
		t.Errorf("%v allocations per period", n)
	}
}
