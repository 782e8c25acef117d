package wake

import (
	"hearthd/rigs/ctltest"

	"crypto/sha256"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const modelManifest = `{"type":"micro","wake_word":"Hey You","model":"net.tflite","version":2}`

const installedBody = `{"model":"hey_you","name":"Hey You","type":"model","configured":false}`

// shop serves a model. Its fields make it misbehave: set changes them, since hearthctl
// is a process of its own that the race detector does not see between.
type shop struct {
	*httptest.Server
	mu      sync.Mutex
	network string
	sum     string // of net.tflite.sha256; empty: there is none
	cut     int    // bytes after which an answer breaks off; 0: none does
	seen    []string
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{network: strings.Repeat("network ", 5000)}
	s.Server = httptest.NewTLSServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, r.URL.Path)
	var body string
	switch r.URL.Path {
	case "/m/hey_you.json":
		body = modelManifest
	case "/m/net.tflite":
		body = s.network
	case "/m/net.tflite.sha256":
		body = s.sum
	case "/loop":
		http.Redirect(w, r, "/loop?"+r.URL.RawQuery+"x", http.StatusFound)
		return
	case "/away":
		http.Redirect(w, r, "/m/hey_you.json", http.StatusFound)
		return
	}
	if body == "" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Length", fmt.Sprint(len(body)))
	if strings.HasSuffix(r.URL.Path, ".tflite") && s.cut > 0 {
		body = body[:s.cut] // the server then closes the connection
	}
	io.WriteString(w, body)
}

func (s *shop) set(change func(s *shop)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

func (s *shop) asked() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() { s.seen = nil }()
	return strings.Join(s.seen, ", ")
}

// installs runs hearthctl wake install.
func installs(t *testing.T, f *ctltest.Fake, args ...string) ctltest.Outcome {
	t.Helper()
	cmd := ctltest.Command(t.Context(), t, append([]string{"--socket", f.Path, "wake", "install"}, args...)...)
	shop := httptest.NewTLSServer(nil) // whose certificate all of them have
	shop.Close()
	file := filepath.Join(t.TempDir(), "cert.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: shop.Certificate().Raw}),
		0o600); err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(cmd.Env, "SSL_CERT_FILE="+file)
	return ctltest.Finish(t, cmd)
}

func newInstaller(t *testing.T) *ctltest.Fake {
	f := ctltest.NewFake(t)
	f.Answer("/v1/wake/install", 200, installedBody)
	return f
}

func TestModelIsInstalledFromAFile(t *testing.T) {
	f, dir := newInstaller(t), t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("hey_you.json", modelManifest)
	file := filepath.Join(dir, "hey_you.json")
	if o := installs(t, f, file); o.Code != 1 || !strings.Contains(o.Stderr, "net.tflite: no such file") {
		t.Errorf("without the network: %+v", o)
	}
	write("net.tflite", "net")
	installs(t, f, file).Golden(t, "wake_install.txt")
	if got, want := f.Asked(), `POST /v1/wake/install {"name":"hey_you","manifest":`+modelManifest+
		`,"network":"bmV0"}`; got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte("net")))
	write("net.tflite.sha256", strings.ToUpper(sum)+"  net.tflite\n")
	if o := installs(t, f, file, "--name", "you"); o.Code != 0 || !strings.Contains(f.Asked(), `"name":"you"`) {
		t.Errorf("with its checksum: %+v", o)
	}
	for _, c := range []struct{ sum, want string }{
		{strings.Repeat("0", 64), "net.tflite has the SHA-256 " + sum + ", want 0000"},
		{"abc", "is not 64 hexadecimal digits"},
	} {
		if o := installs(t, f, file, "--sha256", c.sum); o.Code != 1 || !strings.Contains(o.Stderr, c.want) ||
			f.Asked() != "" {
			t.Errorf("%s: %+v", c.sum, o)
		}
	}
	write("net.tflite.sha256", "<html>")
	if o := installs(t, f, file); o.Code != 1 || !strings.Contains(o.Stderr, "net.tflite.sha256 holds no SHA-256; "+
		"with --sha256 it is not asked for") {
		t.Errorf("a strange checksum: %+v", o)
	}
	for _, manifest := range []string{"", "{", "{}", `{"model":"../net.tflite"}`, `{"model":"/etc/passwd"}`,
		`{"model":".tflite"}`, `{"model":"a%2fb.tflite"}`, strings.Repeat(" ", maxManifest+1)} {
		write("hey_you.json", manifest)
		if o := installs(t, f, file); o.Code != 1 || f.Asked() != "" {
			t.Errorf("manifest %.40q: %+v", manifest, o)
		}
	}
}

