package act

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hearthd/tools/home"
	"hearthd/tools/home/meaning"
)

// estate is a house of 300 devices: ESPHome's that are all called Light, those that Zigbee
// named, and those with the name of their room.
func estate() *fakeHouse {
	rooms := strings.Fields("Kitchen Bedroom Bathroom Hall Office Garage Nursery Attic Cellar Pantry Study Lounge Porch Library Workshop")
	var all []home.Entity
	for i := range 300 {
		room := rooms[i%len(rooms)]
		e := light(fmt.Sprintf("light.l%d", i), fmt.Sprintf("%s lamp %d", room, i/len(rooms)), room, home.Brightness, home.Colour)
		switch i % 5 {
		case 1:
			e.Device, e.Name = fmt.Sprintf("esp-%s-%d", room, i), "Light"
		case 2:
			e.Name = fmt.Sprintf("0x00158d00%08x", i*7919)
		case 3:
			e.Kind, e.Class, e.Name, e.Can = home.Cover, "blind", fmt.Sprintf("%s blind %d", room, i), can(home.Main, home.Position)
		case 4:
			e.Kind, e.Class, e.Name, e.Can = home.Sensor, "temperature", room+" temperature", can()
		}
		e.Floors, e.Aliases = []string{"first floor"}, []string{fmt.Sprintf("thing number %d", i)}
		all = append(all, e)
	}
	return newHouse(all...)
}

// BenchmarkTargetsAmong300 is what it takes to find what a call means, the house's own copy of
// its devices left aside, and what 99 of 100 calls take at most where nothing disturbs them.
func BenchmarkTargetsAmong300(b *testing.B) {
	house := estate()
	h, err := New(Options{Devices: snapshot{house, house.Entities()}, Area: "Kitchen"})
	if err != nil {
		b.Fatal(err)
	}
	var calls []meaning.Request
	for _, name := range []string{"lamp 3", "kitchen lamp", "all lights", "blinds", "bed room lamp", "kitchin lamp five", "the beathroom blinds", "everything", "frobnicator", "hall and study lights", "lights"} {
		for _, area := range []string{"", "here", "first floor", "office"} {
			calls = append(calls, meaning.Request{Action: "on", Name: name, Area: area}, meaning.Request{Action: "set", Name: name, Area: area, Property: "brightness", Value: 40.0})
		}
	}
	took := make([]time.Duration, len(calls)) // the best of each, for others use the machine too
	for n := 0; b.Loop(); n++ {
		i := n % len(calls)
		began := time.Now()
		h.targets(&calls[i])
		if d := time.Since(began); took[i] == 0 || d < took[i] {
			took[i] = d
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

// snapshot is a house whose list of devices is made already.
type snapshot struct {
	*fakeHouse
	all []home.Entity
}

func (s snapshot) Entities() []home.Entity { return slices.Clone(s.all) }
