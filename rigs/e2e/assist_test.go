package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
)

// houseRoot names a Debian root with Home Assistant in /opt/ha, which packaging/house/test.sh makes.
const houseRoot = "HEARTHD_TEST_HOUSE"

// assist is a real Home Assistant.
type assist struct {
	t     testing.TB
	root  string
	dir   string // of its configuration, within root
	port  string
	cmd   *exec.Cmd
	token string // of its owner
}

const houseConfig = `http:
  server_host: 127.0.0.1
  server_port: %[1]s
homeassistant:
  name: House
  internal_url: http://127.0.0.1:%[1]s
  unit_system: metric
  time_zone: UTC
  country: DE
  language: en
config:
conversation:
todo:
calendar:
%[2]s`

// newAssist starts one that somebody has set up, with more in its configuration, and integrations of testdata.
func newAssist(t testing.TB, more string, custom ...string) *assist {
	t.Helper()
	a := &assist{t: t, root: os.Getenv(houseRoot)}
	if a.root == "" {
		t.Skip("make house-test runs this with a Home Assistant")
	}
	dir, err := os.MkdirTemp(filepath.Join(a.root, "srv"), "house-")
	check(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	a.dir = strings.TrimPrefix(dir, a.root)
	a.port, err = freePort()
	check(t, err)
	check(t, os.WriteFile(filepath.Join(dir, "configuration.yaml"), fmt.Appendf(nil, houseConfig, a.port, more), 0o600))
	for _, name := range custom {
		check(t, os.CopyFS(filepath.Join(dir, "custom_components", name), os.DirFS("testdata/"+name)))
	}
	a.start()
	t.Cleanup(func() {
		if t.Failed() {
			log, _ := os.ReadFile(filepath.Join(dir, "home-assistant.log")) // it may have none
			t.Logf("Home Assistant's log:\n%s", log[max(0, len(log)-6000):])
		}
	})
	var user, tokens struct {
		Code  string `json:"auth_code"`
		Token string `json:"access_token"`
	}
	me := a.url("/")
	a.post("/api/onboarding/users", map[string]any{
		"client_id": me, "name": "Owner", "username": "owner", "password": "at home", "language": "en",
	}, &user)
	form := url.Values{"grant_type": {"authorization_code"}, "client_id": {me}, "code": {user.Code}}
	r, err := http.PostForm(a.url("/auth/token"), form)
	check(t, err)
	defer r.Body.Close()
	check(t, json.NewDecoder(r.Body).Decode(&tokens))
	a.token = tokens.Token
	a.until("the end of Home Assistant's start", func() (lacks []string) {
		if !a.runs() {
			lacks = []string{"RUNNING"}
		}
		return lacks
	})
	a.token = a.grants("rig") // the first ends after half an hour
	return a
}

func (a *assist) url(path string) string { return "http://127.0.0.1:" + a.port + path }

// start returns when it runs.
func (a *assist) start() {
	a.t.Helper()
	a.cmd = exec.Command("chroot", a.root, "/usr/bin/env", "HOME=/root", "LC_ALL=C.UTF-8", "/opt/ha/bin/hass", "-c", a.dir,
		"--skip-pip", "--log-file", a.dir+"/home-assistant.log")
	a.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	check(a.t, a.cmd.Start())
	ended := make(chan struct{})
	cmd := a.cmd
	go func() { _ = cmd.Wait(); close(ended) }() // how it ends does not matter
	a.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // may have ended
		<-ended
	})
	for end := time.Now().Add(2 * patience); ; <-time.After(200 * time.Millisecond) {
		r, err := http.Get(a.url("/api/onboarding"))
		if err == nil {
			_ = r.Body.Close()
			if r.StatusCode == http.StatusOK || a.token != "" && a.runs() {
				return
			}
		}
		if time.Now().After(end) {
			a.t.Fatalf("Home Assistant does not start: %v", err)
		}
	}
}

// runs reports whether everything that is configured has been set up.
func (a *assist) runs() bool {
	var v struct{ State string }
	return a.rest(http.MethodGet, "/api/config", nil, &v) == nil && v.State == "RUNNING"
}

// restart ends it and starts it again.
func (a *assist) restart() {
	a.t.Helper()
	a.end()
	a.start()
}

// end returns when it has ended.
func (a *assist) end() {
	a.t.Helper()
	check(a.t, a.cmd.Process.Signal(syscall.SIGTERM))
	for end := time.Now().Add(patience); a.cmd.Process.Signal(syscall.Signal(0)) == nil; <-time.After(50 * time.Millisecond) {
		if time.Now().After(end) {
			a.t.Fatal("Home Assistant does not end")
		}
	}
}

func (a *assist) rest(method, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(a.t.Context(), method, a.url(path), bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+a.token)
	r, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	switch {
	case err != nil:
		return err
	case r.StatusCode >= 300:
		return fmt.Errorf("%s %s: %s: %s", method, path, r.Status, data)
	case out == nil:
		return nil
	}
	return json.Unmarshal(data, out)
}

