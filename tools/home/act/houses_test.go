package act

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/home"
)

// asked is a call in a house. What must happen is the devices and what they are sent, in any order,
// or: ask (whether), which (question which one is meant), no (nothing is sent). Of home_read it is
// what the answer holds. Several stand with || between.
type asked struct{ room, args, want string }

func part(id string, k home.Kind, class, name, device, area string, s home.State, keys ...home.Key) home.Entity {
	return home.Entity{ID: id, Kind: k, Class: class, Name: name, Device: device, Area: area, State: s, Can: can(keys...), Reports: can(append(keys, home.Main)...)}
}

func config(e home.Entity) home.Entity { e.Category = "config"; return e }

func lit(id, name, area, state string) home.Entity {
	return part(id, home.Light, "", name, "", area, home.State{home.Main: state, home.Brightness: 40.0}, home.Main, home.Brightness)
}

func esphome() []home.Entity {
	l := func(id, name, device, area string) home.Entity {
		e := lit(id, name, area, "on")
		e.Device = device
		return e
	}
	return []home.Entity{
		l("k", "Light", "esp-kitchen", "Kitchen"), l("b", "Light", "esp-bedroom", "Bedroom"), l("h1", "Light", "esp-hall", "Hall"), l("h2", "Light 2", "esp-hall", "Hall"),
		config(l("led", "Status LED", "esp-hall", "Hall")),
		part("s1", home.Switch, "", "Switch 1", "esp-pump", "Garden", home.State{home.Main: "off"}, home.Main), part("s2", home.Switch, "", "Switch 2", "esp-pump", "Garden", home.State{home.Main: "off"}, home.Main),
		config(part("r1", home.Button, "restart", "Restart", "esp-kitchen", "Kitchen", nil, home.Main)), config(part("r2", home.Button, "restart", "Restart", "esp-hall", "Hall", nil, home.Main)),
		part("t1", home.Sensor, "temperature", "Temperature", "esp-kitchen", "Kitchen", home.State{home.Main: 21.4}), part("t2", home.Sensor, "temperature", "Temperature", "esp-bedroom", "Bedroom", home.State{home.Main: 18.0}),
		part("hu", home.Sensor, "humidity", "Humidity", "esp-kitchen", "Kitchen", home.State{home.Main: 48.0}), part("mo", home.BinarySensor, "motion", "Motion", "esp-hall", "Hall", home.State{home.Main: "on"}),
		part("co", home.Cover, "", "Cover", "esp-garage", "Garage", home.State{home.Main: "closed"}, home.Main), part("f", home.Fan, "", "Fan", "esp-bath", "Bathroom", home.State{home.Main: "off"}, home.Main, home.Speed),
		{ID: "th", Kind: home.Climate, Name: "Thermostat", Device: "esp-bedroom", Area: "Bedroom", Min: 5, Max: 30, Can: can(home.Mode, home.Target), Options: map[home.Key][]string{home.Mode: {"off", "heat"}}, State: home.State{home.Mode: "heat", home.Target: 20.0}},
		part("fd", home.Switch, "", "Relay 1", "Front door ESP", "Hall", home.State{home.Main: "off"}, home.Main),
	}
}

