package home

import "testing"

func TestColoursSurviveTheirSystems(t *testing.T) {
	for name, c := range colors {
		x, y := c.XY()
		if d := HueDistance(c, FromXY(x, y)); d > 12 && name != "brown" {
			t.Errorf("%s: %v became %v, %v apart", name, c, FromXY(x, y), d)
		}
		h, s := c.HS()
		if d := HueDistance(c, FromHS(h, s)); d > 3 {
			t.Errorf("%s: %v became %v", name, c, FromHS(h, s))
		}
	}
	for _, bad := range []string{"", "#12345", "#gggggg", "bleu"} {
		if _, _, ok := ReadColor(bad); ok {
			t.Errorf("%q is a colour", bad)
		}
	}
}

func TestALampOfANearColourWasNotAsItIsWanted(t *testing.T) {
	e := Entity{Reports: map[Key]bool{Colour: true}, State: State{Colour: Color{B: 255}}}
	purple, blue := State{Colour: Color{R: 128, B: 255}}, State{Colour: Color{B: 255}}
	if e.Was(purple) || !e.Was(blue) {
		t.Errorf("a blue lamp was purple: %v, was blue: %v", e.Was(purple), e.Was(blue))
	}
}
