// Package language holds the languages that come with hearthd: a folder of data each, and no
// Go. The files of a folder are the rules of what people say, which tools/intent reads; those
// of its folder answers are what is said to them, which tools/phrase reads.
package language

import (
	"embed"
	"io/fs"
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

// Folder is that of a language; not ok: it does not come with hearthd.
func Folder(name string) (folder fs.FS, ok bool) {
	if info, err := fs.Stat(embedded, name); err != nil || !info.IsDir() {
		return nil, false
	}
	folder, err := fs.Sub(embedded, name)
	return folder, err == nil
}
