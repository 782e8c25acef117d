package web

import (
	"crypto/sha256"
	"encoding/base64"
	"io/fs"
	"regexp"
	"strings"
	"testing"
)

// maxPage is what the whole page may weigh (issue 9).
const maxPage = 150_000 // bytes

func TestPageIsSmallAndAsksNobodyElse(t *testing.T) {
	total := 0
	foreign := regexp.MustCompile(`(?i)(src|href|url\(|@import|import)\s*[=(]?\s*["']?(https?:)?//`)
	markup := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|createContextualFragment`)
	err := fs.WalkDir(static, "static", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := static.ReadFile(p)
		if err != nil {
			return err
		}
		total += len(data)
		if m := foreign.Find(data); m != nil {
			t.Errorf("%s: %s", p, m)
		}
		if m := markup.Find(data); m != nil {
			t.Errorf("%s makes markup of text: %s", p, m)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if total > maxPage || total < 1000 {
		t.Errorf("the page has %d bytes, want at most %d", total, maxPage)
	}
}

func TestPageStandsWithoutInlineScriptsAndStyles(t *testing.T) {
	data, err := static.ReadFile("static/index.html")
	if err != nil {
		t.Fatal(err)
	}
	inline := regexp.MustCompile(`(?i)<style|\sstyle=|\son[a-z]+=|<script(?:[^>]*[^>c])?>[^<]|javascript:`)
	if m := inline.Find(data); m != nil {
		t.Errorf("index.html has %q", m)
	}
}

func TestDocumentNeedsNothingElseToBePainted(t *testing.T) {
	s := newServer(t, Options{})
	w := ask(s, "GET", "/", "")
	before, after, ok := strings.Cut(w.Body.String(), "<style>")
	css, _, closed := strings.Cut(after, "</style>")
	if !ok || !closed || strings.Contains(before, "<script") && !strings.Contains(before, `type="module"`) ||
		strings.Contains(w.Body.String(), "stylesheet") {
		t.Error("something is fetched before the paint")
	}
	sum := sha256.Sum256([]byte(css))
	want := "style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "';"
	if csp := w.Header().Get("Content-Security-Policy"); !strings.Contains(csp, want) ||
		strings.Contains(csp, "unsafe") {
		t.Errorf("policy %q lacks %q", csp, want)
	}
}

func TestBrowserIsToldThatThePageHasNotChanged(t *testing.T) {
	s := newServer(t, Options{})
	first := ask(s, "GET", "/app.js", "")
	tag := first.Header().Get("ETag")
	if first.Code != 200 || tag == "" || first.Header().Get("Content-Type") != "text/javascript; charset=utf-8" {
		t.Fatalf("%d %v", first.Code, first.Header())
	}
	again := ask(s, "GET", "/app.js", "", "If-None-Match: "+tag)
	if again.Code != 304 || again.Body.Len() != 0 {
		t.Errorf("asked again: %d, %d bytes", again.Code, again.Body.Len())
	}
	for _, want := range []string{"default-src 'none'", "script-src 'self';", "style-src 'none';",
		"frame-ancestors 'none'", "require-trusted-types-for"} {
		if csp := again.Header().Get("Content-Security-Policy"); !strings.Contains(csp, want) ||
			strings.Contains(csp, "unsafe") {
			t.Errorf("policy %q lacks %q", csp, want)
		}
	}
}
