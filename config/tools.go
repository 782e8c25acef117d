package config

import (
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Tools sets what the tools need to know.
type Tools struct {
	Dir      string  `yaml:"dir"`      // folder of declared tools, *.json and *.yaml
	Timezone string  `yaml:"timezone"` // IANA name; empty: the system's
	Clock24h bool    `yaml:"clock_24h"`
	Intents  Intents `yaml:"intents"`
	Ring     Ring    `yaml:"ring"`
	// QuietHours are when only urgent announcements are spoken: "22:00-07:00".
	QuietHours string `yaml:"quiet_hours"`

	MCP []MCPServer `yaml:"mcp"` // servers of further tools

	Weather Weather `yaml:"weather"`
	News    News    `yaml:"news"`
	Stocks  Stocks  `yaml:"stocks"`
	Search  Search  `yaml:"search"`
	PubMed  PubMed  `yaml:"pubmed"`
	Home    Home    `yaml:"home"`

	Calendar  Calendar  `yaml:"calendar"`
	Knowledge Knowledge `yaml:"knowledge"`
}

// Intents says which sentences are understood without a model.
type Intents struct {
	Language string `yaml:"language"` // "en", or a folder of Dir
	// Dir has a folder per language: its *.yaml extend the built-in sentences, or are
	// the whole of a language that is not built in.
	Dir string `yaml:"dir"`
}

const languageName = `^[a-z]{2,8}$`

func (i *Intents) check(k *checker) {
	k.match("tools.intents.language", i.Language, languageName, "must be small letters, such as en")
	k.filled("tools.intents.dir", i.Dir)
}

// Ring is how timers, alarms and reminders ring.
type Ring struct {
	Limit  time.Duration `yaml:"limit"`  // then it gives up
	Volume int           `yaml:"volume"` // percent that it rises to, unless the speaker's is higher
	Snooze time.Duration `yaml:"snooze"` // unless another time is asked for
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

func (r *Ring) check(k *checker) {
	k.duration("tools.ring.limit", r.Limit, 10*time.Second, time.Hour)
	k.between("tools.ring.volume", r.Volume, 0, 100)
	k.duration("tools.ring.snooze", r.Snooze, time.Minute, 4*time.Hour)
}

// Calendar reaches a CalDAV server. An empty URL means a file of the box's own.
type Calendar struct {
	URL       string   `yaml:"url"`
	User      string   `yaml:"user"`
	Password  Secret   `yaml:"password"`
	Calendars []string `yaml:"calendars"` // names of those that are looked at; empty: all
	AddTo     string   `yaml:"add_to"`    // name of the one that new events go to; empty: the first
}

func defaultCalendar() Calendar {
	return Calendar{Password: "credential:hearthd.caldav", Calendars: []string{}}
}

// check checks the server. A password in the clear stays in the house.
func (c *Calendar) check(k *checker) {
	if c.URL != "" {
		k.http("tools.calendar.url", c.URL)
		if u, err := url.Parse(c.URL); err == nil && u.Scheme == "http" && !inHouse(u.Hostname()) {
			k.add("tools.calendar.url", c.URL, "must begin with https:// outside the house: the password goes along")
		}
	}
	k.allFilled("tools.calendar.calendars", c.Calendars)
	for i, name := range c.Calendars {
		k.short(fmt.Sprintf("tools.calendar.calendars[%d]", i), name)
	}
}

// Knowledge is the folder of documents that are searched. Empty: knowledge in the
// state folder.
type Knowledge struct {
	Dir string `yaml:"dir"`
	PDF string `yaml:"pdf"` // the program that reads PDFs
}

func defaultKnowledge() Knowledge { return Knowledge{PDF: "pdftotext"} }

func (c *Knowledge) check(k *checker) {
	if c.Dir != "" && !strings.HasPrefix(c.Dir, "/") {
		k.add("tools.knowledge.dir", c.Dir, "must be an absolute path")
	}
	k.filled("tools.knowledge.pdf", c.PDF)
}

// Home says where the devices of the house are.
type Home struct {
	// Source is "mqtt", where Zigbee2MQTT, Tasmota, ESPHome and others announce
	// their devices; "homeassistant"; or "off".
	Source string `yaml:"source"`
	Prefix string `yaml:"prefix"` // of discovery topics
	// Birth asks devices for their state as a starting Home Assistant does.
	Birth bool   `yaml:"birth"`
	URL   string `yaml:"url"` // of Home Assistant: http://HOST:8123
	Token Secret `yaml:"token"`
	// Conversation offers Home Assistant's own agent what no sentence of the house covers.
	Conversation bool `yaml:"conversation"`
	// Floors are those that the devices do not tell of.
	Floors []Floor `yaml:"floors"`
	// Entrances are devices that let somebody into the house, NoEntrances those that do
	// not, whatever they look like: names or IDs.
	Entrances   []string `yaml:"entrances"`
	NoEntrances []string `yaml:"no_entrances"`
}

// Floor is what people call one, and the areas that are on it.
type Floor struct {
	Name  string   `yaml:"name"`
	Areas []string `yaml:"areas"`
}

func defaultHome() Home {
	return Home{
		Source: "mqtt", Prefix: "homeassistant", Birth: true, Token: "credential:hearthd.homeassistant", Conversation: true,
		Floors: []Floor{}, Entrances: []string{}, NoEntrances: []string{},
	}
}

func (h *Home) check(k *checker) {
	k.oneOf("tools.home.source", h.Source, "mqtt", "homeassistant", "off")
	k.match("tools.home.prefix", h.Prefix, topicLevel, "must be one topic level")
	if h.Source == "homeassistant" || h.URL != "" { // an address is needed
		k.http("tools.home.url", h.URL)
	}
	k.allFilled("tools.home.entrances", h.Entrances)
	k.allFilled("tools.home.no_entrances", h.NoEntrances)
	if len(h.Floors) > 20 {
		k.add("tools.home.floors", fmt.Sprint(len(h.Floors)), "must be 20 at most")
	}
	for i, f := range h.Floors {
		key := fmt.Sprintf("tools.home.floors[%d]", i)
		k.filled(key+".name", f.Name)
		if len(f.Areas) == 0 || len(f.Areas) > 100 {
			k.add(key+".areas", fmt.Sprint(len(f.Areas)), "must be 1 to 100 areas")
		}
	}
}

// MCPServer is a Model Context Protocol server whose tools are tools of the house:
// a program, or an address.
type MCPServer struct {
	Name    string   `yaml:"name"`    // begins the names of its tools
	Command []string `yaml:"command"` // program and arguments, or
	URL     string   `yaml:"url"`     // streamable HTTP; one that ends in /sse is of the older kind
	Secret  Secret   `yaml:"secret"`  // file:PATH or credential:NAME; empty: none
	// SecretIn names the header of the secret, or the program's environment
	// variable. Empty: a bearer token.
	SecretIn string `yaml:"secret_in"`
	// Patterns of the server's own names of tools: which are offered, which need a
	// person's yes, and which change nothing.
	Allow    []string      `yaml:"allow"`
	Confirm  []string      `yaml:"confirm"`
	ReadOnly []string      `yaml:"read_only"`
	Timeout  time.Duration `yaml:"timeout"` // of a call; 0: 30 s
}

const (
	mcpName   = `^[a-z][a-z0-9]{0,15}$`
	mcpSecret = `^[A-Za-z][A-Za-z0-9_-]{0,63}$`
	mcpTool   = `^[^*?\[\\\s]*\*?$`
)

func checkMCP(k *checker, servers []MCPServer) {
	names := make(map[string]bool)
	for i, s := range servers {
		key := func(name string) string { return fmt.Sprintf("tools.mcp[%d].%s", i, name) }
		k.match(key("name"), s.Name, mcpName, "must be small letters and digits, at most 16")
		if names[s.Name] {
			k.add(key("name"), s.Name, "stands twice")
		}
		names[s.Name] = true
		switch {
		case (len(s.Command) > 0) == (s.URL != ""):
			k.add(key("url"), "", "name either a command or a url")
		case s.URL != "":
			k.http(key("url"), s.URL)
		default:
			k.command(key("command"), s.Command)
			if s.Secret != "" && s.SecretIn == "" {
				k.add(key("secret_in"), "", "must name the environment variable of the secret")
			}
		}
		if !s.Secret.valid() {
			k.add(key("secret"), "", "must be file:/PATH or credential:NAME; the secret itself does not stand here")
		}
		if s.SecretIn != "" {
			k.match(key("secret_in"), s.SecretIn, mcpSecret, "must be the name of a header or of an environment variable")
		}
		if len(s.Allow) == 0 {
			k.add(key("allow"), "", `must name the tools that are offered; "*" for all`)
		}
		for name, list := range map[string][]string{"allow": s.Allow, "confirm": s.Confirm, "read_only": s.ReadOnly} {
			for _, p := range list {
				k.match(key(name), p, mcpTool, "must be names, or the beginning of one and *")
			}
		}
		k.duration(key("timeout"), s.Timeout, 0, 10*time.Minute)
	}
}