var esphomeCalls = []asked{
	{"Kitchen", `{"action":"off","name":"light"}`, "k=off"},
	{"", `{"action":"off","name":"light"}`, "which"},
	{"", `{"action":"off","name":"lights"}`, "k=off b=off h1=off h2=off"},
	{"Hall", `{"action":"off","name":"lights"}`, "h1=off h2=off"},
	{"", `{"action":"off","name":"hall light"}`, "h1=off h2=off"},
	{"", `{"action":"off","name":"light 2"}`, "h2=off"},
	{"", `{"action":"off","name":"hall light two"}`, "h2=off"},
	{"", `{"action":"on","name":"switch 2"}`, "s2=on"},
	{"", `{"action":"on","name":"garden switches"}`, "s1=on s2=on"},
	{"", `{"action":"on","name":"switch","area":"garden"}`, "which"},
	{"", `{"action":"set","name":"bedroom light","property":"brightness","value":30}`, "b{brightness:30,state:on}"},
	{"Bedroom", `{"action":"raise","name":"light"}`, "b{brightness:60,state:on}"},
	{"", `{"name":"kitchen","what":"temperature"}`, "21.4"},
	{"Bedroom", `{"what":"temperature"}`, "temperature is 18"},
	{"", `{"what":"humidity"}`, "48"},
	{"", `{"name":"hall","is":"occupied"}`, "Yes"},
	{"", `{"action":"open","name":"garage"}`, "ask"},
	{"", `{"action":"open","name":"cover"}`, "ask"},
	{"", `{"action":"close","name":"garage cover"}`, "co=closed"},
	{"", `{"action":"on","name":"front door"}`, "ask"},
	{"", `{"action":"on","name":"relay 1"}`, "ask"},
	{"", `{"action":"off","name":"everything","area":"bedroom"}`, "b=off th{mode:off}"},
	{"", `{"action":"on","name":"status led"}`, "led=on"},
	{"", `{"action":"set","name":"fan","property":"speed","value":50}`, "f{speed:50}"},
	{"", `{"action":"press","name":"restart"}`, "which"},
}

func family() []home.Entity {
	return []home.Entity{
		lit("m1", "Ceiling", "Mia", "off"), lit("m2", "Night light", "Mia", "off"), lit("m3", "Mia's reading lamp", "Mia", "off"),
		lit("g1", "Floor lamp", "Grandma's room", "off"), {ID: "g2", Kind: home.Climate, Name: "Heater", Area: "Grandma's room", Min: 5, Max: 30, Can: can(home.Mode, home.Target), Options: map[home.Key][]string{home.Mode: {"off", "heat"}}, State: home.State{home.Mode: "heat", home.Target: 20.0}},
		part("g3", home.Cover, "blind", "Blind", "", "Grandma's room", home.State{home.Main: "open", home.Position: 100.0}, home.Main, home.Position),
		lit("j1", "Ceiling", "Jonas", "off"), lit("j2", "Desk", "Jonas", "off"), part("j3", home.Switch, "", "Jonas' PC", "", "Jonas", home.State{home.Main: "off"}, home.Main), part("j4", home.MediaPlayer, "speaker", "Jonas speaker", "", "Jonas", home.State{home.Main: "off", home.Volume: 20.0}, home.Main, home.Volume),
		lit("p1", "Ceiling", "Mum and Dad's bedroom", "off"), lit("p2", "Mum's bedside", "Mum and Dad's bedroom", "off"), lit("p3", "Dad's bedside", "Mum and Dad's bedroom", "off"),
		part("c1", home.Light, "", "Cave strip", "", "The Cave", home.State{home.Main: "off"}, home.Main, home.Brightness, home.Colour),
		part("pm", home.BinarySensor, "presence", "Mia", "", "", home.State{home.Main: "on"}), part("pj", home.BinarySensor, "presence", "Jonas", "", "", home.State{home.Main: "off"}),
		part("t1", home.Sensor, "temperature", "Mia temperature", "", "Mia", home.State{home.Main: 20.5}), part("t2", home.Sensor, "temperature", "Temperature", "", "Grandma's room", home.State{home.Main: 23.0}),
		part("k1", home.Lock, "", "Front door", "", "", home.State{home.Main: "locked"}, home.Main),
		part("w1", home.BinarySensor, "window", "Mia window", "", "Mia", home.State{home.Main: "on"}), part("w2", home.BinarySensor, "window", "Jonas window", "", "Jonas", home.State{home.Main: "off"}),
	}
}

