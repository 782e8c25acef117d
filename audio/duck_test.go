package audio

import "testing"

func TestDuckIsSoftWithinFiveMillisecondsAndComesBackSmoothly(t *testing.T) {
	m := openMixer()
	v := m.Voice()
	g := v.Begin()
	v.Write(g, level(20000, 40000))
	mixed(m, 1000)
	v.Duck(true)
	out := mixed(m, 1000)
	for i, s := range out {
		if i > 0 && out[i-1]-s > 101 {
			t.Fatalf("sample %d falls from %d to %d", i, out[i-1], s)
		}
		if i >= testRate/200 && s != 200 {
			t.Fatalf("sample %d is %d, want 40 dB less than 20000 after 5 ms", i, s)
		}
	}
	v.Duck(false)
	last := int16(200)
	for i, s := range mixed(m, 13000) {
		if d := s - last; d < 0 || d > 3 {
			t.Fatalf("sample %d rises from %d to %d", i, last, s)
		}
		last = s
	}
	if last != 20000 {
		t.Errorf("after 270 ms it is at %d, want 20000", last)
	}
	if heard := v.Cut(); heard != 15000 {
		t.Errorf("%d samples were heard, want the 15000 that were mixed", heard)
	}
}

func TestDuckThatEndsInACutDoesNotComeBackInTheFade(t *testing.T) {
	m := openMixer()
	v := m.Voice()
	v.Write(v.Begin(), level(20000, 10000))
	mixed(m, 1000)
	v.Duck(true)
	mixed(m, 1000)
	v.Cut()
	v.Duck(false)
	for i, s := range mixed(m, 500) {
		if s > 1100 {
			t.Fatalf("sample %d of the fade is %d", i, s)
		}
	}
	v.Write(v.Begin(), level(20000, 1000))
	if out := mixed(m, 500); out[0] != 20000 {
		t.Errorf("the next answer begins at %d", out[0])
	}
}
