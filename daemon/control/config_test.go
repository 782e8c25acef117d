package control

import (
	"context"
	"testing"
)

// fakeConfiguration has one key and a mistake.
type fakeConfiguration struct{}

func (fakeConfiguration) Show(context.Context) (Configuration, error) {
	return Configuration{
		File: "/etc/hearthd/hearthd.yaml", Running: []Setting{{"audio.volume", "40", "70", "/etc/hearthd/conf.d/a.yaml:2"}},
		Disk: []Setting{}, Problems: []string{"a.yaml:2: bad"}, Live: []string{}, Restart: []string{},
	}, nil
}

func (fakeConfiguration) Reload(context.Context) (Reloaded, error) {
	return Reloaded{Applied: []string{"audio.volume"}, Restart: []string{}}, nil
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
