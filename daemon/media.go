package daemon

import (
	"cmp"
	"context"
	"os/exec"

	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/daemon/supervise"
	"hearthd/llm"
	"hearthd/media"
	"hearthd/media/player"
	"hearthd/media/source"
	"hearthd/tools"
	"hearthd/tools/fetch"
	"hearthd/tools/intent"
	mediatools "hearthd/tools/media"
)

// music is what the box plays beside what it says.
type music struct {
	*player.Player
	*base
	stations *media.Household
	names    interface {
		SetNames(vocab string, names []intent.Name)
	}
	failed chan failure
}

// failure is what does not play any more.
type failure struct {
	item media.Item
	err  error
}

// buildMedia makes what plays radio and music.
func (d *Daemon) buildMedia(context.Context) error {
	m := &music{base: d.base, names: d.assistant.matcher, failed: make(chan failure, 1)}
	sources, err := source.New(source.Options{
		Client: fetch.New(fetch.Options{UserAgent: "hearthd/" + cmp.Or(d.opt.Version, "dev")}),
		FFmpeg: d.cfg.Media.Decoder, Log: d.log,
	})
	if err != nil {
		return err
	}
	m.Player, err = player.New(player.Options{
		Mixer: d.sound.mixer, Wake: d.sound.playback.Wake, Source: sources, Volume: d.cfg.Media.Volume,
		Changed: func(now media.Now) { d.bus.Publish(&event.MediaChanged{Media: playing(now)}) }, Failed: m.fail, Log: d.log,
	})
	if err != nil {
		return err
	}
	m.stations = media.NewHousehold(d.cfg.Media.Stations, m.changed)
	d.media = m
	return nil
}

// parts run it.
func (m *music) parts() []supervise.Part {
	return []supervise.Part{
		{Name: "media", Policy: supervise.Restart, Run: m.Player.Run},
		{Name: "stations", Policy: supervise.Restart, Run: m.stations.Run},
		{Name: "media failures", Policy: supervise.Restart, Run: m.tell},
	}
}

// tools are those for it.
func (m *music) tools() []tools.Tool {
	return mediatools.New(mediatools.Options{Book: m.book, Player: m.Player, Stations: m.stations.List})
}

// changed has the stations understood, and says what is wrong with their file, or missing to hear them.
func (m *music) changed(list []media.Station, err error) {
	names := each(list, func(s media.Station) intent.Name {
		return intent.Name{Value: s.Name, Forms: append([]string{s.Name}, s.Aliases...)}
	})
	m.names.SetNames("station", names)
	wrong := ""
	if err != nil {
		m.log.Warn("stations not taken", "component", "media", "error", err)
		wrong = "The file of radio stations has a mistake, and those before it stay: " + err.Error() + "."
	}
	m.conditions.Keep("stations", health.Warning, wrong)
	lacks := ""
	if _, err := exec.LookPath(m.cfg.Media.Decoder); err != nil && len(list) > 0 {
		lacks = "There are radio stations, and nothing to play them with: install Debian's package ffmpeg."
	}
	m.conditions.Keep("media", health.Warning, lacks)
}

// fail leaves what does not play any more to tell. Of several that nobody has been told of one is enough.
func (m *music) fail(it media.Item, err error) {
	select {
	case m.failed <- failure{it, err}:
	default:
	}
}

// tell says aloud what has ended by itself.
func (m *music) tell(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case f := <-m.failed:
			err := m.speakers.Announce(ctx, llm.Ask{}, mediatools.Failed(m.book, f.item, f.err), false)
			if err != nil && ctx.Err() == nil {
				m.log.Warn("announce", "component", "media", "error", err)
			}
		}
	}
}

// playing is what plays as events show it.
func playing(now media.Now) event.Media {
	return event.Media{
		State: string(now.State), Station: now.Item.Station, Title: now.Title, Artist: now.Item.Artist,
		Album: now.Item.Album, Percent: now.Volume, Until: now.Until.Round(0),
	}
}
