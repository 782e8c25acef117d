// Package configfile reads the configuration for the commands of hearthctl, and changes
// its files without a moment in which one is broken.
package configfile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/config"
	"hearthd/config/files"
	"hearthd/daemon/api"
)

// askLimit is long enough for a slow box to read its configuration again.
const askLimit = time.Minute

// Ask asks the hearthd that runs for its configuration.
func Ask(ctx context.Context, c *ctl.Client) (found api.Configuration, err error) {
	err = c.Ask(ctx, ctl.Request{Path: "/v1/config", Limit: askLimit}, &found)
	return found, err
}

// Setting is what the hearthd that runs has for a key, or, where none does, the configuration of the service: a text as
// it is, not as YAML.
func Setting(ctx context.Context, c *ctl.Client, key string) (string, error) {
	found, err := Ask(ctx, c)
	list := found.Running
	if _, ok := errors.AsType[*ctl.AwayError](err); ok {
		list, found.Problems, err = Read(ctl.ConfigFile)
		err = errors.Join(err, MistakesError(found.Problems))
	}
	if err != nil {
		return "", err
	}
	for _, s := range list {
		if s.Key == key {
			return strings.Trim(s.Value, `"'`), nil
		}
	}
	return "", fmt.Errorf("this hearthd has no %s", key)
}

// Read reads the settings of a file and of the variables, or what is wrong there.
func Read(file string) (list []api.Setting, problems []string, err error) {
	c, from, err := config.Read(config.Source{File: file, Environ: os.Environ()})
	if wrong, ok := errors.AsType[config.Problems](err); ok {
		return nil, lines(wrong), nil
	}
	if err != nil {
		return nil, nil, err
	}
	for _, s := range config.Settings(&c, from) {
		list = append(list, api.Setting(s))
	}
	return list, nil, nil
}

func lines(wrong config.Problems) (list []string) {
	for _, p := range wrong {
		list = append(list, p.String())
	}
	return list
}

// SetFile is the file in conf.d that config set writes.
const SetFile = "90-set.yaml"

// Set writes one key into the SetFile of the configuration at file, which is read with these
// variables, and returns the path of the SetFile.
func Set(file string, environ []string, key, value string) (path string, err error) {
	src := config.Source{File: file, Environ: environ}
	path = filepath.Join(src.Folder(), SetFile)
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		text = []byte("# What `hearthctl config set` wrote. Edit it as you like: see hearthd.yaml(5).\n")
	case err != nil:
		return "", err
	}
	edited, err := config.Edit(text, key, value)
	if err != nil {
		return "", fmt.Errorf("change %s: %w", path, err)
	}
	src.Instead = map[string][]byte{path: edited}
	_, from, err := config.Read(src)
	if err != nil {
		return "", ReadError(err)
	}
	if origin := from.Of(key); !strings.HasPrefix(origin, path+":") {
		return "", fmt.Errorf("%s is set by %s, which comes later and wins; change it there", key, origin)
	}
	return path, files.Write(path, edited, 0o644)
}

// ReadError makes the error for a configuration that cannot be read, in lines fit for a terminal.
func ReadError(err error) error {
	var ps config.Problems
	if !errors.As(err, &ps) {
		return err
	}
	return MistakesError(lines(ps))
}

// MistakesError makes the error for a configuration with mistakes, each on a line of its own; nil
// without any.
func MistakesError(list []string) error {
	if len(list) == 0 {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "nothing was changed; mistakes: %d", len(list))
	for _, m := range list {
		for line := range strings.Lines(m) {
			b.WriteString("\n" + ctl.Visible(strings.TrimRight(line, "\n")))
		}
	}
	return errors.New(b.String())
}
