package weather

import (
	"slices"
	"strconv"
)

// codes are the weather codes of the service that have words.
var codes = []int{
	0, 1, 2, 3, 45, 48, 51, 53, 55, 56, 57, 61, 63, 65, 66, 67, 68, 71, 73, 75, 77, 80, 81, 82, 85, 86, 89, 95, 96, 99,
}

// skyOf is a code in words, or "" if it is not known.
func (p *period) skyOf(code *int) string {
	if code == nil || !slices.Contains(codes, *code) {
		return ""
	}
	return p.book.Part("weather.sky_" + strconv.Itoa(*code))
}

// rains and snows say what a code means by falling.
func rains(code *int) bool {
	return code != nil && (*code >= 51 && *code <= 68 || *code == 89 || *code >= 80 && *code <= 82 || *code >= 95 && *code <= 99)
}

func snows(code *int) bool {
	return code != nil && (*code == 68 || *code >= 71 && *code <= 77 || *code == 85 || *code == 86)
}
