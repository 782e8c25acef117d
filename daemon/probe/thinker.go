package probe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"time"

	"hearthd/config"
	"hearthd/daemon/doctor"
	"hearthd/llm"
	"hearthd/llm/live"
	"hearthd/llm/ollama"
	"hearthd/llm/realtime"
)

// slowAnswer is the wait for words after which people think that they were not heard: the default
// of responder.first_audio.
const slowAnswer = 4 * time.Second

// thinker asks the model for a word, cold and warm.
func (p *prober) thinker(ctx context.Context) doctor.Finding {
	c := &p.Config.Thinker
	if c.URL == "" && len(c.Providers) > 0 {
		return doctor.New(doctor.Thinker, doctor.Skip, "thinker.url is empty: the provider %s answers",
			c.Providers[0].Name)
	}
	if c.URL == "" {
		return doctor.New(doctor.Thinker, doctor.Skip, "not configured: thinker.url is empty")
	}
	client, err := p.engines.Ollama(c.Model)
	if err != nil {
		return doctor.New(doctor.Thinker, doctor.Fail, "%v", err).Mend("thinker.url in /etc/hearthd/hearthd.yaml")
	}
	version, err := client.Version(ctx)
	if err != nil {
		return p.unreachable(err)
	}
	server := fmt.Sprintf("Ollama %s at %s", version, c.URL)
	for _, model := range []string{c.Model, c.SmartModel, c.EmbedModel} {
		if model == "" {
			continue
		}
		other, err := p.engines.Ollama(model)
		if err == nil {
			err = other.Ready(ctx)
		}
		if errors.Is(err, llm.ErrModel) {
			return doctor.New(doctor.Thinker, doctor.Fail, "%s does not have the model %s", server, model).
				Mend("%sollama pull %s", ollamaHost(c.URL), model)
		}
		if err != nil {
			return doctor.New(doctor.Thinker, doctor.Fail, "%s: %v", server, err).Mend("journalctl -u ollama -n 50")
		}
	}
	return p.tokens(ctx, client, server)
}

// unreachable is the finding about an Ollama that does not answer. With the default settings nobody
// has asked for one.
func (p *prober) unreachable(err error) doctor.Finding {
	c, usual := &p.Config.Thinker, config.Default().Thinker
	_, missing := exec.LookPath("ollama")
	if c.URL == usual.URL && c.Model == usual.Model && missing != nil {
		f := doctor.New(doctor.Thinker, doctor.Warn,
			"no Ollama answers at %s: timers, lists, devices and the clock work, free questions do not", c.URL)
		f.Late = true
		return f.Mend("install Ollama (https://ollama.com/download), then: ollama pull %s; or for none: "+
			"thinker: {url: \"\"} in /etc/hearthd/conf.d/thinker.yaml", c.Model)
	}
	text := "no Ollama answers at " + c.URL
	if !errors.Is(err, llm.ErrUnreachable) {
		text += ": " + err.Error()
	}
	f := doctor.New(doctor.Thinker, doctor.Fail, "%s", text)
	if !local(c.URL) {
		return f.Mend("switch on that machine, or change thinker.url; it must listen on the network: " +
			"OLLAMA_HOST=0.0.0.0")
	}
	if missing != nil {
		return f.Mend("install Ollama (https://ollama.com/download), then: systemctl start ollama; or change " +
			"thinker.url")
	}
	return f.Mend("systemctl start ollama")
}

// local reports whether an address is of this machine.
func local(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Hostname() == "localhost" || strings.HasPrefix(u.Hostname(), "127.") ||
		u.Hostname() == "::1")
}

// ollamaHost is the environment variable that points the program ollama at another server.
func ollamaHost(address string) string {
	if address == config.Default().Thinker.URL {
		return ""
	}
	return "OLLAMA_HOST=" + address + " "
}

// tokens measures the time to the first token: of a model that has to be loaded, if it is not
// loaded or may be unloaded, and of one that is loaded.
func (p *prober) tokens(ctx context.Context, client *ollama.Client, server string) doctor.Finding {
	model := p.Config.Thinker.Model
	loaded, _, err := client.Loaded(ctx)
	if err == nil && loaded && p.Cold {
		err = client.Unload(ctx)
		loaded = false
	}
	if err != nil {
		return doctor.New(doctor.Thinker, doctor.Fail, "%s: %v", server, err).Mend("journalctl -u ollama -n 50")
	}
	f := doctor.New(doctor.Thinker, doctor.OK, "%s, %s", server, model)
	for _, temperature := range []string{"cold", "warm"} {
		if temperature == "cold" && loaded {
			f.Text += "; it is loaded (--cold measures the loading)"
			continue
		}
		took, err := firstToken(ctx, client)
		if err != nil {
			f.Verdict = doctor.Fail
			f.Text += fmt.Sprintf("; no %s answer: %v", temperature, err)
			if ctx.Err() != nil {
				f.Text = fmt.Sprintf("%s, %s: no token within the time of this check", server, model)
			}
			return f.Mend("a smaller model, such as thinker: {model: \"qwen3:0.6b\"}, or thinker.url of a " +
				"faster machine; journalctl -u ollama -n 50")
		}
		f.Text += fmt.Sprintf("; first token %s after %.0f ms", temperature, milliseconds(took))
		f = f.With(temperature+"_first_token_ms", milliseconds(took))
		if temperature == "warm" && took > slowAnswer {
			f.Verdict, f.Late = doctor.Warn, true
			f = f.Mend("a smaller model, such as thinker: {model: \"qwen3:0.6b\"}, or thinker.url of a faster machine")
		}
	}
	return f
}