func TestModelIsFetchedOnce(t *testing.T) {
	f, s := newInstaller(t), newShop(t)
	s.set(func(s *shop) { s.sum = fmt.Sprintf("%x *net.tflite", sha256.Sum256([]byte(s.network))) })
	for _, at := range []string{"/m/hey_you.json", "/away"} {
		if o := installs(t, f, s.URL+at, "--name", "hey_you"); at == "/m/hey_you.json" &&
			(o.Code != 0 || o.Stderr != "") {
			t.Errorf("%s: %+v", at, o)
		}
		if got := s.asked(); at == "/m/hey_you.json" && got != "/m/hey_you.json, /m/net.tflite.sha256, /m/net.tflite" {
			t.Errorf("asked %s", got)
		}
	}
}

func TestDownloadThatIsBrokenOffInstallsNothing(t *testing.T) {
	f, s := newInstaller(t), newShop(t)
	s.set(func(s *shop) { s.cut = 9000 })
	o := installs(t, f, s.URL+"/m/hey_you.json")
	if o.Code != 1 || !strings.Contains(o.Stderr, "it ended after 9000 bytes") || f.Asked() != "" {
		t.Errorf("%+v", o)
	}
}

func TestDownloadsThatAreWrongAreRefused(t *testing.T) {
	f, s := newInstaller(t), newShop(t)
	fails := func(want string, args ...string) {
		t.Helper()
		if o := installs(t, f, args...); o.Code != 1 || !strings.Contains(o.Stderr, want) || o.Stdout != "" {
			t.Errorf("%q: %+v, want %q", args, o, want)
		}
		if got := f.Asked(); got != "" {
			t.Errorf("%q reached hearthd: %.80s", args, got)
		}
	}
	fails("more than 5 redirects", s.URL+"/loop")
	fails("404 Not Found", s.URL+"/none.json")
	fails("is no http or https URL", "ftp://127.0.0.1/a.json")
	fails("is no http or https URL", "http://")
	fails("connection refused", "https://127.0.0.1:1/a.json")
	s.set(func(s *shop) { s.sum = strings.Repeat("0", 64) })
	fails("want 0000", s.URL+"/m/hey_you.json")
	// A server that answers what it has not with a page, as many do.
	s.set(func(s *shop) { s.sum = "<!DOCTYPE html>" + strings.Repeat("<p>Not found.</p>", maxChecksum/10) })
	fails("the limit is 4096; with --sha256 it is not asked for", s.URL+"/m/hey_you.json")
	s.set(func(s *shop) { s.sum, s.network = "", strings.Repeat("x", maxNetwork+1) })
	fails("the limit is 4194304", s.URL+"/m/hey_you.json")
	f.Answer("/v1/wake/install", 409, `{"error":"read wake word network: want [1 rows 40]"}`)
	s.set(func(s *shop) { s.network = "net" })
	if o := installs(t, f, s.URL+"/m/hey_you.json"); o.Code != 1 || o.Stderr != "hearthctl: read wake word network: "+
		"want [1 rows 40]\n" {
		t.Errorf("refused by hearthd: %+v", o)
	}
}

func TestRedirectToAPlaceThatIsLessSafeIsRefused(t *testing.T) {
	get := func(url string) *http.Request { return httptest.NewRequest(http.MethodGet, url, nil) }
	via := []*http.Request{get("https://a/x")}
	if err := checkRedirect(get("http://a/x"), via); err == nil {
		t.Error("from https to http")
	}
	if err := checkRedirect(get("https://b/x"), via); err != nil {
		t.Error(err)
	}
	for _, way := range [][]*http.Request{{get("http://a/x")}, {get("http://a/x"), get("https://a/x")}} {
		if err := checkRedirect(get("http://b/x"), way); err == nil {
			t.Errorf("after %d others to http", len(way))
		}
	}
}

// The checksum that a server gives beside its file says nothing when anybody on the way can
// change both.
func TestPlainHTTPWantsAChecksumFromThePerson(t *testing.T) {
	f := newInstaller(t)
	s := &shop{network: "net", sum: fmt.Sprintf("%x", sha256.Sum256([]byte("net")))}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	if o := installs(t, f, s.URL+"/m/hey_you.json"); o.Code != 1 || !strings.Contains(o.Stderr, "--sha256") ||
		s.asked() != "" || f.Asked() != "" {
		t.Errorf("%+v, asked %s", o, s.asked())
	}
	if o := installs(t, f, strings.Replace(s.URL, "http", "HTTP", 1)+"/m/hey_you.json"); o.Code != 1 ||
		s.asked() != "" {
		t.Errorf("in upper case: %+v", o)
	}
	if o := installs(t, f, s.URL+"/m/hey_you.json", "--sha256", s.sum); o.Code != 0 {
		t.Errorf("%+v", o)
	}
	s.asked()
	if o := installs(t, f, s.URL+"/away", "--sha256", s.sum); o.Code != 1 || !strings.Contains(o.Stderr, "not https") {
		t.Errorf("%+v", o)
	}
}