var familyCalls = []asked{
	{"", `{"action":"on","name":"lights","area":"mia"}`, "m1=on m2=on m3=on"},
	{"", `{"action":"on","name":"mia's lights"}`, "m1=on m2=on m3=on"},
	{"", `{"action":"on","name":"mia's light"}`, "m1=on m2=on m3=on"},
	{"", `{"action":"on","name":"mias night light"}`, "m2=on"},
	{"", `{"action":"on","name":"ceiling","area":"mia"}`, "m1=on"},
	{"", `{"action":"on","name":"ceiling light"}`, "which"},
	{"", `{"action":"on","name":"grandmas floor lamp"}`, "g1=on"},
	{"", `{"action":"on","name":"grandma's light"}`, "g1=on"},
	{"", `{"action":"set","name":"grandma's heating","property":"temperature","value":22}`, "g2{temperature:22}"},
	{"", `{"action":"close","name":"grandma's room blind"}`, "g3=closed"},
	{"", `{"action":"lower","name":"blind","area":"grandma"}`, "g3=closed"},
	{"", `{"action":"on","name":"mum's bedside light"}`, "p2=on"},
	{"", `{"action":"on","name":"bedside lights","area":"mum and dad's bedroom"}`, "p2=on p3=on"},
	{"", `{"action":"on","name":"lights","area":"conservatory"}`, "no"},
	{"", `{"action":"on","name":"jonas pc"}`, "j3=on"},
	{"", `{"action":"on","name":"jonas's lights"}`, "j1=on j2=on"},
	{"", `{"action":"on","name":"lights","except":"mia"}`, "j1=on j2=on g1=on p1=on p2=on p3=on c1=on"},
	{"", `{"name":"mia","is":"home"}`, "Yes"},
	{"", `{"name":"jonas","is":"home"}`, "No"},
	{"", `{"name":"mia","what":"temperature"}`, "20.5"},
	{"", `{"name":"mia's window","is":"open"}`, "Yes"},
	{"", `{"name":"windows","is":"open","which":"list"}`, "ia window"},
	{"", `{"action":"set","name":"cave","value":"purple"}`, "c1{color:#800080,state:on} || c1{color:#8000ff,state:on} || c1{color:#a000ff,state:on}"},
	{"", `{"action":"unlock","name":"mia"}`, "no"},
	{"", `{"action":"on","name":"everything","area":"mia"}`, "m1=on m2=on m3=on"},
}

func abroad() []home.Entity {
	heat := func(id, name, area string) home.Entity {
		return home.Entity{ID: id, Kind: home.Climate, Name: name, Area: area, Min: 5, Max: 30, Can: can(home.Mode, home.Target), Options: map[home.Key][]string{home.Mode: {"off", "heat"}}, State: home.State{home.Mode: "heat", home.Target: 20.0}}
	}
	return []home.Entity{
		lit("k1", "Küchenlicht", "Küche", "off"), lit("k2", "Deckenlampe", "Küche", "off"), lit("w1", "Stehlampe", "Wohnzimmer", "off"), lit("w2", "Leselampe", "Wohnzimmer", "off"),
		lit("s1", "Nachttisch", "Schlafzimmer", "off"), lit("co", "Lámpara de techo", "Cocina", "off"), lit("sa", "Lámpara de pie", "Salón", "off"), lit("d1", "Luz de noche", "Dormitorio", "off"),
		part("b1", home.Cover, "shutter", "Rollladen", "", "Wohnzimmer", home.State{home.Main: "open"}, home.Main), part("b2", home.Cover, "shutter", "Persiana", "", "Salón", home.State{home.Main: "open"}, home.Main),
		part("lk", home.Lock, "", "Haustür", "", "", home.State{home.Main: "locked"}, home.Main), part("to", home.Switch, "", "Türöffner", "", "", home.State{home.Main: "off"}, home.Main),
		part("pg", home.Switch, "", "Puerta del garaje", "", "", home.State{home.Main: "off"}, home.Main), part("gt", home.Cover, "", "Garagentor", "", "", home.State{home.Main: "closed"}, home.Main),
		part("pc", home.Cover, "gate", "Puerta de la calle", "", "", home.State{home.Main: "closed"}, home.Main), part("sc", home.Script, "", "Puerta abrir", "", "", home.State{home.Main: "off"}, home.Main),
		heat("h1", "Heizung", "Bad"), heat("h2", "Calefacción", "Baño"), part("te", home.Sensor, "temperature", "Temperatur", "", "Bad", home.State{home.Main: 22.5}),
		part("km", home.Switch, "", "Kaffeemaschine", "", "Küche", home.State{home.Main: "off"}, home.Main), part("ve", home.Fan, "", "Ventilador", "", "Dormitorio", home.State{home.Main: "off"}, home.Main),
		part("fe", home.BinarySensor, "window", "Fenster", "", "Küche", home.State{home.Main: "on"}), part("gn", home.Scene, "", "Gute Nacht", "", "", nil, home.Main),
	}
}