// firstToken is the time to the first piece of an answer; the rest of the answer is cancelled.
func firstToken(ctx context.Context, client *ollama.Client) (time.Duration, error) {
	begun := time.Now()
	ask := llm.Request{Messages: []llm.Message{{Role: llm.User, Content: "Say hello."}}}
	for _, err := range client.Chat(ctx, ask) {
		return time.Since(begun), err
	}
	return 0, llm.ErrBroken
}

// cloud checks whether the services outside the house accept the keys. No audio is sent.
func (p *prober) cloud(ctx context.Context) []doctor.Finding {
	var found []doctor.Finding
	r := &p.Config.Responder
	if r.URL != "" {
		found = append(found, p.responder(ctx))
	}
	for _, s := range []struct {
		what, url string
		key       config.Secret
		used      bool
	}{
		{"stt.openai", p.Config.STT.OpenAI.URL, p.Config.STT.OpenAI.Key, p.Config.STT.Engine == "openai"},
		{"tts.openai", p.Config.TTS.OpenAI.URL, p.Config.TTS.OpenAI.Key, p.Config.TTS.Engine == "openai"},
	} {
		if s.used {
			found = append(found, p.server(ctx, s.what, s.url, s.key))
		}
	}
	for i, s := range p.Config.Thinker.Providers {
		found = append(found, p.server(ctx, fmt.Sprintf("thinker.providers[%d]", i), s.URL, s.Key))
	}
	if len(found) == 0 {
		return []doctor.Finding{doctor.New(doctor.Cloud, doctor.Skip,
			"not configured: responder.url is empty, and no audio leaves the house")}
	}
	return found
}

// responder opens a session and closes it.
func (p *prober) responder(ctx context.Context) doctor.Finding {
	r := &p.Config.Responder
	if p.hidden(r.Key) {
		return needsRoot(doctor.Cloud, "responder.key")
	}
	key := p.secrets.Get(r.Key)
	begun := time.Now()
	o := realtime.Options{URL: r.URL, Key: key, Model: r.Model, Voice: r.Voice, Language: p.Config.STT.Language,
		Log: p.Log}
	if r.Protocol == "live" {
		o.Open = live.Options{}.Open
	}
	err := realtime.Try(ctx, o)
	took := milliseconds(time.Since(begun))
	switch {
	case err == nil:
		return doctor.New(doctor.Cloud, doctor.OK, "%s takes the key; a session of %s is open after %.0f ms", r.URL,
			r.Model,
			took).
			With("session_ms", took)
	case errors.Is(err, realtime.ErrKey):
		return keyRefused(r.URL, "responder.key", r.Key, key)
	case errors.Is(err, realtime.ErrLimit):
		return doctor.New(doctor.Cloud, doctor.Fail, "%s says that the limit of the account is reached", r.URL).
			Mend("the account's billing page; until then: route: {policy: local} in /etc/hearthd/conf.d/route.yaml")
	}
	return doctor.New(doctor.Cloud, doctor.Fail, "%s cannot be used: %v", r.URL, err).
		Mend("curl -I %s; or for none: responder: {url: \"\"}", r.URL)
}

// serverLimit is for the answer of a server that is only asked for a list.
const serverLimit = 5 * time.Second

// server asks a server with OpenAI's API for its models, which costs nothing.
func (p *prober) server(ctx context.Context, what, address string, key config.Secret) doctor.Finding {
	if p.hidden(key) {
		return needsRoot(doctor.Cloud, what+".key")
	}
	ctx, cancel := context.WithTimeout(ctx, serverLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(address, "/")+"/models", nil)
	if err != nil {
		return doctor.New(doctor.Cloud, doctor.Fail, "%s.url: %v", what, err).
			Mend("%s.url in /etc/hearthd/hearthd.yaml", what)
	}
	secret := p.secrets.Get(key)
	if secret != "" {
		req.Header.Set("Authorization", "Bearer "+secret)
	}
	begun := time.Now()
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return doctor.New(doctor.Cloud, doctor.Fail, "%s does not answer (%s)", address, what).
			Mend("curl -I %s; %s.url in /etc/hearthd/hearthd.yaml", address, what)
	}
	defer res.Body.Close()
	took := milliseconds(time.Since(begun))
	switch {
	case res.StatusCode == http.StatusUnauthorized || res.StatusCode == http.StatusForbidden:
		return keyRefused(address, what+".key", key, secret)
	case res.StatusCode >= http.StatusInternalServerError:
		return doctor.New(doctor.Cloud, doctor.Fail, "%s answers with status %d (%s)", address, res.StatusCode, what).
			Mend("try again later")
	}
	return doctor.New(doctor.Cloud, doctor.OK, "%s answers after %.0f ms (%s)", address, took, what).
		With("answer_ms", took)
}

// keyRefused is the finding about a service that refuses the key, or gets none.
func keyRefused(address, name string, key config.Secret, given string) doctor.Finding {
	text := "%s refuses the key of %s (%s)"
	if given == "" {
		text = "%s wants a key, and %s (%s) is not there"
	}
	return doctor.New(doctor.Cloud, doctor.Fail, text, address, name, key).Mend("%s", secretFix(key))
}
