package config

import (
	"fmt"
	"net/url"
)

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
	for i, name := range c.Calendars {
		key := fmt.Sprintf("tools.calendar.calendars[%d]", i)
		k.filled(key, name)
		if len(name) > maxText {
			k.add(key, "", fmt.Sprintf("is longer than %d bytes", maxText))
		}
	}
}
