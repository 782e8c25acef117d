// Package language holds the languages that come with hearthd: a folder of data each, and no
// Go. The files of a folder are the rules of what people say, which tools/intent reads; those
// of its folder answers are what is said to them, which tools/phrase reads, and those of its folder
// words what things are called.
package language

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
)

//go:embed en de
var embedded embed.FS

// Names are the names of the folders.
func Names() []string {
	list, err := fs.ReadDir(embedded, ".")
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// Words are those of a file of the folders words, as lines of KEY: word, word, of all languages by
// key, those of English first: a person need not call things in the language that is spoken. They
// are those of some languages only, where these are named.
func Words(file string, of ...string) map[string][]string {
	if len(of) == 0 {
		of = append([]string{"en"}, slices.DeleteFunc(Names(), func(name string) bool { return name == "en" })...)
	}
	all := map[string][]string{}
	for _, name := range of {
		text, err := embedded.ReadFile(name + "/words/" + file)
		if err != nil {
			continue // a language need not have words of its own
		}
		for line := range strings.Lines(string(text)) {
			key, list, ok := strings.Cut(strings.TrimSpace(line), ":")
			if !ok || strings.HasPrefix(key, "#") {
				continue
			}
			for w := range strings.SplitSeq(list, ",") {
				all[key] = append(all[key], strings.TrimSpace(w))
			}
		}
	}
	return all
}

// Folder is that of a language; not ok: it does not come with hearthd.
func Folder(name string) (folder fs.FS, ok bool) {
	if info, err := fs.Stat(embedded, name); err != nil || !info.IsDir() {
		return nil, false
	}
	folder, err := fs.Sub(embedded, name)
	return folder, err == nil
}
