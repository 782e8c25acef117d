package e2e

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/page"
)

// shots are the pictures that README shows.
var shots = []struct {
	name, page    string
	width, height int64
	dark          bool
}{
	{"console-now", "now", 1180, 760, false},
	{"console-phone", "now", 390, 760, true},
	{"console-turns", "turns", 1180, 760, true},
	{"console-hearing", "hearing", 1180, 760, false},
}

// TestScreenshots makes the pictures of the console, after a conversation, in the
// folder that HEARTHD_TEST_SCREENSHOTS names (make screenshots).
func TestScreenshots(t *testing.T) {
	dir := os.Getenv("HEARTHD_TEST_SCREENSHOTS")
	if dir == "" {
		t.Skip("HEARTHD_TEST_SCREENSHOTS names no folder; make screenshots does")
	}
	check(t, os.MkdirAll(dir, 0o755))
	k := newKitchen(t, "HEARTHD_NODE=kitchen")
	k.begin()
	k.ask("how many grams are two cups of flour")
	k.ask("wake me at seven on weekdays")
	k.heard("Hey hearth, set a pasta timer for ten minutes.")
	b := openBrowser(t)
	b.node = "kitchen"
	b.open(k, "")
	for _, s := range shots {
		b.size(s.width, s.height, s.dark)
		get[string](b, `location.hash = "`+s.page+`"`)
		b.until("the page", `document.querySelector("#page-`+s.page+`").checkVisibility()`)
		switch s.page {
		case "now":
			b.until("the conversation", `document.getElementById("what").textContent === "Ready" && document.querySelectorAll(".turn").length > 2`)
			b.until("the meter", `document.querySelector(".meter [role=meter]").getAttribute("aria-valuenow") !== "0"`)
		case "turns":
			b.until("the turns", `document.querySelectorAll(".turn-list details").length > 2`)
			get[bool](b, `document.querySelector(".turn-list details").open = true`)
			b.until("the waterfall", `document.querySelector(".waterfall li")`)
		case "hearing":
			k.say("The train to Lisbon was late again this morning.")
			k.event("end of the speech", func(h happening) bool { return h.Type == "ignored" })
		}
		shot := call(b, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng})
		check(t, os.WriteFile(filepath.Join(dir, s.name+".png"), small(t, shot.Data), 0o644))
	}
}

// small is a PNG with the 256 most frequent colours of another one, which a page has
// hardly more of.
func small(t *testing.T, data []byte) []byte {
	t.Helper()
	from, err := png.Decode(bytes.NewReader(data))
	check(t, err)
	size := from.Bounds()
	counts := make(map[color.RGBA]int)
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(from.At(x, y)).(color.RGBA) }
	for y := size.Min.Y; y < size.Max.Y; y++ {
		for x := size.Min.X; x < size.Max.X; x++ {
			counts[at(x, y)]++
		}
	}
	frequent := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int { return cmp.Compare(counts[b], counts[a]) })
	palette := make(color.Palette, 0, 256)
	for _, c := range frequent[:min(len(frequent), 256)] {
		palette = append(palette, c)
	}
	index := make(map[color.RGBA]uint8, len(frequent))
	for _, c := range frequent {
		index[c] = uint8(palette.Index(c))
	}
	to := image.NewPaletted(size, palette)
	for y := size.Min.Y; y < size.Max.Y; y++ {
		for x := size.Min.X; x < size.Max.X; x++ {
			to.SetColorIndex(x, y, index[at(x, y)])
		}
	}
	var out bytes.Buffer
	check(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, to))
	return out.Bytes()
}
