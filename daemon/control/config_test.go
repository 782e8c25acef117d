package control

import (
	"context"
	"testing"

	"hearthd/daemon/api"
)

// fakeConfiguration has one key and a mistake.
type fakeConfiguration struct{}

func (fakeConfiguration) Show(context.Context) (api.Configuration, error) {
	return api.Configuration{
		File: "/etc/hearthd/hearthd.yaml", Running: []api.Setting{{Key: "audio.volume", Value: "40", Default: "70",
			Origin: "/etc/hearthd/conf.d/a.yaml:2"}},
		Disk: []api.Setting{}, Problems: []string{"a.yaml:2: bad"}, Live: []string{}, Restart: []string{},
	}, nil
}

func (fakeConfiguration) Reload(context.Context) (api.Reloaded, error) {
	return api.Reloaded{Applied: []string{"audio.volume"}, Restart: []string{}}, nil
}

func TestConfigurationIsShownAndReloaded(t *testing.T) {
	r := onSocket(t)
	code, body := r.do("GET", "/v1/config", "")
	if want := `{"file":"/etc/hearthd/hearthd.yaml","running":[{"key":"audio.volume","value":"40","default":"70","origin":"/etc/hearthd/conf.d/a.yaml:2"}],"disk":[],"problems":["a.yaml:2: bad"],"live":[],"restart":[]}`; code != 200 || body != want {
		t.Errorf("%d %s", code, body)
	}
	code, body = r.do("POST", "/v1/reload", "{}")
	if want := `{"applied":["audio.volume"],"restart":[]}`; code != 200 || body != want {
		t.Errorf("%d %s", code, body)
	}
}
