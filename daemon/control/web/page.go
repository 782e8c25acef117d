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

// kind is the type of one of the page's files.
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

// page serves the embedded files. A browser asks each time whether they are new.
type page struct {
	mu    sync.Mutex
	etags map[string]string // by name, made when first asked for
	index []byte            // made when first asked for
	style string            // what the policy calls the style in index
}

// sheet is what the document has in the place of its style.
const sheet = `<link rel="stylesheet" href="/style.css">`

// first is the document with its style inside, so that nothing else has to be fetched
// before it is painted, and that style as a content security policy names it (CSP 3,
// 2.3.1).
func (p *page) first() (index []byte, style string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.index == nil {
		css, html := embedded("style.css"), embedded("index.html")
		sum := sha256.Sum256(css)
		p.style = "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
		p.index = bytes.Replace(html, []byte(sheet), slices.Concat([]byte("<style>"), css, []byte("</style>")), 1)
	}
	return p.index, p.style
}

func embedded(name string) []byte {
	data, err := static.ReadFile("static/" + name)
	if err != nil {
		panic(err) // the routes are made of what is there
	}
	return data
}

func (p *page) routes(mux *http.ServeMux) {
	entries, err := static.ReadDir("static")
	if err != nil {
		panic(err) // it is embedded
	}
	for _, e := range entries {
		pattern := "GET /" + e.Name()
		switch e.Name() {
		case "index.html":
			pattern = "GET /{$}"
		case "style.css":
			continue // it is in the document
		}
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { p.serve(w, r, e.Name()) })
	}
}

func (p *page) serve(w http.ResponseWriter, r *http.Request, name string) {
	data := embedded(name)
	if name == "index.html" {
		var style string
		data, style = p.first()
		w.Header().Set("Content-Security-Policy", strings.Replace(policy, "style-src 'none'", "style-src "+style, 1))
	}
	w.Header().Set("Content-Type", kind(name))
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("ETag", p.etag(name, data))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

func (p *page) etag(name string, data []byte) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	tag, ok := p.etags[name]
	if !ok {
		sum := sha256.Sum256(data)
		tag = `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
		if p.etags == nil {
			p.etags = make(map[string]string)
		}
		p.etags[name] = tag
	}
	return tag
}