var abroadCalls = []asked{
	{"", `{"action":"on","name":"kuchenlicht"}`, "k1=on"},
	{"", `{"action":"on","name":"kuechenlicht"}`, "k1=on"},
	{"", `{"action":"on","name":"lights","area":"küche"}`, "k1=on k2=on"},
	{"", `{"action":"on","name":"lights","area":"kuche"}`, "k1=on k2=on"},
	{"", `{"action":"on","name":"wohnzimmer lights"}`, "w1=on w2=on"},
	{"", `{"action":"on","name":"stehlampe"}`, "w1=on"},
	{"", `{"action":"on","name":"lampara de pie"}`, "sa=on"},
	{"", `{"action":"on","name":"lamp","area":"salon"}`, "sa=on"},
	{"", `{"action":"on","name":"luz de noche"}`, "d1=on"},
	{"", `{"action":"close","name":"rollladen"}`, "b1=closed"},
	{"", `{"action":"close","name":"shutters"}`, "b1=closed b2=closed"},
	{"", `{"action":"close","name":"persiana"}`, "b2=closed"},
	{"", `{"action":"open","name":"haustür"}`, "ask"},
	{"", `{"action":"on","name":"turoffner"}`, "ask"},
	{"", `{"action":"on","name":"puerta del garaje"}`, "ask"},
	{"", `{"action":"open","name":"garagentor"}`, "ask"},
	{"", `{"action":"open","name":"puerta de la calle"}`, "ask"},
	{"", `{"action":"on","name":"puerta abrir"}`, "ask"},
	{"", `{"action":"set","area":"bad","property":"temperature","value":23}`, "h1{temperature:23}"},
	{"", `{"action":"set","name":"heizung","value":21}`, "h1{temperature:21}"},
	{"", `{"action":"raise","name":"calefaccion"}`, "h2{temperature:21}"},
	{"", `{"name":"bad","what":"temperature"}`, "22.5"},
	{"", `{"name":"fenster","is":"open"}`, "Yes"},
	{"", `{"action":"on","name":"gute nacht"}`, "gn=on"},
	{"", `{"action":"on","name":"lampara"}`, "which"},
}

func flat() []home.Entity {
	p2 := part("p2", home.Switch, "outlet", "Plug 2", "", "Bedroom", home.State{home.Main: "off"}, home.Main)
	p2.Aliases = []string{"reading light"}
	desk := lit("l3", "Desk", "Living room", "off")
	desk.State[home.Brightness] = 60.0
	return []home.Entity{
		lit("l1", "Sofa", "Living room", "on"), lit("l2", "Bed", "Bedroom", "off"), desk,
		part("p1", home.Switch, "outlet", "Window lamp", "", "Living room", home.State{home.Main: "off"}, home.Main), p2, part("p3", home.Switch, "outlet", "Kettle", "", "Kitchen", home.State{home.Main: "off"}, home.Main),
		part("tv", home.MediaPlayer, "tv", "TV", "", "Living room", home.State{home.Main: "playing", home.Volume: 20.0}, home.Main, home.Volume), part("v", home.Vacuum, "", "Henry", "", "", home.State{home.Main: "docked"}, home.Main),
		part("t", home.Sensor, "temperature", "Temperature", "", "Bedroom", home.State{home.Main: 19.0}),
	}
}

