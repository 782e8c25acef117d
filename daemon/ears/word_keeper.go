package ears

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"hearthd/config/files"
	"hearthd/daemon/api"
	"hearthd/daemon/refusal"
	"hearthd/vad/wake/enrolled"
	"hearthd/vad/wake/micro"
)

// WordKeeper lists, installs and records the wake words in the state folder. It is safe for
// use by several goroutines.
type WordKeeper struct {
	dir      string // of the installed words
	state    string
	words    []Word
	recorder *Recorder
}

// installedName is what an installed word may be called in wake.words.
var installedName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`)

// modelName is the file name of a word, without its extension.
func modelName(word string) (string, error) {
	name := strings.ToLower(strings.Join(strings.Fields(word), "_"))
	if !installedName.MatchString(name) {
		return "", refusal.Error(fmt.Sprintf(
			"the name %.80q: want letters a to z, digits, spaces, - and _, at most 63", word))
	}
	return name, nil
}

// List lists the words of the configuration in their order, then the others that are
// installed.
func (k *WordKeeper) List(context.Context) ([]api.Word, error) {
	var list []api.Word
	used := make(map[string]bool) // files
	var all opened
	for _, w := range k.words {
		c := api.Word{Model: w.Model, Name: w.Name, Type: "server", Configured: true, Kind: "wake", Route: w.Route}
		if w.Stop {
			c.Kind = "stop"
		}
		if w.Server == "" {
			file := wordFile(w.Model, k.state)
			used[file] = true
			c.Type = kindOf(file)
			if err := all.open(&w, file); err != nil {
				c.Error = err.Error()
			}
		}
		list = append(list, c)
	}
	entries, err := os.ReadDir(k.dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("list wake words: %w", err)
	}
	for _, e := range entries {
		file := filepath.Join(k.dir, e.Name())
		ext := filepath.Ext(file)
		if used[file] || strings.HasPrefix(e.Name(), ".") || ext != modelExt && ext != enrolledExt {
			continue
		}
		c := api.Word{Model: k.modelOf(e.Name()), Type: kindOf(file)}
		c.Name, c.Error = inspect(file)
		list = append(list, c)
	}
	return list, nil
}

// kindOf is the type of a word's file, as api.Word names it.
func kindOf(file string) string {
	if filepath.Ext(file) == enrolledExt {
		return "enrolled"
	}
	return "model"
}

// inspect reads the name of an installed word that the configuration does not name.
func inspect(file string) (name, mistake string) {
	var err error
	if filepath.Ext(file) == enrolledExt {
		var t *enrolled.Template
		if t, err = enrolled.Load(file); err == nil {
			return t.Name(), ""
		}
	} else {
		var m *micro.Model
		if m, err = micro.Load(file); err == nil {
			return m.Name, ""
		}
	}
	base := filepath.Base(file)
	return strings.TrimSuffix(base, filepath.Ext(base)), err.Error()
}

// Install keeps a microWakeWord model. In its manifest only the name of the network is
// changed, to that of the word, because two models may have networks of one name.
func (k *WordKeeper) Install(_ context.Context, word string, manifest, network []byte) (api.Word, error) {
	name, err := modelName(word)
	if err != nil {
		return api.Word{}, err
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(manifest, &m); err != nil || m == nil {
		return api.Word{}, refusal.Error("the manifest is no JSON object of a microWakeWord model")
	}
	m["model"], _ = json.Marshal(name + networkExt) // cannot fail for a string
	manifest, err = json.MarshalIndent(m, "", "  ")
	if err != nil {
		return api.Word{}, fmt.Errorf("encode manifest: %w", err)
	}
	if err := os.MkdirAll(k.dir, 0o750); err != nil {
		return api.Word{}, fmt.Errorf("make folder: %w", err)
	}
	tmp, err := os.MkdirTemp(k.dir, ".install-*")
	if err != nil {
		return api.Word{}, fmt.Errorf("make folder: %w", err)
	}
	called, err := k.install(tmp, name, manifest, network)
	w := api.Word{Model: k.modelOf(name + modelExt), Name: called, Type: "model", Configured: k.configured(name)}
	return w, errors.Join(err, os.RemoveAll(tmp))
}

// install tries the model in tmp and then moves it into the folder, the network first, so
// that there is never a manifest without its network.
func (k *WordKeeper) install(tmp, name string, manifest, network []byte) (called string, err error) {
	names := []string{name + networkExt, name + modelExt}
	for i, data := range [][]byte{network, manifest} {
		err = errors.Join(err, files.Write(filepath.Join(tmp, names[i]), data, 0o640))
	}
	if err != nil {
		return "", fmt.Errorf("write wake word: %w", err)
	}
	model, err := micro.Load(filepath.Join(tmp, names[1]))
	if err != nil {
		return "", refusal.Error(strings.ReplaceAll(err.Error(), tmp+string(filepath.Separator), ""))
	}
	if _, err := micro.New(model); err != nil {
		return "", refusal.Error(err.Error())
	}
	for _, f := range names {
		if err := os.Rename(filepath.Join(tmp, f), filepath.Join(k.dir, f)); err != nil {
			return "", fmt.Errorf("keep wake word: %w", err)
		}
	}
	return model.Name, nil
}

// modelOf is how the configuration refers to a file of the folder: by its name without the
// extension, unless that means another file.
func (k *WordKeeper) modelOf(file string) string {
	name := strings.TrimSuffix(file, filepath.Ext(file))
	if wordFile(name, k.state) != filepath.Join(k.dir, file) {
		return file
	}
	return name
}

func (k *WordKeeper) configured(name string) bool {
	file := filepath.Join(k.dir, name+modelExt)
	return slices.ContainsFunc(k.words, func(w Word) bool {
		return w.Server == "" && wordFile(w.Model, k.state) == file
	})
}
