package act

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"hearthd/tools/home"
)

func TestAliasesOfDevicesAndAreasAreUnderstood(t *testing.T) {
	for args, want := range map[string]string{
		`{"action":"on","name":"sparky"}`:                  "l1",
		`{"action":"on","name":"the big shiny lamp"}`:      "l1",
		`{"action":"on","name":"ceiling"}`:                 "l1",
		`{"action":"off","name":"galley lights"}`:          "l1 l2",
		`{"action":"off","name":"lights","area":"galley"}`: "l1 l2",
		`{"action":"on","name":"sparky and the bedside"}`:  "l1 l3",
		`{"action":"on","name":"rusty"}`:                   "",
	} {
		synctest.Test(t, func(t *testing.T) {
			one, two := light("l1", "Ceiling", "Kitchen", home.Brightness), light("l2", "Spots", "Kitchen")
			one.Aliases = []string{"Sparky", "Big shiny lamp"}
			one.AreaAliases, two.AreaAliases = []string{"Galley"}, []string{"Galley"}
			house := newHouse(one, two, light("l3", "Bedside", "Bedroom"))
			h, err := New(Options{Devices: house})
			if err != nil {
				t.Fatal(err)
			}
			said := call(t, h.Tools()[0], args).Text
			var ids []string
			for _, s := range house.sent {
				id, _, _ := strings.Cut(s, " ")
				ids = append(ids, id)
			}
			slices.Sort(ids)
			if got := strings.Join(ids, " "); got != want {
				t.Errorf("%s: %s (%s), want %s", args, got, said, want)
			}
		})
	}
}
