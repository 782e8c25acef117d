package daemon

import (
	"context"
	"os"
	"time"
)

const (
	zoneFile = "/etc/localtime"
	// zoneLook is how often the time zone is looked at: nobody has set an alarm by the new one before that.
	zoneLook = 10 * time.Second
)

// keepZone has hearthd started again when the time zone of the machine was changed, because a program learns it once.
func (d *Daemon) keepZone(ctx context.Context) error {
	used := d.zone == time.Local && os.Getenv("TZ") == ""
	if used && zoneChanged(ctx, zoneFile, d.activity.Quiet) {
		d.log.Info("time zone of the machine changed; starting again", "component", "clock")
		d.end(ErrRestart)
	}
	<-ctx.Done()
	return nil
}

// zoneChanged waits until file is another one, and nobody is talking; false: ctx ended before.
func zoneChanged(ctx context.Context, file string, quiet func() bool) bool {
	was, missing := os.Stat(file)
	tick := time.NewTicker(zoneLook)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
		now, gone := os.Stat(file)
		same := missing != nil && gone != nil ||
			missing == nil && gone == nil && os.SameFile(was, now) && was.ModTime().Equal(now.ModTime())
		if !same && quiet() {
			return true
		}
	}
}