func (a *assist) post(path string, in, out any) {
	a.t.Helper()
	check(a.t, a.rest(http.MethodPost, path, in, out))
}

// configures goes through the steps by which a person adds an integration.
func (a *assist) configures(handler string, steps ...map[string]any) {
	a.t.Helper()
	var v struct {
		Flow string `json:"flow_id"`
		Type string
	}
	a.post("/api/config/config_entries/flow", map[string]any{"handler": handler}, &v)
	for _, step := range steps {
		var raw json.RawMessage
		a.post("/api/config/config_entries/flow/"+v.Flow, step, &raw)
		check(a.t, json.Unmarshal(raw, &v))
		if v.Type != "create_entry" && v.Type != "form" {
			a.t.Fatalf("%s: %s", handler, raw)
		}
	}
	if v.Type != "create_entry" {
		a.t.Fatalf("%s is not set up: %+v", handler, v)
	}
}

// joins has it use the broker.
func (a *assist) joins(b *mosquitto) {
	a.t.Helper()
	a.configures("mqtt", map[string]any{
		"broker": "127.0.0.1", "port": b.plain, "username": brokerUser, "password": brokerPassword,
	})
}

// dial opens a connection of the token's owner.
func (a *assist) dial(ctx context.Context, token string) (*websocket.Conn, error) {
	c, _, err := websocket.Dial(ctx, "ws://127.0.0.1:"+a.port+"/api/websocket", nil)
	if err != nil {
		return nil, err
	}
	c.SetReadLimit(32 << 20)
	var hello, answer struct{ Type string }
	if err := errors.Join(wsjson.Read(ctx, c, &hello),
		wsjson.Write(ctx, c, map[string]any{"type": "auth", "access_token": token}), wsjson.Read(ctx, c, &answer)); err != nil {
		return nil, err
	}
	if answer.Type != "auth_ok" {
		return nil, fmt.Errorf("the token is refused: %s", answer.Type)
	}
	return c, nil
}

// asks gives a command that must be carried out.
func (a *assist) asks(command string, with map[string]any, out any) {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(a.t.Context(), patience)
	defer cancel()
	c, err := a.dial(ctx, a.token)
	check(a.t, err)
	defer c.CloseNow() //nolint:errcheck // over
	in := map[string]any{"id": 1, "type": command}
	for k, v := range with {
		in[k] = v
	}
	check(a.t, wsjson.Write(ctx, c, in))
	var v struct {
		Success bool
		Result  json.RawMessage
		Error   json.RawMessage
	}
	check(a.t, wsjson.Read(ctx, c, &v))
	if !v.Success {
		a.t.Fatalf("%s %v: %s", command, with, v.Error)
	}
	if out != nil {
		check(a.t, json.Unmarshal(v.Result, out))
	}
}

// calls an action, as a person does in its interface.
func (a *assist) calls(action, entity string, data map[string]any) {
	a.t.Helper()
	domain, service, _ := strings.Cut(action, ".")
	if data == nil {
		data = map[string]any{}
	}
	a.asks("call_service", map[string]any{
		"domain": domain, "service": service, "service_data": data, "target": map[string]any{"entity_id": entity},
	}, nil)
}

// grants makes a token that lasts.
func (a *assist) grants(name string) (token string) {
	a.t.Helper()
	a.asks("auth/long_lived_access_token", map[string]any{"client_name": name, "lifespan": 30}, &token)
	return token
}

// revokes ends a token that was granted.
func (a *assist) revokes(name string) {
	a.t.Helper()
	var tokens []struct {
		ID   string
		Name string `json:"client_name"`
	}
	a.asks("auth/refresh_tokens", nil, &tokens)
	for _, k := range tokens {
		if k.Name == name {
			a.asks("auth/delete_refresh_token", map[string]any{"refresh_token_id": k.ID}, nil)
			return
		}
	}
	a.t.Fatalf("there is no token %s", name)
}

// known are the entities of an integration, by unique ID.
func (a *assist) known(platform string) map[string]string {
	a.t.Helper()
	var rows []struct {
		ID       string `json:"entity_id"`
		Unique   any    `json:"unique_id"`
		Platform string
	}
	a.asks("config/entity_registry/list", nil, &rows)
	list := map[string]string{}
	for _, r := range rows {
		if r.Platform == platform {
			list[fmt.Sprint(r.Unique)] = r.ID
		}
	}
	return list
}

// warned gives the lines of Home Assistant's log, from warnings up, that contain any of the words.
func (a *assist) warned(words ...string) []string {
	a.t.Helper()
	return slices.DeleteFunc(a.logged(words...), func(line string) bool {
		return !strings.Contains(line, " WARNING ") && !strings.Contains(line, " ERROR ")
	})
}

// logged gives the lines of Home Assistant's log that contain any of the words.
func (a *assist) logged(words ...string) (lines []string) {
	a.t.Helper()
	log, err := os.ReadFile(filepath.Join(a.root, a.dir, "home-assistant.log"))
	check(a.t, err)
	for line := range strings.Lines(string(log)) {
		if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(line, w) }) {
			lines = append(lines, line)
		}
	}
	return lines
}
