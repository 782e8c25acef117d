package setup

import (
	"hearthd/rigs/ctltest"

	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// newBox is a folder with a configuration, and what a kernel with a USB speakerphone
// and 4 GB says.
func newBox(t *testing.T) (file, root string) {
	t.Helper()
	root = t.TempDir()
	for name, text := range map[string]string{
		"etc/hearthd.yaml": "log: {level: info}\ntools: {weather: {geocoding: \"" + newPlaces(t) + "\"}}\n",
		"proc/meminfo":     "MemFree: 1 kB\nMemTotal:        3884360 kB\n",
		"proc/asound/cards": " 0 [Headphones     ]: bcm2835_headphonbcm2835 Headphones - bcm2835 Headphones\n" +
			"                      bcm2835 Headphones\n" +
			" 1 [SPEAK510       ]: USB-Audio - Jabra SPEAK 510 USB\n                      GN Netcom Jabra\nbroken\n",
		"proc/asound/card0/pcm0p/info": "card: 0\nname: bcm2835 Headphones\n",
		"proc/asound/card1/pcm0p/info": "card: 1\nid: USB Audio\nname: USB Audio\n", "proc/asound/card1/pcm0c/info": "",
		"etc/conf.d/README.txt": "",
	} {
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
			os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(root, "etc/hearthd.yaml"), root
}

// newPlaces is a service that knows every town of Styria but one.
func newPlaces(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		name := r.URL.Query().Get("name")
		if name == "gratz" {
			io.WriteString(w, `{"generationtime_ms":0.5}`)
			return
		}
		fmt.Fprintf(w, `{"results":[{"name":%q,"latitude":47.07,"longitude":15.45,"admin1":"Styria","country":"Austria"}]}`,
			strings.ToUpper(name[:1])+name[1:])
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// newOllama has one model, and another to fetch.
func newOllama(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"models":[{"name":"llama3.2:1b","size":1}]}`)
	})
	mux.HandleFunc("POST /api/pull", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if string(body) != `{"model":"qwen3:1.7b"}` {
			io.WriteString(w, `{"error":"pull model manifest: file does not exist"}`)
			return
		}
		io.WriteString(w, "{\"status\":\"pulling manifest\"}\n{\"status\":\"pulling "+
			"x\",\"total\":2000,\"completed\":500}\n{\"status\":\"success\"}\n")
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// person types on a terminal what a program asks for.
type person struct {
	t    *testing.T
	term *os.File
	read chan string
	rest string // that was not looked at
	all  strings.Builder
}

// sits has a person sit before hearthctl with args.
func sits(t *testing.T, args ...string) *person {
	t.Helper()
	// The end of the terminal ends it; the test's context would be over first.
	cmd := ctltest.Command(context.WithoutCancel(t.Context()), t, args...)
	f, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	p := &person{t: t, term: f, read: make(chan string)}
	go func() {
		defer close(p.read)
		for buf := make([]byte, 4096); ; {
			n, err := f.Read(buf)
			if n > 0 {
				p.read <- string(buf[:n])
			}
			if err != nil {
				return // EIO: the program has ended
			}
		}
	}()
	t.Cleanup(func() {
		if t.Failed() {
			cmd.Process.Kill() // it waits for an answer, and the reader for it
		}
		f.Close()
		for range p.read {
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("hearthctl ended with %v:\n%s", err, p.all.String())
		}
	})
	return p
}

// sees waits until text was printed since the last time.
func (p *person) sees(text string) {
	p.t.Helper()
	for deadline := time.After(time.Minute); ; {
		if _, rest, ok := strings.Cut(p.rest, text); ok {
			p.rest = rest
			return
		}
		select {
		case s, ok := <-p.read:
			p.all.WriteString(s)
			if p.rest += s; !ok {
				p.t.Fatalf("it ended before %q:\n%s", text, p.all.String())
			}
		case <-deadline:
			p.t.Fatalf("%q is not seen:\n%s", text, p.all.String())
		}
	}
}

func (p *person) types(text string) {
	p.t.Helper()
	if _, err := p.term.WriteString(text + "\n"); err != nil {
		p.t.Fatal(err)
	}
}
