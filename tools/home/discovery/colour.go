package discovery

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"hearthd/tools/home"
)

// colourForm is a way to write a colour as numbers with commas between.
type colourForm struct {
	name  string
	parts int
	of    func([]float64) home.Color
}

// colourForms are in the order in which the ways to set the colour of a light are tried.
var colourForms = []colourForm{
	{"rgb", 3, fromRGB},
	{"hs", 2, func(v []float64) home.Color { return home.FromHS(v[0], v[1]) }},
	{"xy", 2, func(v []float64) home.Color { return home.FromXY(v[0], v[1]) }},
	{"rgbw", 4, fromRGB},
	{"rgbww", 5, fromRGB},
}

func fromRGB(v []float64) home.Color {
	part := func(f float64) uint8 { return uint8(min(max(f, 0), 255)) }
	return home.Color{R: part(v[0]), G: part(v[1]), B: part(v[2])}
}

// take reads "255,128,0".
func (c colourForm) take(text string) (any, error) {
	var v []float64
	for _, t := range strings.SplitN(text, ",", 8) {
		f, err := finite(t)
		if err != nil {
			return nil, err
		}
		v = append(v, f)
	}
	if len(v) < c.parts {
		return nil, errors.New("the colour has too few parts")
	}
	return c.of(v), nil
}

// encode gives the numbers of a colour by the names that templates know them by, and
// as the text that is sent without a template.
func (c colourForm) encode(v any) (map[string]any, error) {
	colour, ok := v.(home.Color)
	if !ok {
		return nil, errWant
	}
	short := func(f float64) string { return textOf(math.Round(f*1000) / 1000) }
	switch c.name {
	case "hs":
		h, s := colour.HS()
		return map[string]any{"hue": h, "sat": s, "value": short(h) + "," + short(s)}, nil
	case "xy":
		x, y := colour.XY()
		return map[string]any{"x": x, "y": y, "value": short(x) + "," + short(y)}, nil
	}
	white := 0
	if c.parts > 3 {
		colour, white = withWhite(colour)
	}
	text := fmt.Sprintf("%d,%d,%d", colour.R, colour.G, colour.B) + strings.Repeat(fmt.Sprintf(",%d", white), c.parts-3)
	return map[string]any{
		"red": int(colour.R), "green": int(colour.G), "blue": int(colour.B),
		"white": white, "cold_white": white, "warm_white": white, "value": text,
	}, nil
}

// colourObject is a colour as lights that take JSON want it, by their mode.
func colourObject(mode string, c home.Color) map[string]any {
	switch mode {
	case "xy":
		x, y := c.XY()
		return map[string]any{"x": x, "y": y}
	case "hs":
		h, s := c.HS()
		return map[string]any{"h": math.Round(h*1000) / 1000, "s": math.Round(s*1000) / 1000}
	case "rgb":
		return map[string]any{"r": c.R, "g": c.G, "b": c.B}
	}
	c, white := withWhite(c)
	o := map[string]any{"r": c.R, "g": c.G, "b": c.B, "w": white}
	if mode == "rgbww" {
		o["c"] = white
	}
	return o
}

// withWhite takes out of a colour what white lamps do better, and makes the rest as strong as the
// colour was.
func withWhite(c home.Color) (home.Color, int) {
	white, most := int(min(c.R, c.G, c.B)), int(max(c.R, c.G, c.B))
	if white == most {
		return home.Color{}, white
	}
	part := func(v uint8) uint8 { return uint8((int(v) - white) * most / (most - white)) }
	return home.Color{R: part(c.R), G: part(c.G), B: part(c.B)}, white
}
