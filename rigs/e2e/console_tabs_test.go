package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/coder/websocket"
)

// tabs is how many pages look at once.
const tabs = 20

// look opens a page's connection that wants all there is, and counts what it is sent.
func (k *kitchen) look(ctx context.Context, got *atomic.Int64) {
	k.t.Helper()
	at, token, err := k.Console(ctx)
	check(k.t, err)
	conn, _, err := websocket.Dial(ctx, strings.Replace(at, "http", "ws", 1)+"v1/live", &websocket.DialOptions{
		HTTPHeader: http.Header{"Authorization": {"Bearer " + token}},
	})
	check(k.t, err)
	conn.SetReadLimit(1 << 20)
	check(k.t, conn.Write(ctx, websocket.MessageText, []byte(`{"want":["wave","log"]}`)))
	go func() {
		defer conn.CloseNow()
		for {
			if _, _, err := conn.Read(ctx); err != nil {
				return
			}
			got.Add(1)
		}
	}()
}

func TestTwentyPagesCostTheEarsNothing(t *testing.T) {
	k := newKitchen(t)
	k.begin()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var got atomic.Int64
	for range tabs {
		k.look(ctx, &got)
	}
	k.until("readings", func() bool { return got.Load() > 20*tabs })
	before := k.status()
	k.tellsTime()
	k.until("ten seconds of sound of which nothing is lost", func() bool {
		now := k.status()
		if now.Dropped != before.Dropped { // the machine may stand still for a moment
			before = now
		}
		return now.Frames > before.Frames+500
	})
	cancel() // and when nobody looks, nobody measures
	k.tellsTime()
}

func TestManyTabsOfOneBrowserAllFollow(t *testing.T) {
	k := newKitchen(t)
	k.begin()
	b := openBrowser(t)
	b.open(k, "")
	all := append(b.more(k, 7), b) // a browser keeps six requests to a server open
	k.ask("set a pasta timer for ten minutes")
	for _, tab := range all {
		tab.until("the turn", `[...document.querySelectorAll(".answer")].some((e) => e.textContent.includes("ten minutes"))`)
		tab.content(k)
	}
}

// more opens further tabs all at once, as a browser does that begins where it ended, and
// returns them when all of them follow.
func (b *browser) more(k *kitchen, n int) (all []*browser) {
	b.t.Helper()
	at, _, err := k.Console(b.t.Context())
	check(b.t, err)
	for range n {
		ctx, end := chromedp.NewContext(b.ctx)
		b.t.Cleanup(end)
		tab := &browser{t: b.t, ctx: ctx, hosts: make(map[string]bool)}
		tab.watch()
		all = append(all, tab)
	}
	for _, tab := range all {
		get[bool](tab, fmt.Sprintf(`(setTimeout(() => { location.href = %q; }), true)`, at))
	}
	for _, tab := range all {
		tab.until("the state", `document.getElementById("node")?.textContent === "demo"`)
	}
	return all
}

// BenchmarkPagesThatLook is what the daemon takes of one core, in percent, with
// nobody looking and with 20 pages that are shown the meter, the waveform and the log.
func BenchmarkPagesThatLook(b *testing.B) {
	k := newKitchen(b)
	k.begin()
	<-time.After(settle)
	for _, n := range []int{0, tabs} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			ctx, cancel := context.WithCancel(b.Context())
			defer cancel()
			var got atomic.Int64
			for range n {
				k.look(ctx, &got)
			}
			for b.Loop() {
				used, from, lost := k.used(), time.Now(), k.status().Dropped
				time.Sleep(10 * time.Second)
				b.ReportMetric(100*(k.used()-used).Seconds()/time.Since(from).Seconds(), "%core")
				b.ReportMetric(float64(k.status().Dropped-lost), "samples-lost")
			}
		})
	}
}

// BenchmarkTabsThatLook is what the daemon takes of one core, in percent, and what it
// loses, with no tab of Chromium open and with 20, all of which draw the waveform.
func BenchmarkTabsThatLook(b *testing.B) {
	k := newKitchen(b)
	k.begin()
	tab := openBrowser(b)
	<-time.After(settle)
	for _, n := range []int{0, tabs} {
		if n > 0 {
			tab.open(k, "hearing")
			for _, one := range tab.more(k, n-1) {
				get[string](one, `location.hash = "hearing"`)
			}
		}
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			var lost, frames uint64
			var used, took time.Duration
			for b.Loop() {
				was, spent, from := k.status(), k.used(), time.Now()
				time.Sleep(10 * time.Second)
				now := k.status()
				used, took = used+k.used()-spent, took+time.Since(from)
				lost, frames = lost+now.Dropped-was.Dropped, frames+now.Frames-was.Frames
			}
			b.ReportMetric(100*used.Seconds()/took.Seconds(), "%core")
			b.ReportMetric(float64(lost), "samples-lost")
			b.ReportMetric(float64(frames)/took.Seconds(), "frames/s")
		})
	}
	tab.content(k)
}

// used is the processor time of the daemon.
func (k *kitchen) used() time.Duration {
	k.t.Helper()
	text, err := os.ReadFile("/proc/" + strconv.Itoa(k.Process().Pid) + "/stat")
	check(k.t, err)
	// utime and stime, the 14th and 15th field, in hundredths (proc(5)).
	f := strings.Fields(string(text)[strings.LastIndexByte(string(text), ')')+2:])
	user, err := strconv.Atoi(f[11])
	check(k.t, err)
	system, err := strconv.Atoi(f[12])
	check(k.t, err)
	return time.Duration(user+system) * 10 * time.Millisecond
}

// BenchmarkFirstPaint is how long the page takes from the request to its first paint
// on loopback, in a browser that stands, is idle, and has it in no cache. The second run
// is what the same browser takes for one line of text: its own part.
func BenchmarkFirstPaint(b *testing.B) {
	k := newKitchen(b)
	k.begin()
	tab := openBrowser(b)
	tab.open(k, "") // the session is kept for what follows
	at, _, err := k.Console(b.Context())
	check(b, err)
	b.Run("page", func(b *testing.B) {
		benchmarkPaint(b, tab, at, "")
		tab.until("the state", `document.getElementById("node").textContent === "demo"`)
		b.ReportMetric(get[float64](tab, `performance.getEntriesByType("resource").reduce((n, r) => n + r.encodedBodySize, performance.getEntriesByType("navigation")[0].encodedBodySize)`), "bytes")
	})
	b.Run("one line", func(b *testing.B) { benchmarkPaint(b, tab, at, "session") })
}

func benchmarkPaint(b *testing.B, tab *browser, at, path string) {
	var paint []float64
	for b.Loop() {
		call(tab, network.ClearBrowserCache, cdp.Empty{})
		tab.do(chromedp.Navigate(at + "session")) // the process of the browser is there
		tab.painted()
		promised[bool](tab, `new Promise((done) => requestIdleCallback(() => done(true)))`)
		tab.do(chromedp.Navigate(at + path))
		paint = append(paint, tab.painted())
	}
	slices.Sort(paint)
	b.ReportMetric(paint[0], "ms-to-paint-least")
	b.ReportMetric(paint[len(paint)/2], "ms-to-paint")
}

// painted waits for the first paint, and gives when it was, in ms after the request. The
// page is not asked again and again, which would hold it up.
func (b *browser) painted() float64 {
	b.t.Helper()
	return promised[float64](b, `new Promise((done) => new PerformanceObserver((list) => {
		for (const e of list.getEntriesByName("first-contentful-paint")) done(e.startTime);
	}).observe({type: "paint", buffered: true}))`)
}