var flatCalls = []asked{
	{"", `{"action":"on","name":"lights"}`, "l1=on l2=on l3=on p1=on p2=on"},
	{"Kitchen", `{"action":"on","name":"all the lights","area":"house"}`, "l1=on l2=on l3=on p1=on p2=on"},
	{"Living room", `{"action":"off","name":"lights"}`, "l1=off l3=off p1=off"},
	{"", `{"action":"off","name":"sofa lamp"}`, "l1=off"},
	{"", `{"action":"off","name":"sofa light"}`, "l1=off"},
	{"", `{"action":"on","name":"window lamp"}`, "p1=on"},
	{"", `{"action":"on","name":"reading light"}`, "p2=on"},
	{"", `{"action":"on","name":"plug two"}`, "p2=on"},
	{"", `{"action":"set","name":"window lamp","property":"brightness","value":50}`, "no"},
	{"", `{"action":"set","name":"lights","area":"living room","property":"brightness","value":50}`, "l1{brightness:50,state:on} l3{brightness:50,state:on}"},
	{"", `{"action":"on","name":"lamps"}`, "l1=on l2=on l3=on p1=on p2=on"},
	{"", `{"action":"on","name":"lamp","area":"bedroom"}`, "which || l2=on"},
	{"", `{"action":"off","name":"bed"}`, "l2=off"},
	{"", `{"action":"off","name":"bedroom"}`, "l2=off p2=off"},
	{"", `{"action":"start","name":"henry"}`, "v=cleaning"},
	{"", `{"action":"on","name":"kettle"}`, "p3=on"},
	{"", `{"action":"on","name":"plugs"}`, "p1=on p2=on p3=on"},
	{"", `{"action":"on","name":"plugs","except":"kettle"}`, "p1=on p2=on"},
	{"", `{"action":"on","name":"disk lamp"}`, "l3=on"},
	{"", `{"action":"lower","name":"desk"}`, "l3{brightness:40,state:on}"},
	{"", `{"name":"lights","is":"on","which":"any"}`, "Yes"},
	{"", `{"name":"lights","is":"on","which":"number"}`, "One || 1"},
	{"", `{"name":"lights","is":"on","which":"list"}`, "sofa"},
	{"", `{"action":"toggle","name":"sofa"}`, "l1=off"},
	{"", `{"action":"on","name":"lights","except":"the bed and the desk"}`, "l1=on p1=on p2=on"},
}

var estateRooms = map[string][]string{
	"Basement": {"Cellar", "Wine Cellar", "Garage", "Gym", "Laundry"}, "Ground Floor": {"Kitchen", "Living Room", "Dining Room", "Hall", "Guest Bath", "Library"},
	"First Floor": {"Master Bedroom", "Master Bath", "Bathroom", "Bath", "Nursery", "Study", "Guest Room"}, "Attic": {"Attic Studio", "Storage"},
}

func slug(s string) string { return strings.ReplaceAll(strings.ToLower(s), " ", "_") }

func mansion() []home.Entity {
	var all []home.Entity
	spots := map[string][]string{}
	for floor, rooms := range estateRooms {
		var lights []string
		for _, r := range rooms {
			n := 8
			if r == "Living Room" {
				n = 12
			}
			for i := range n {
				id := fmt.Sprintf("%s.s%d", slug(r), i+1)
				all = append(all, lit(id, fmt.Sprintf("Spot %d", i+1), r, "off"))
				spots[r] = append(spots[r], id)
			}
			open := "off"
			if r == "Nursery" {
				open = "on"
			}
			all = append(all, lit(slug(r)+".c", "Ceiling", r, "off"), part(slug(r)+".b", home.Cover, "blind", "Blind", "", r, home.State{home.Main: "open", home.Position: 100.0}, home.Main, home.Position),
				home.Entity{ID: slug(r) + ".t", Kind: home.Climate, Name: "Thermostat", Area: r, Min: 5, Max: 30, Can: can(home.Mode, home.Target), Options: map[home.Key][]string{home.Mode: {"off", "heat"}}, State: home.State{home.Mode: "heat", home.Target: 20.0}},
				part(slug(r)+".temp", home.Sensor, "temperature", "Temperature", "", r, home.State{home.Main: 20.0 + float64(len(r))/10}), part(slug(r)+".w", home.BinarySensor, "window", "Window", "", r, home.State{home.Main: open}))
			lights = append(append(lights, spots[r]...), slug(r)+".c")
		}
		for i := range all {
			if slices.Contains(rooms, all[i].Area) {
				all[i].Floors = []string{floor}
			}
		}
		if floor == "Ground Floor" {
			g := lit("g.ground", "Ground floor lights", "", "off")
			g.Members = lights
			all = append(all, g)
		}
	}
	g := lit("g.spots", "Kitchen spots", "Kitchen", "off")
	g.Members = spots["Kitchen"]
	cover := func(id, class, name, area string) home.Entity {
		return part(id, home.Cover, class, name, "", area, home.State{home.Main: "closed"}, home.Main)
	}
	more := []home.Entity{
		g, cover("garage", "garage", "Garage door", "Garage"), cover("gate", "gate", "Driveway gate", ""), cover("awning", "awning", "Awning", "Terrace"), cover("curtain", "curtain", "Curtain", "Living Room"),
		cover("sky", "window", "Skylight", "Attic Studio"), cover("slide", "door", "Sliding door", "Living Room"), cover("shutter", "shutter", "Shutter", "Guest Room"), cover("damper", "damper", "Damper", "Gym"),
		part("lk1", home.Lock, "", "Front door", "", "Hall", home.State{home.Main: "locked"}, home.Main), part("lk2", home.Lock, "", "Back door", "", "Kitchen", home.State{home.Main: "unlocked"}, home.Main), part("lk3", home.Lock, "", "Wine cellar door", "", "Wine Cellar", home.State{home.Main: "locked"}, home.Main),
		part("strike", home.Switch, "", "Door strike", "", "Hall", home.State{home.Main: "off"}, home.Main),
	}
	for i := range more {
		for floor, rooms := range estateRooms {
			if slices.Contains(rooms, more[i].Area) {
				more[i].Floors = []string{floor}
			}
		}
	}
	return append(all, more...)
}

