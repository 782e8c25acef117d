// Command demo holds a spoken conversation with the real daemon: it makes a
// virtual sound card, speaks into its microphone with a synthetic voice, shows
// what the daemon does as it happens, checks each request, and ends with a
// table. It fails when a request was not fulfilled.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"hearthd/llm/tts"
	"hearthd/rigs/e2e"
	"hearthd/rigs/testcard"
)

const (
	startLimit = 30 * time.Second
	turnLimit  = 60 * time.Second
	modelLimit = 5 * time.Minute
)

func main() {
	bin := flag.String("bin", "bin/hearthd", "the daemon")
	out := flag.String("out", "demo-out", "folder for the recordings and the daemon's log")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *bin, *out)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// demo is one conversation.
type demo struct {
	house *e2e.House
	room  *e2e.Room
	card  *testcard.Card
	view  *view
	turns chan e2e.Turn
	quiet chan string  // utterances that opened no turn, by reason
	woken atomic.Int64 // what the card had played when it heard its name last, in bytes
	rows  []row
}

func run(ctx context.Context, bin, out string) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	dir, err := os.MkdirTemp("", "hearthd-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	fmt.Println("building a virtual sound card, 48 kHz")
	card, err := testcard.BuildInRoom(ctx, dir)
	if err != nil {
		return err
	}
	voice, err := tts.NewCommand(tts.Flite(demoVoice))
	if err != nil {
		return err
	}
	h, err := e2e.NewHouse(dir)
	if err != nil {
		return err
	}
	d := &demo{
		house: h, room: &e2e.Room{Voice: voice, Echoes: true}, card: card, view: newView(os.Stdout),
		turns: make(chan e2e.Turn, 16), quiet: make(chan string, 16),
	}
	mic, err := card.OpenMicrophone()
	if err != nil {
		return err
	}
	var said bytes.Buffer
	var room sync.WaitGroup
	room.Go(func() { d.room.Run(io.MultiWriter(mic, &said)) })
	model, env := thinker(ctx)
	radio, err := station(ctx, dir)
	if err != nil {
		return err
	}
	env = append(env, radio...)
	if err := h.Start(bin, card, env...); err != nil {
		return err
	}
	held := d.hold(ctx, model)
	stopped := h.Stop()
	cancel()
	closed := mic.Close()
	room.Wait()
	played, unread := os.ReadFile(card.SpeakerPath())
	err = errors.Join(held, stopped, closed, unread, keep(filepath.Join(out, "conversation.wav"), said.Bytes()),
		keep(filepath.Join(out, "answers.wav"), played), copyFile(filepath.Join(out, "hearthd.log"), h.LogPath()))
	d.view.table(d.rows)
	if err != nil {
		return err
	}
	fmt.Printf("\nrecordings: %s (what was said), %s (what the speaker played)\n",
		filepath.Join(out, "conversation.wav"), filepath.Join(out, "answers.wav"))
	return failures(d.rows)
}

// copyFile copies a file to a folder that may be on another disk.
func copyFile(to, from string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return fmt.Errorf("keep log: %w", err)
	}
	return os.WriteFile(to, data, 0o644)
}

