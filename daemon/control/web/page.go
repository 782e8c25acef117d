package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

//go:embed static
var static embed.FS

// kind is the media type of one of the page's files.
func kind(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return "application/json"
}

// file is one of the page's files, ready to be served.
type file struct {
	data               []byte
	kind, etag, policy string
}

// sheet is the link to the style in the document, in whose place the style itself is put.
const sheet = `<link rel="stylesheet" href="/style.css">`

// pageFiles are the embedded files by name, prepared when the first one is asked for. The
// document has its style inside, so that nothing else has to be fetched before it is
// painted, and its policy allows just that style (CSP 3, 2.3.1).
var pageFiles = sync.OnceValue(func() map[string]file {
	all := make(map[string]file)
	css := embedded("style.css")
	for _, name := range names() {
		f := file{data: embedded(name), kind: kind(name), policy: policy}
		if name == "index.html" {
			sum := sha256.Sum256(css)
			style := "style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
			f.policy = strings.Replace(policy, "style-src 'none'", style, 1)
			f.data = bytes.Replace(f.data, []byte(sheet), slices.Concat([]byte("<style>"), css, []byte("</style>")), 1)
		}
		sum := sha256.Sum256(f.data)
		f.etag = `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
		all[name] = f
	}
	return all
})

// names are the files of the page, without the style, which is in the document.
func names() []string {
	entries, err := static.ReadDir("static")
	if err != nil {
		panic(err) // it is embedded
	}
	var list []string
	for _, e := range entries {
		if e.Name() != "style.css" {
			list = append(list, e.Name())
		}
	}
	return list
}

func embedded(name string) []byte {
	data, err := static.ReadFile("static/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	return data
}

// routePage serves the files. A browser asks each time whether they have changed.
func routePage(mux *http.ServeMux) {
	for _, name := range names() {
		pattern := "GET /" + name
		if name == "index.html" {
			pattern = "GET /{$}"
		}
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			f := pageFiles()[name]
			w.Header().Set("Content-Security-Policy", f.policy)
			w.Header().Set("Content-Type", f.kind)
			w.Header().Set("Cache-Control", "no-cache")
			w.Header().Set("ETag", f.etag)
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.data))
		})
	}
}
