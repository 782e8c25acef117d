package probe

import (
	"context"
	"errors"
	"strings"

	"hearthd/daemon/doctor"
	"hearthd/tools/calendar"
)

// calendar asks the server for its calendars.
func (p *prober) calendar(ctx context.Context) doctor.Finding {
	c := &p.Config.Tools.Calendar
	switch {
	case c.Source == "homeassistant":
		return doctor.New(doctor.Calendar, doctor.Skip, "it is Home Assistant's")
	case c.URL == "":
		return doctor.New(doctor.Calendar, doctor.Skip, "it is kept on this box: tools.calendar.url is empty")
	case p.hidden(c.Password):
		return needsRoot(doctor.Calendar, "tools.calendar.password")
	}
	names, err := calendar.Look(ctx, calendar.Options{URL: c.URL, User: c.User, Password: p.secrets.Get(c.Password),
		Agent: "hearthd/" + p.Version, Calendars: c.Calendars})
	if err == nil {
		return doctor.New(doctor.Calendar, doctor.OK, "%s", strings.Join(names, ", "))
	}
	f := doctor.New(doctor.Calendar, doctor.Fail, "%s: %v", c.URL, err)
	if errors.Is(err, calendar.ErrLocked) {
		f = doctor.New(doctor.Calendar, doctor.Fail, "%s does not accept the password of %q", c.URL, c.User)
		return f.Mend("%s", secretFix(c.Password))
	}
	return f.Mend("hearthctl config show tools.calendar; curl -u %s %s", c.User, c.URL)
}