// hold holds the whole conversation.
func (d *demo) hold(ctx context.Context, model string) error {
	sctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if err := d.house.Await(sctx, func(s e2e.Status) bool { return s.Frames > 0 && s.Broker == "connected" }); err != nil {
		return err
	}
	if err := d.house.Events(ctx, d.event); err != nil {
		return err
	}
	console, token, err := d.house.Console(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("the web console of this conversation: %s#token=%s\n", console, token)
	broker, err := d.house.Broker(ctx)
	if err != nil {
		return err
	}
	if err := subscribe(ctx, broker, d.view.mqtt); err != nil {
		return err
	}
	for _, s := range script() {
		if err := d.step(ctx, s); err != nil {
			return err
		}
	}
	if model == "" {
		fmt.Println("\nno Ollama is reachable (OLLAMA_HOST): the free-form question is left out")
		return nil
	}
	return d.ask(ctx, model)
}

// step lets a person say something and checks what becomes of it.
func (d *demo) step(ctx context.Context, s step) error {
	ctx, cancel := context.WithTimeout(ctx, turnLimit)
	defer cancel()
	sound, err := d.room.Synthesise(ctx, s.say)
	if err != nil {
		return err
	}
	d.view.say(s)
	if s.nothing {
		sound = append(e2e.Clatter(), sound...)
		if err := d.room.Speak(ctx, sound); err != nil {
			return err
		}
		d.rows = append(d.rows, d.expectNothing(ctx, s))
		return nil
	}
	r := row{request: s.say}
	if s.over {
		if err := d.listen(ctx, lull); err != nil {
			return err
		}
	}
	from := d.played()
	if err := d.room.Speak(ctx, sound); err != nil {
		return err
	}
	if !d.answered(ctx, s, &r) {
		r.request += " (said twice)" // as people do who were not heard
		d.view.say(s)
		if err := d.room.Speak(ctx, sound); err != nil {
			return err
		}
		if !d.answered(ctx, s, &r) {
			r.problem = "no turn, twice"
		}
	}
	if s.over && r.problem == "" {
		until := d.played()
		if err := d.listen(ctx, lull); err != nil {
			return err
		}
		r.done, r.problem = d.over(from, int(d.woken.Load()), until)
	}
	if r.problem == "" {
		r.problem = d.checkTimers(ctx, s.timers)
	}
	d.rows = append(d.rows, r)
	return nil
}

// answered waits for the turn of what was said, and reports whether there was one.
func (d *demo) answered(ctx context.Context, s step, r *row) bool {
	select {
	case t := <-d.turns:
		r.fill(t)
		r.check(s, t)
	case reason := <-d.quiet:
		d.view.line("nothing", reason)
		return false
	case <-ctx.Done():
		r.problem = "no turn within " + turnLimit.String()
	}
	return true
}

// checkTimers looks at what the request left behind.
func (d *demo) checkTimers(ctx context.Context, want int) string {
	var s e2e.Status
	if err := d.house.Call(ctx, http.MethodGet, "/v1/status", nil, &s); err != nil {
		return err.Error()
	}
	if len(s.Timers) != want {
		return fmt.Sprintf("%d timers run, want %d", len(s.Timers), want)
	}
	return ""
}

// expectNothing waits until the noise was judged, and fails if a turn begins.
func (d *demo) expectNothing(ctx context.Context, s step) row {
	r := row{request: "(dishes, radio) " + s.say, heard: "-", done: "nothing", answer: "-"}
	select {
	case t := <-d.turns:
		r.fill(t)
		r.problem = "it began a turn"
	case reason := <-d.quiet:
		r.done = "nothing: " + strings.ReplaceAll(reason, "_", " ")
	case <-ctx.Done():
		r.problem = "the utterance was never judged"
	}
	return r
}

// ask puts a free-form question to the model, as text, because the built-in
// recogniser understands commands only.
func (d *demo) ask(ctx context.Context, model string) error {
	ctx, cancel := context.WithTimeout(ctx, modelLimit)
	defer cancel()
	s := step{text: "Hello, please tell me something about bread.", route: "local", timers: -1}
	d.view.say(s)
	var t e2e.Turn
	if err := d.house.Call(ctx, http.MethodPost, "/v1/ask", map[string]string{"text": s.text}, &t); err != nil {
		return err
	}
	r := row{request: s.text + " (as text, to " + model + ")"}
	r.fill(t)
	r.check(s, t)
	d.rows = append(d.rows, r)
	return nil
}

// subscribe shows the MQTT messages as any client in the house sees them.
func subscribe(ctx context.Context, b e2e.Broker, show func(line string)) error {
	cmd := exec.CommandContext(ctx, "mosquitto_sub", "-h", b.Host, "-p", b.Port, "-u", b.User, "-P", b.Password, "-t",
		"hearth/demo/#", "-v")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start mosquitto_sub: %w", err)
	}
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			show(lines.Text())
		}
		_ = cmd.Wait() // killed when the demo ends
	}()
	return nil
}

// event takes one event of the daemon.
func (d *demo) event(data []byte) {
	d.view.event(data)
	var e struct {
		Type   string `json:"type"`
		Reason string `json:"reason"`
	}
	if json.Unmarshal(data, &e) != nil {
		return
	}
	switch e.Type {
	case "turn":
		var t e2e.Turn
		if json.Unmarshal(data, &t) == nil && t.Source == "voice" {
			d.turns <- t
		}
	case "woken":
		d.woken.Store(int64(d.played()))
	case "ignored":
		d.quiet <- e.Reason
	}
}

// thinker finds an Ollama and one of its models.
func thinker(ctx context.Context) (model string, env []string) {
	host := os.Getenv("OLLAMA_HOST")
	if host == "" {
		return "", []string{"HEARTHD_THINKER_URL="}
	}
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	var tags struct {
		Models []struct {
			Name string `json:"name"`
		} `json:"models"`
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, host+"/api/tags", nil)
	if err != nil {
		return "", []string{"HEARTHD_THINKER_URL="}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", []string{"HEARTHD_THINKER_URL="}
	}
	defer res.Body.Close()
	if json.NewDecoder(res.Body).Decode(&tags) != nil || len(tags.Models) == 0 {
		return "", []string{"HEARTHD_THINKER_URL="}
	}
	model = tags.Models[0].Name
	return model, []string{"HEARTHD_THINKER_URL=" + host, "HEARTHD_THINKER_MODEL=" + model}
}
