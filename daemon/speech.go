package daemon

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"hearthd/config"
	"hearthd/daemon/health"
	"hearthd/llm/tts"
	"hearthd/systemd"
)

// maxSecret bounds a secret that is read from a file, in bytes.
const maxSecret = 16 << 10

// secret reads what s names. One that cannot be read is told of, and what needs it
// goes without: the alarms of a house do not hang on the key of a news service.
func (d *Daemon) secret(s config.Secret) string {
	text, err := secret(s)
	if err != nil {
		d.log.Error("secret not read", "component", "config", "error", err)
		d.conditions.Set("secrets", health.Warning, fmt.Sprintf("A secret cannot be read, and what needs it does not work: %v.", err))
	}
	return text
}

// secret reads what s names. A credential that the unit was started without is
// no error: not every broker or server asks for one.
func secret(s config.Secret) (string, error) {
	kind, name := s.Place()
	switch kind {
	case "credential":
		text, err := systemd.Credential(name)
		if errors.Is(err, systemd.ErrNoCredential) {
			return "", nil
		}
		return text, err
	case "file":
		f, err := os.Open(name)
		if err != nil {
			return "", fmt.Errorf("read secret: %w", err)
		}
		defer f.Close()
		text, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
		if err != nil {
			return "", fmt.Errorf("read secret: %w", err)
		}
		if len(text) > maxSecret {
			return "", fmt.Errorf("read secret %q: longer than %d bytes", name, maxSecret)
		}
		return strings.TrimRight(string(text), "\r\n"), nil
	}
	return "", nil
}

// voices builds the engine that the configuration names and the one that takes
// over when it fails: a voice from Debian, unless that is the engine already.
func (d *Daemon) voices() (engine, fallback tts.Engine, err error) {
	c := &d.cfg.TTS
	builtIn := func() (tts.Engine, error) { return tts.NewCommand(tts.Flite("slt")) }
	switch c.Engine {
	case "flite":
		engine, err = tts.NewCommand(tts.Flite(c.Voice))
		return engine, nil, err
	case "espeak-ng":
		engine, err = tts.NewCommand(tts.Espeak(c.Voice))
		return engine, nil, err
	case "wyoming":
		engine, err = tts.NewWyoming(tts.WyomingOptions{Address: c.Wyoming.Address, Voice: c.Voice})
	case "openai":
		key := d.secret(c.OpenAI.Key)
		engine, err = tts.NewOpenAI(tts.OpenAIOptions{
			BaseURL: c.OpenAI.URL, Key: key, Model: c.OpenAI.Model, Voice: c.Voice,
			Format: c.OpenAI.Format, Rate: c.OpenAI.Rate,
		})
	case "command":
		engine, err = tts.NewCommand(tts.CommandOptions{Argv: c.Command.Argv})
	}
	if err != nil {
		return nil, nil, err
	}
	fallback, err = builtIn()
	return engine, fallback, err
}
