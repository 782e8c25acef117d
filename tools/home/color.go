package home

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// ReadColor reads a name or #rrggbb. kelvin is not 0 for white light.
func ReadColor(s string) (c Color, kelvin float64, ok bool) {
	s = strings.Join(strings.Fields(strings.ToLower(s)), " ")
	if k, ok := whites[s]; ok {
		return Color{255, 255, 255}, k, true
	}
	if c, ok = colors[s]; ok {
		return c, 0, true
	}
	c, ok = readHex(s)
	return c, 0, ok
}

func readHex(s string) (Color, bool) {
	v, err := strconv.ParseUint(strings.TrimPrefix(s, "#"), 16, 24)
	return Color{uint8(v >> 16), uint8(v >> 8), uint8(v)}, err == nil && len(s) == 7 && s[0] == '#'
}

// ColorName is the name that is nearest to c. Among names of nearly the same hue the lightness
// decides.
func ColorName(c Color) string {
	if _, s := c.HS(); s < 12 {
		return "white"
	}
	best, least := "", math.Inf(1)
	for _, n := range slices.Sorted(maps.Keys(colors)) {
		o := colors[n]
		d := HueDistance(c, o) + math.Abs(float64(max(c.R, c.G, c.B))-float64(max(o.R, o.G, o.B)))/50
		if d < least {
			best, least = n, d
		}
	}
	if least > 30 {
		return c.String()
	}
	return best
}

// FromKelvin is the colour of white light, for lamps that only know colours: an
// approximation of the black body by Tanner Helland (2012), within 1 % from 1000 K.
func FromKelvin(kelvin float64) Color {
	t := min(max(kelvin, 1000), 12000) / 100
	part := func(f float64) uint8 { return uint8(min(max(f, 0), 255)) }
	c := Color{255, part(99.47*math.Log(t) - 161.12), part(138.52*math.Log(max(t-10, 1)) - 305.04)}
	if t > 66 {
		c = Color{part(329.7 * math.Pow(t-60, -0.1332)), part(288.12 * math.Pow(t-60, -0.0755)), 255}
	}
	return c
}

// HS gives hue in degrees and saturation in percent. The value is left out: a
// light has its brightness apart.
func (c Color) HS() (hue, saturation float64) {
	r, g, b := float64(c.R), float64(c.G), float64(c.B)
	most, least := max(r, g, b), min(r, g, b)
	span := most - least
	if span == 0 {
		return 0, 0
	}
	switch most {
	case r:
		hue = math.Mod((g-b)/span+6, 6)
	case g:
		hue = (b-r)/span + 2
	default:
		hue = (r-g)/span + 4
	}
	return hue * 60, span / most * 100
}

// FromHS is the brightest colour of a hue in degrees and a saturation in percent.
func FromHS(hue, saturation float64) Color {
	s := min(max(saturation, 0), 100) / 100
	part := func(n float64) uint8 {
		k := math.Mod(n+math.Mod(hue+360, 360)/60, 6)
		return uint8(math.Round(255 * (1 - s*max(0, min(k, 4-k, 1)))))
	}
	return Color{part(5), part(3), part(1)}
}

// XY gives the chromaticity, by the matrix for the wide gamut that Philips
// published for Hue lamps and Zigbee2MQTT and Home Assistant use.
func (c Color) XY() (x, y float64) {
	linear := func(v uint8) float64 {
		f := float64(v) / 255
		if f > 0.04045 {
			return math.Pow((f+0.055)/1.055, 2.4)
		}
		return f / 12.92
	}
	r, g, b := linear(c.R), linear(c.G), linear(c.B)
	cx := r*0.664511 + g*0.154324 + b*0.162028
	cy := r*0.283881 + g*0.668433 + b*0.047685
	cz := r*0.000088 + g*0.072310 + b*0.986039
	sum := cx + cy + cz
	if sum == 0 {
		return 0.3127, 0.3290 // D65
	}
	return math.Round(cx/sum*1e4) / 1e4, math.Round(cy/sum*1e4) / 1e4
}

// FromXY is the brightest colour of a chromaticity, by the inverse matrix.
func FromXY(x, y float64) Color {
	if y <= 0 {
		y = 1e-5
	}
	cx, cz := x/y, (1-x-y)/y
	rgb := [3]float64{
		cx*1.656492 - 0.354851 - cz*0.255038, -cx*0.707196 + 1.655397 + cz*0.036152, cx*0.051713 - 0.121364 + cz*1.011530,
	}
	most := max(rgb[0], rgb[1], rgb[2], 1e-9)
	var v [3]uint8
	for i, f := range rgb {
		if f = max(f/most, 0); f > 0.0031308 {
			f = 1.055*math.Pow(f, 1/2.4) - 0.055
		} else {
			f *= 12.92
		}
		v[i] = uint8(math.Round(min(f, 1) * 255))
	}
	return Color{v[0], v[1], v[2]}
}

// HueDistance is how far apart two colours look: degrees of hue, of what is
// colourful at all, and saturation.
func HueDistance(a, b Color) float64 {
	h1, s1 := a.HS()
	h2, s2 := b.HS()
	d := math.Abs(h1 - h2)
	d = min(d, 360-d) * min(s1, s2) / 100
	return d + math.Abs(s1-s2)/2.5
}

// colors are those of CSS that people say.
var colors = readColors(lexicon["color"])

func readColors(list map[string][]string) map[string]Color {
	out := map[string]Color{}
	for name, hex := range list {
		c, ok := readHex(hex[0])
		if !ok {
			panic("colour " + name)
		}
		out[name] = c
	}
	return out
}

// White is what a name of white light means in kelvin, or 0.
func White(name string) float64 { return whites[name] }
