package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hearthd/language"
)

// Tools sets what the tools need to know.
type Tools struct {
	Dir      string  `yaml:"dir" need:"yes"`           // folder of declared tools, *.json and *.yaml
	Timezone string  `yaml:"timezone" form:"timezone"` // IANA name; empty: the system's
	Clock24h bool    `yaml:"clock_24h"`
	Intents  Intents `yaml:"intents"`
	Ring     Ring    `yaml:"ring"`
	// QuietHours are when only urgent announcements are spoken: "22:00-07:00".
	QuietHours string `yaml:"quiet_hours" form:"hours"`

	MCP []MCPServer `yaml:"mcp"` // servers of further tools

	Weather Weather `yaml:"weather"`
	News    News    `yaml:"news"`
	Stocks  Stocks  `yaml:"stocks"`
	Search  Search  `yaml:"search"`
	PubMed  PubMed  `yaml:"pubmed"`
	Home    Home    `yaml:"home"`
	List    List    `yaml:"list"`

	Calendar  Calendar  `yaml:"calendar"`
	Knowledge Knowledge `yaml:"knowledge"`
}

// Intents says which sentences are understood without a model.
type Intents struct {
	Language string `yaml:"language" need:"yes" form:"language"` // "en", or a folder of Dir
	// Dir has a folder per language: its *.yaml extend the built-in sentences, or are
	// the whole of a language that is not built in.
	Dir string `yaml:"dir" need:"yes"`
}

// check refuses a language without sentences, with which nothing would be understood.
func (i *Intents) check(k *checker) {
	if _, ok := language.Folder(i.Language); ok {
		return
	}
	if _, err := os.Stat(filepath.Join(i.Dir, i.Language)); errors.Is(err, fs.ErrNotExist) {
		k.add("tools.intents.language", i.Language, fmt.Sprintf("there are no sentences for it: built in are %s, others "+
			"are folders of %s", strings.Join(language.Names(), ", "), i.Dir))
	}
}

// Ring is how timers, alarms and reminders ring.
type Ring struct {
	Limit time.Duration `yaml:"limit" min:"10s" max:"1h"` // then it gives up
	// percent that it rises to, unless the speaker's is higher
	Volume int           `yaml:"volume" min:"0" max:"100"`
	Snooze time.Duration `yaml:"snooze" min:"1m" max:"4h"` // unless another time is asked for
}

// Hours reads "22:00-07:00", the time of day at which it begins and at which it
// ends. Not ok: text is empty or nothing of that kind.
func Hours(text string) (from, to time.Duration, ok bool) {
	begin, end, _ := strings.Cut(text, "-")
	f, errf := time.Parse("15:04", strings.TrimSpace(begin))
	t, errt := time.Parse("15:04", strings.TrimSpace(end))
	midnight := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)
	return f.Sub(midnight), t.Sub(midnight), errf == nil && errt == nil && !f.Equal(t)
}

// Calendar is that of Home Assistant, or our own: a CalDAV server, or, with an empty URL, a file.
type Calendar struct {
	Source string `yaml:"source" enum:"own,homeassistant"`

	URL      string `yaml:"url" form:"http"`
	User     string `yaml:"user"`
	Password Secret `yaml:"password"`
	// names of those that are looked at; empty: all
	Calendars []string `yaml:"calendars" need:"yes" bytes:"1000"`
	AddTo     string   `yaml:"add_to"` // name of the one that new events go to; empty: the first
}

// Knowledge is the folder of documents that are searched. Empty: knowledge in the
// state folder.
type Knowledge struct {
	Dir string `yaml:"dir" form:"path"`
	PDF string `yaml:"pdf" need:"yes"` // the program that reads PDFs
}

// Home says where the devices of the house are.
type Home struct {
	// Source is "mqtt", where Zigbee2MQTT, Tasmota, ESPHome and others announce
	// their devices; "homeassistant"; or "off".
	Source string `yaml:"source" enum:"mqtt,homeassistant,off"`
	Prefix string `yaml:"prefix" need:"yes" form:"level"` // of discovery topics
	// Birth asks devices for their state as a starting Home Assistant does.
	Birth bool   `yaml:"birth"`
	URL   string `yaml:"url" form:"http"` // of Home Assistant: http://HOST:8123
	Token Secret `yaml:"token"`
	// Conversation offers Home Assistant's own agent the requests that none of our sentences
	// covers.
	Conversation bool `yaml:"conversation"`
	// Floors are those that the devices do not report.
	Floors []Floor `yaml:"floors"`
	// Entrances are devices that let somebody into the house, NoEntrances those that do
	// not, whatever they look like: names or IDs.
	Entrances   []string `yaml:"entrances" need:"yes"`
	NoEntrances []string `yaml:"no_entrances" need:"yes"`
}

// Floor is what people call one, and the areas that are on it.
type Floor struct {
	Name  string   `yaml:"name" need:"yes"`
	Areas []string `yaml:"areas"`
}

// List says who keeps the lists: the box (own), or Home Assistant.
type List struct {
	Source string `yaml:"source" enum:"own,homeassistant"`
}

// MCPServer is a Model Context Protocol server whose tools are tools of the house:
// a program, or an address.
type MCPServer struct {
	Name    string   `yaml:"name" need:"yes" form:"server"` // begins the names of its tools
	Command []string `yaml:"command"`                       // program and arguments, or
	// URL speaks streamable HTTP; one that ends in /sse is of the older kind.
	URL    string `yaml:"url" form:"http"`
	Secret Secret `yaml:"secret"` // file:PATH or credential:NAME; empty: none
	// SecretIn names the header of the secret, or the program's environment
	// variable. Empty: a bearer token.
	SecretIn string `yaml:"secret_in" form:"secret_in"`
	// Patterns of the server's own names of tools: which are offered, which need a
	// person's yes, and which change nothing.
	Allow    []string      `yaml:"allow" form:"tools"`
	Confirm  []string      `yaml:"confirm" form:"tools"`
	ReadOnly []string      `yaml:"read_only" form:"tools"`
	Timeout  time.Duration `yaml:"timeout" min:"0s" max:"10m"` // of a call; 0: 30 s
}
