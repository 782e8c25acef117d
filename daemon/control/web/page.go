package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"net/http"
	"path"
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
}

func (p *page) routes(mux *http.ServeMux) {
	entries, err := static.ReadDir("static")
	if err != nil {
		panic(err) // it is embedded
	}
	for _, e := range entries {
		pattern := "GET /" + e.Name()
		if e.Name() == "index.html" {
			pattern = "GET /{$}"
		}
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { p.serve(w, r, e.Name()) })
	}
}

func (p *page) serve(w http.ResponseWriter, r *http.Request, name string) {
	data, err := static.ReadFile("static/" + name)
	if err != nil {
		http.NotFound(w, r)
		return
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
