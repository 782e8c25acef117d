package e2e

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/log"
	domcount "github.com/chromedp/cdproto/memory"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browser is a real one with one tab, which writes down what it asks for and what it
// complains about.
type browser struct {
	t    testing.TB
	ctx  context.Context // of the tab; chromedp takes it with each call
	node string          // of the daemon; empty: demo

	mu         sync.Mutex
	hosts      map[string]bool // that were asked
	complaints []string
	ignore     []string // parts of complaints that the test means to cause
}

// openBrowser starts Debian's Chromium, or skips the test where there is none.
func openBrowser(t testing.TB, flags ...chromedp.ExecAllocatorOption) *browser {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		t.Skip("there is no Chromium; packaging/deps.sh test installs it")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.WindowSize(1280, 900))
	alloc, endAll := chromedp.NewExecAllocator(t.Context(), append(options, flags...)...)
	ctx, end := chromedp.NewContext(alloc)
	b := &browser{t: t, ctx: ctx, hosts: make(map[string]bool)}
	t.Cleanup(func() {
		end()
		endAll()
	})
	b.watch()
	return b
}

// watch writes down what the tab does.
func (b *browser) watch() {
	b.t.Helper()
	check(b.t, chromedp.Listen(b.ctx, func(e any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch e := e.(type) {
		case *network.EventRequestWillBeSent:
			if u, err := url.Parse(e.Request.URL); err == nil && u.Host != "" {
				b.hosts[u.Host] = true
			}
		case *network.EventWebSocketCreated:
			if u, err := url.Parse(e.URL); err == nil {
				b.hosts[u.Host] = true
			}
		case *runtime.EventExceptionThrown:
			text := e.ExceptionDetails.Text
			if x := e.ExceptionDetails.Exception; x != nil {
				text += " " + x.Description
			}
			b.complaints = append(b.complaints, text)
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
				b.complaints = append(b.complaints, fmt.Sprintf("console.%s %v", e.Type, texts(e.Args)))
			}
		case *log.EventEntryAdded:
			if e.Entry.Level == log.EntryLevelError {
				b.complaints = append(b.complaints, e.Entry.Text+" "+e.Entry.URL)
			}
		}
	}))
	call(b, network.Enable, network.EnableParams{})
	call(b, runtime.Enable, cdp.Empty{})
	call(b, log.Enable, cdp.Empty{})
}

// call gives the browser a command of its protocol.
func call[P, R any](b *browser, cmd cdp.Command[P, R], params P) R {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	r, err := chromedp.Call(ctx, cmd, params)
	if err != nil {
		b.failed(err)
	}
	return r
}

// do does something in the tab.
func (b *browser) do(what ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, what...); err != nil {
		b.failed(err)
	}
}

// failed ends the test, with what the page showed.
func (b *browser) failed(err error) {
	b.t.Helper()
	page, perr := chromedp.Run(b.ctx, chromedp.Evaluate[string](`document.body.innerText`))
	if perr != nil {
		page = perr.Error()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.t.Fatalf("browser: %v\n%s\n%s", err, strings.Join(b.complaints, "\n"), page)
}

// get evaluates a JavaScript expression.
func get[T any](b *browser, js string) T {
	b.t.Helper()
	return evaluate[T](b, js)
}

// promised evaluates an expression that promises its value.
func promised[T any](b *browser, js string) T {
	b.t.Helper()
	return evaluate[T](b, js, chromedp.EvalAwaitPromise)
}

func evaluate[T any](b *browser, js string, how ...chromedp.EvaluateOption) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](js, how...))
	if err != nil {
		b.failed(fmt.Errorf("%s: %w", js, err))
	}
	return v
}

// until waits for a JavaScript expression to be true.
func (b *browser) until(what, js string) {
	b.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); time.Now().Before(end); <-tick.C {
		if get[bool](b, "Boolean("+js+")") {
			return
		}
	}
	b.failed(fmt.Errorf("the page never showed %s", what))
}

// click presses the first element that css selects. The page may grow while the pointer
// is on its way, which then presses beside it: again.
func (b *browser) click(css string) {
	b.t.Helper()
	e := `document.querySelector(` + strconv.Quote(css) + `)`
	ready := e + `?.checkVisibility() && !` + e + `.disabled`
	b.until(css, ready)
	get[bool](b, `((e) => { window.pressed = false; e.addEventListener("click", () => { window.pressed = true; }, { capture: true, once: true }); return true; })(`+e+`)`)
	for range 5 {
		b.do(chromedp.Click(chromedp.CSS(css), chromedp.NodeVisible))
		if get[bool](b, `window.pressed`) {
			return
		}
		b.until(css, ready)
	}
	b.failed(fmt.Errorf("a press of %s always misses it", css))
}

// size makes the window as large as a screen, in CSS pixels.
func (b *browser) size(width, height int64, dark bool) {
	b.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 600})
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
}

// open goes to the console of k and waits until it follows.
func (b *browser) open(k *kitchen, part string) {
	b.t.Helper()
	at, token, err := k.Console(b.t.Context())
	check(b.t, err)
	b.do(chromedp.Navigate(at + "#token=" + token))
	b.until("the state", `document.getElementById("node").textContent === "`+cmp.Or(b.node, "demo")+`"`)
	if part != "" {
		get[string](b, `location.hash = "`+part+`"`)
	}
}

// content checks that the tab has asked nobody but the console, and did not complain.
func (b *browser) content(k *kitchen) {
	b.t.Helper()
	at, _, err := k.Console(b.t.Context())
	check(b.t, err)
	u, err := url.Parse(at)
	check(b.t, err)
	b.mu.Lock()
	defer b.mu.Unlock()
	for h := range b.hosts {
		if h != u.Host {
			b.t.Errorf("the page asked %s", h)
		}
	}
	if len(b.hosts) == 0 {
		b.t.Error("no request was seen: the test does not look")
	}
next:
	for _, c := range b.complaints {
		for _, i := range b.ignore {
			if strings.Contains(c, i) {
				continue next
			}
		}
		b.t.Errorf("the browser complains: %s", c)
	}
}

// texts are what was given to a call of the console.
func texts(list []*runtime.RemoteObject) (all []string) {
	for _, o := range list {
		all = append(all, string(o.Value)+o.Description)
	}
	return all
}

// beforeEachPage runs a script before those of the page.
func (b *browser) beforeEachPage(js string) {
	b.t.Helper()
	call(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: js})
}

// memory is what the page holds after its garbage is collected: bytes of JavaScript,
// and nodes of documents.
func (b *browser) holds() (bytes, nodes int) {
	b.t.Helper()
	for range 3 { // what is only reachable from what was just collected goes later
		call(b, heapprofiler.CollectGarbage, cdp.Empty{})
	}
	return int(call(b, runtime.GetHeapUsage, cdp.Empty{}).UsedSize), int(call(b, domcount.GetDOMCounters, cdp.Empty{}).Nodes)
}
