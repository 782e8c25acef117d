package daemon

import (
	"context"
	"errors"

	"hearthd/config"
	"hearthd/daemon/api"
)

// Show implements what control asks for.
func (r *reloader) Show(context.Context) (api.Configuration, error) {
	r.mu.Lock()
	origins := r.origins
	r.mu.Unlock()
	now := r.now()
	out := api.Configuration{
		File: r.opt.File, Running: shownSettings(now, origins),
		Disk: []api.Setting{}, Problems: []string{}, Live: []string{}, Restart: []string{},
	}
	if r.opt.Load == nil {
		return out, nil
	}
	disk, from, err := r.opt.Load()
	var problems config.Problems
	switch {
	case errors.As(err, &problems):
		for _, p := range problems {
			out.Problems = append(out.Problems, p.String())
		}
		return out, nil
	case err != nil:
		out.Problems = append(out.Problems, err.Error())
		return out, nil
	}
	out.Disk = shownSettings(&disk, from)
	for _, key := range config.Changed(now, &disk) {
		if r.changesLive(key) {
			out.Live = append(out.Live, key)
		} else {
			out.Restart = append(out.Restart, key)
		}
	}
	return out, nil
}

func shownSettings(c *config.Config, from config.Origins) []api.Setting {
	var list []api.Setting
	for _, s := range config.Settings(c, from) {
		list = append(list, api.Setting(s))
	}
	return list
}