// of gives what every one of some devices is sent in the rooms.
func of(rooms []string, ids, sent string) string {
	var all []string
	for _, r := range rooms {
		for _, id := range strings.Fields(ids) {
			if id == "s" {
				for i := range 12 {
					if r == "Living Room" || i < 8 {
						all = append(all, fmt.Sprintf("%s.s%d%s", slug(r), i+1, sent))
					}
				}
				continue
			}
			all = append(all, slug(r)+"."+id+sent)
		}
	}
	return strings.Join(all, " ")
}

var mansionCalls = []asked{
	{"Kitchen", `{"action":"on","name":"spot 3"}`, "kitchen.s3=on"},
	{"", `{"action":"on","name":"spot 12"}`, "living_room.s12=on"},
	{"", `{"action":"on","name":"living room spot 1"}`, "living_room.s1=on"},
	{"", `{"action":"on","name":"living room spot twelve"}`, "living_room.s12=on"},
	{"", `{"action":"on","name":"spots","area":"kitchen"}`, "g.spots=on || " + of([]string{"Kitchen"}, "s", "=on")},
	{"", `{"action":"on","name":"study spots"}`, of([]string{"Study"}, "s", "=on")},
	{"", `{"action":"off","name":"lights","area":"ground floor"}`, "g.ground=off || " + of(estateRooms["Ground Floor"], "s c", "=off")},
	{"", `{"action":"off","name":"lights","area":"bath"}`, of([]string{"Bath"}, "s c", "=off")},
	{"", `{"action":"off","name":"bathroom lights"}`, of([]string{"Bathroom"}, "s c", "=off")},
	{"", `{"action":"off","name":"guest bath lights"}`, of([]string{"Guest Bath"}, "s c", "=off")},
	{"", `{"action":"off","name":"cellar lights"}`, of([]string{"Cellar"}, "s c", "=off")},
	{"", `{"action":"close","name":"blinds","area":"first floor"}`, of(estateRooms["First Floor"], "b", "=closed")},
	{"Study", `{"action":"close","name":"blinds"}`, "study.b=closed"},
	{"Study", `{"action":"close","name":"all the blinds","which":"all","area":"house"}`, of(slices.Concat(estateRooms["Basement"], estateRooms["Ground Floor"], estateRooms["First Floor"], estateRooms["Attic"]), "b", "=closed")},
	{"", `{"action":"open","name":"garage"}`, "ask"},
	{"", `{"action":"open","name":"everything","area":"ground floor"}`, "ask || no || which"},
	{"", `{"action":"open","name":"driveway"}`, "ask"},
	{"", `{"action":"open","name":"skylight"}`, "ask || sky=open"},
	{"Living Room", `{"action":"open","name":"door"}`, "ask"},
	{"", `{"action":"unlock","name":"doors"}`, "ask || which"},
	{"", `{"action":"on","name":"door strike"}`, "ask"},
	{"", `{"action":"lock","name":"all doors"}`, "lk1=locked lk2=locked lk3=locked"},
	{"", `{"action":"set","area":"nursery","property":"temperature","value":21}`, "nursery.t{temperature:21}"},
	{"", `{"action":"set","name":"thermostats","area":"first floor","value":19}`, of(estateRooms["First Floor"], "t", "{temperature:19}")},
	{"", `{"name":"windows","is":"open","which":"list","area":"first floor"}`, "ursery"},
}

