// Package home is the vocabulary of a house: its devices, their kinds and what can be asked of each, the words that
// people have for them, and which of them are ways in. Where the devices are is the business of other packages:
// tools/home/discovery finds them on an MQTT broker, tools/home/hass asks a Home Assistant. So is what a request means
// (tools/home/meaning), and to do it (tools/home/act).
//
// It runs no goroutine. The names of devices come from the network, and are cleaned. It must not import tools, daemon
// or memory.
package home

import (
	"context"
	"errors"
	"fmt"
)

// Kind is what a device is, by the names that Home Assistant gives its platforms.
type Kind string

// The kinds.
const (
	Light        Kind = "light"
	Switch       Kind = "switch"
	Cover        Kind = "cover"
	Fan          Kind = "fan"
	Lock         Kind = "lock"
	Climate      Kind = "climate"
	WaterHeater  Kind = "water_heater"
	Humidifier   Kind = "humidifier"
	Valve        Kind = "valve"
	Vacuum       Kind = "vacuum"
	LawnMower    Kind = "lawn_mower"
	Scene        Kind = "scene"
	Script       Kind = "script"
	Button       Kind = "button"
	Sensor       Kind = "sensor"
	BinarySensor Kind = "binary_sensor"
	Number       Kind = "number"
	Select       Kind = "select"
	Text         Kind = "text"
	Siren        Kind = "siren"
	Alarm        Kind = "alarm_control_panel"
	MediaPlayer  Kind = "media_player"
)

// Key names one part of a device's state that can be read or set.
type Key string

// The keys. Values are string, float64 or Color, as noted.
const (
	Main            Key = "state"               // string: on, off, open, closed, opening, locked, a sensor's value …
	Brightness      Key = "brightness"          // percent
	Colour          Key = "color"               // Color
	Kelvin          Key = "kelvin"              // of white light
	Effect          Key = "effect"              // string
	Position        Key = "position"            // percent open
	Tilt            Key = "tilt"                // percent open
	Mode            Key = "mode"                // string: heat, cool, off …
	Preset          Key = "preset"              // string
	FanMode         Key = "fan_mode"            // string
	SwingMode       Key = "swing_mode"          // string
	Target          Key = "temperature"         // wanted, in Unit
	TargetLow       Key = "temperature_low"     // of a range
	TargetHigh      Key = "temperature_high"    // of a range
	Current         Key = "current_temperature" // measured
	Action          Key = "action"              // string: heating, idle …
	TargetHumidity  Key = "target_humidity"     // percent
	CurrentHumidity Key = "current_humidity"    // percent
	Speed           Key = "speed"               // percent
	Oscillation     Key = "oscillation"         // string: on or off
	Direction       Key = "direction"           // string: forward or reverse
	Battery         Key = "battery"             // percent
	Volume          Key = "volume"              // percent
	Muted           Key = "muted"               // string: on or off
	Room            Key = "room"                // string: the one that a robot cleans
	Source          Key = "source"              // string: what a player shows or plays
	Title           Key = "title"               // string: of what plays
	Artist          Key = "artist"              // string
)

// State is the known or wanted state of a device.
type State map[Key]any

// Color is a colour of light.
type Color struct{ R, G, B uint8 }

// String is the colour as #rrggbb.
func (c Color) String() string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// MarshalText writes the colour as #rrggbb.
func (c Color) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Entity is one device, or one part of a device with several.
type Entity struct {
	ID       string `json:"id"`
	Kind     Kind   `json:"kind"`
	Class    string `json:"class,omitempty"`    // Home Assistant's device class: garage, temperature …
	Category string `json:"category,omitempty"` // config or diagnostic; empty: what a person uses
	Name     string `json:"name,omitempty"`     // of the part; empty: Device is the name
	Device   string `json:"device,omitempty"`
	Area     string `json:"area,omitempty"`
	Object   string `json:"object,omitempty"` // another identifier that it has, or empty
	// Members are the IDs of what it switches: those of a group or a scene.
	Members []string `json:"members,omitempty"`
	// Aliases and AreaAliases are what else people call the device and its area.
	Aliases     []string `json:"aliases,omitempty"`
	AreaAliases []string `json:"area_aliases,omitempty"`
	// Floors are what the floor of the area is called: ground floor, downstairs.
	Floors []string `json:"floors,omitempty"`
	// Labels are what the household sorted it under, itself, its device or its area: Christmas.
	Labels []string `json:"labels,omitempty"`
	Unit   string   `json:"unit,omitempty"`
	// Min, Max and Step bound a number, a target temperature or, for a light, its kelvin; Step is
	// also that of a fan's percentage. All are 0 when they are not known.
	Min  float64 `json:"min,omitempty"`
	Max  float64 `json:"max,omitempty"`
	Step float64 `json:"step,omitempty"`
	// Options are what a Select or one of the modes may be.
	Options map[Key][]string `json:"options,omitempty"`
	Can     map[Key]bool     `json:"can,omitempty"`     // what Send understands
	Reports map[Key]bool     `json:"reports,omitempty"` // what the device reports
	State   State            `json:"state,omitempty"`
	Offline bool             `json:"offline,omitempty"`
}

// Devices is where the devices are. Its methods may be called by several
// goroutines; what they return is the caller's.
type Devices interface {
	// Entities gives all devices.
	Entities() []Entity
	// Entity gives one by its ID.
	Entity(id string) (Entity, bool)
	// Send asks a device to take the state want. It returns when that was sent, not when it is
	// done. After ErrUnanswered it may have been sent, and the device tells; it is not sent twice.
	Send(ctx context.Context, id string, want State) error
	// Changed is closed at the next change of any device.
	Changed() <-chan struct{}
	// Lost says why nothing is known of the devices now but what they told before: ErrAway, ErrRefused or ErrBroker;
	// nil: they are there.
	Lost() error
}

// Why devices cannot be asked, and what came of an order.
var (
	ErrAway       = errors.New("there is no connection to Home Assistant")
	ErrRefused    = errors.New("the token is refused by Home Assistant")
	ErrBroker     = errors.New("there is no connection to the broker")
	ErrUnanswered = errors.New("nobody answered what was sent")
)

// Apology is the key of the sentence for an error of Devices.Lost.
func Apology(err error) string {
	switch {
	case errors.Is(err, ErrRefused):
		return "home.no_entry"
	case errors.Is(err, ErrBroker):
		return "home.no_broker"
	}
	return "home.away"
}
