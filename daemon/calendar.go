package daemon

import (
	"cmp"
	"os"
	"strings"
	"time"

	"hearthd/config"
	"hearthd/daemon/state"
	"hearthd/tools"
	"hearthd/tools/calendar"
)

// calendarTools keep the calendar: on a server, or in a file of the state folder.
func (d *base) calendarTools(cfg *config.Config) ([]tools.Tool, error) {
	c := &cfg.Tools.Calendar
	password := d.secrets.Get(c.Password)
	return calendar.New(calendar.Options{
		URL: c.URL, User: c.User, Password: password, Agent: "hearthd/" + cmp.Or(d.opt.Version, "dev"),
		Calendars: c.Calendars, Usual: c.AddTo, File: state.Calendar(d.opt.StateDir),
		Location: named(d.zone, "/etc/localtime"), Hour24: cfg.Tools.Clock24h, Log: d.log,
	})
}

// named gives the zone of this machine with its IANA name, which other programs
// that read a calendar need, as far as link says which it is.
func named(zone *time.Location, link string) *time.Location {
	if zone != time.Local {
		return zone
	}
	target, err := os.Readlink(link)
	_, name, ok := strings.Cut(target, "zoneinfo/")
	if err != nil || !ok {
		return zone
	}
	if loc, err := time.LoadLocation(name); err == nil {
		return loc
	}
	return zone
}