func TestWhatElseIsSaidInHousesOfOthers(t *testing.T) {
	without := func(id string, ids string) string { return strings.ReplaceAll(ids+" ", id+"=off ", "") }
	kitchen := of([]string{"Kitchen"}, "s c", "=off")
	group := part("gc", home.Cover, "shutter", "All covers", "", "", home.State{home.Main: "closed"}, home.Main)
	group.Members = []string{"garage", "kitchen.b"}
	for _, c := range []struct {
		house []home.Entity
		asked
		text string
	}{
		// A group of which one stays is the others.
		{mansion(), asked{"", `{"action":"off","name":"kitchen spots","except":"spot 3"}`, without("kitchen.s3", of([]string{"Kitchen"}, "s", "=off"))}, "All seven lights are off."},
		{mansion(), asked{"", `{"action":"off","name":"kitchen lights","except":"spot 3"}`, without("kitchen.s3", kitchen)}, "All eight lights are off."},
		{mansion(), asked{"", `{"action":"off","name":"lights","area":"ground floor","except":"the kitchen"}`, of([]string{"Living Room", "Dining Room", "Hall", "Guest Bath", "Library"}, "s c", "=off")}, "All forty-nine lights are off."},
		// The warmth of a room is no lamp's.
		{flat(), asked{"", `{"action":"set","name":"sofa","property":"temperature","value":22}`, "no"}, "The sofa cannot do that."},
		{mansion(), asked{"", `{"action":"set","name":"study blind","property":"temperature","value":22}`, "no"}, "The blind cannot do that."},
		{mansion(), asked{"Kitchen", `{"action":"on","name":"spots 1, 2 and three"}`, "kitchen.s1=on kitchen.s2=on kitchen.s3=on"}, "All three lights are on."},
		{mansion(), asked{"", `{"action":"on","name":"study spot 1 and 2"}`, "study.s1=on study.s2=on"}, "Both lights are on."},
		// How devices and people are called.
		{mansion(), asked{"", `{"action":"set","name":"thermostats","area":"attic","value":19}`, "attic_studio.t{temperature:19} storage.t{temperature:19}"}, "Both thermostats are set to 19 degrees."},
		{mansion(), asked{"", `{"name":"guest temperature"}`, "The"}, "The temperature in the guest bath is 21. The temperature in the guest room is 21."},
		{append(mansion(), group), asked{"", `{"action":"open","name":"all covers"}`, "ask"}, "Open all covers?"},
		{family(), asked{"", `{"name":"mia","is":"home"}`, "Yes"}, "Yes, Mia is home."},
		{family(), asked{"", `{"name":"jonas","is":"home"}`, "No"}, "No. Jonas is away."},
		{family(), asked{"", `{"name":"anybody","is":"home"}`, "Yes"}, "Yes, Mia is home."},
		{family(), asked{"", `{"name":"everyone","is":"home"}`, "No"}, "No, Jonas is away."},
		{family(), asked{"", `{"name":"nobody","is":"home"}`, "No"}, "No, Mia is home."},
		{family(), asked{"", `{"action":"on","name":"mum's bedside light"}`, "p2=on"}, "Mum's bedside is on."},
		{family(), asked{"", `{"name":"mum and dad's ceiling and grandma's floor lamp"}`, "ceiling"}, ""},
		{family(), asked{"", `{"action":"on","name":"lights","area":"grandma's attic"}`, "no"}, ""},
		{esphome(), asked{"", `{"action":"on","name":"front door"}`, "ask"}, "Turn on front door ESP relay 1?"},
		{esphome(), asked{"", `{"name":"hall","is":"empty"}`, "No"}, "No. The esp-hall motion is reporting motion."},
	} {
		happened, text := happens(t, c.house, c.asked)
		text, _, _ = strings.Cut(text, "Nothing is done yet")
		if happened != "" || c.text != "" && text != c.text {
			t.Errorf("%s %s\n  said %q\n  did  %s\n  want %s %q", c.room, c.args, text, happened, c.want, c.text)
		}
	}
}

func TestAllOfThemAreThoseThatWereSpokenOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		house := newHouse(mansion()...)
		byName, _ := newTools(t, house)
		for _, c := range [][4]string{
			{"home_control", `{"action":"open","name":"blind and curtain","area":"living room"}`, "Both covers are open.", "2"},
			{"home_control", `{"action":"close","name":"both of them"}`, "Both covers are closed.", "4"},
			{"home_control", `{"action":"on","name":"spot 1","area":"attic"}`, "Which one: spot 1 in the attic studio or spot 1 in the storage?", "4"},
			{"home_choose", `{"name":"all of them"}`, "Both lights are on.", "6"},
			{"home_control", `{"action":"off","name":"all of them"}`, "Both lights are off.", "8"},
		} {
			if got := call(t, byName[c[0]], c[1]).Text; got != c[2] || fmt.Sprint(len(house.sent)) != c[3] {
				t.Errorf("%s: %q, sent %q; want %q, %s", c[1], got, house.sent, c[2], c[3])
			}
		}
	})
}

func TestHousesOfOthers(t *testing.T) {
	for name, h := range map[string]struct {
		house []home.Entity
		calls []asked
	}{"esphome": {esphome(), esphomeCalls}, "family": {family(), familyCalls}, "abroad": {abroad(), abroadCalls}, "flat": {flat(), flatCalls}, "mansion": {mansion(), mansionCalls}} {
		t.Run(name, func(t *testing.T) {
			for _, c := range h.calls {
				if happened, text := happens(t, h.house, c); happened != "" {
					t.Errorf("%s %s\n  said %q\n  did  %s\n  want %s", c.room, c.args, text, happened, c.want)
				} else {
					t.Logf("%s %s\n  said %q", c.room, c.args, text)
				}
			}
		})
	}
}

// happens makes a call, and tells what happened if that is not what is wanted.
func happens(t *testing.T, list []home.Entity, c asked) (wrong, text string) {
	synctest.Test(t, func(t *testing.T) {
		house := newHouse(list...)
		hm, err := New(Options{Devices: house, Area: c.room})
		if err != nil {
			t.Fatal(err)
		}
		tool := "home_control"
		if !strings.Contains(c.args, `"action"`) {
			r := call(t, hm.Tools()[1], c.args)
			for w := range strings.SplitSeq(c.want, " || ") {
				if strings.Contains(r.Text, w) {
					text = r.Text
					return
				}
			}
			wrong, text = "answer", r.Text
			return
		}
		exec := executorOf(t, hm)
		out := exec.Run(t.Context(), tools.Call{ToolCall: llm.ToolCall{Name: tool, Arguments: json.RawMessage(c.args)}})
		slices.Sort(house.sent)
		did := strings.Join(house.sent, " ")
		switch text = out.Question + out.Result.Text; {
		case out.Class == tools.Asked && did == "":
			did = "ask"
		case strings.Contains(text, "Which") && did == "":
			did = "which"
		case did == "":
			did = "no"
		default:
			for i, s := range house.sent {
				id, state, _ := strings.Cut(strings.ReplaceAll(s, `"`, ""), " ")
				if only, is := strings.CutPrefix(state, "{state:"); is && !strings.Contains(only, ",") {
					state = "=" + strings.TrimSuffix(only, "}")
				}
				house.sent[i] = id + state
			}
			did = strings.Join(house.sent, " ")
		}
		for w := range strings.SplitSeq(c.want, " || ") {
			f := strings.Fields(w)
			slices.Sort(f)
			g := strings.Fields(did)
			slices.Sort(g)
			if slices.Equal(f, g) {
				return
			}
		}
		wrong = did
	})
	return wrong, text
}
