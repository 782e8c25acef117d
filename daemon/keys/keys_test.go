package keys

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// recorded writes events as the kernel does, with a time of two words of size/2-4
// bytes.
func recorded(size int, events ...event) []byte {
	var out []byte
	for _, e := range events {
		out = append(out, bytes.Repeat([]byte{0xaa}, size-8)...)
		out = binary.NativeEndian.AppendUint16(out, e.Type)
		out = binary.NativeEndian.AppendUint16(out, e.Code)
		out = binary.NativeEndian.AppendUint32(out, uint32(e.Value))
	}
	return out
}

func TestRecordedEventsAreReadOnBothSizesOfWords(t *testing.T) {
	want := []event{{1, 115, 1}, {0, 0, 0}, {1, 115, 2}, {4, 4, -1}, {1, 115, 0}}
	for _, size := range []int{16, 24} {
		// In pieces that end within events, as no kernel gives them.
		for _, r := range []io.Reader{
			bytes.NewReader(recorded(size, want...)), iotest.OneByteReader(bytes.NewReader(recorded(size, want...))),
			bytes.NewReader(append(recorded(size, want...), 1, 2, 3)),
		} {
			var got []event
			if err := readEvents(r, size, func(e event) { got = append(got, e) }); !errors.Is(err, io.EOF) {
				t.Errorf("it ends with %v", err)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%d bytes (-want +got):\n%s", size, d)
			}
		}
	}
	if eventSize != 24 && eventSize != 16 {
		t.Errorf("an event has %d bytes here", eventSize)
	}
}

func FuzzEvents(f *testing.F) {
	f.Add(recorded(24, event{1, 115, 1}))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, size := range []int{16, 24} {
			n := 0
			if err := readEvents(bytes.NewReader(data), size, func(event) { n++ }); !errors.Is(err, io.EOF) ||
				n != len(data)/size {
				t.Errorf("%d events of %d bytes: %d, %v", n, len(data), size, err)
			}
		}
	})
}

func TestBitmapsOfSysfsAreReadOnBothSizesOfWords(t *testing.T) {
	for _, c := range []struct {
		text string
		size int
	}{{"40 0 0 0 c000000000000 0", 64}, {"40 0 0 0 0 0 0 0 c0000 0 0 0", 32}} {
		bits, err := parseBits(c.text, c.size)
		if err != nil {
			t.Fatal(err)
		}
		d := device{codes: bits}
		var got []uint16
		for code := range uint16(0x300) {
			if d.has(code) {
				got = append(got, code)
			}
		}
		want := []uint16{114, 115, 326}
		if c.size == 32 {
			want = []uint16{114, 115, 358}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q has %v", c.text, got)
		}
	}
	for _, text := range []string{"x", "1ffffffffffffffff", "-1"} {
		if bits, err := parseBits(text, 64); err == nil {
			t.Errorf("%q is %v", text, bits)
		}
	}
}

func FuzzBits(f *testing.F) {
	f.Add("40 0 c")
	f.Fuzz(func(t *testing.T, text string) {
		for _, size := range []int{32, 64} {
			if bits, err := parseBits(text, size); err == nil && len(bits) > len(text) {
				t.Errorf("%d words of %q", len(bits), text)
			}
		}
	})
}

// house is a tree as the kernel shows it, with pipes for devices.
type house struct {
	t    *testing.T
	root string
	did  chan string
}

func newHouse(t *testing.T) *house {
	h := &house{t: t, root: t.TempDir(), did: make(chan string, 100)}
	if err := os.MkdirAll(filepath.Join(h.root, "dev/input"), 0o755); err != nil {
		t.Fatal(err)
	}
	return h
}

// plug adds a device and gives the end that its keys are written to.
func (h *house) plug(node, name, bits string) *os.File {
	h.t.Helper()
	dir := filepath.Join(h.root, "sys/class/input", node, "device")
	path := filepath.Join(h.root, "dev/input", node)
	err := errors.Join(os.MkdirAll(filepath.Join(dir, "capabilities"), 0o755),
		os.WriteFile(filepath.Join(dir, "name"), []byte(name+"\n"), 0o644),
		os.WriteFile(filepath.Join(dir, "capabilities/key"), []byte(bits+"\n"), 0o644),
		unix.Mkfifo(path, 0o600))
	if err != nil {
		h.t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { f.Close() })
	return f
}

func (h *house) options() Options {
	return Options{
		root: h.root, Devices: []string{auto}, Actions: map[uint16]string{114: "volume_down", 115: "volume_up",
			164: "listen"},
		Do:  func(_ context.Context, action string) error { h.did <- action; return nil },
		Log: slog.New(slog.NewTextHandler(h.t.Output(), nil)),
	}
}

// runs runs keys until the function that it gives is called.
func (h *house) runs(o Options) (stop func()) {
	h.t.Helper()
	k, err := New(o)
	if err != nil {
		h.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(h.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- k.Run(ctx) }()
	return func() {
		cancel()
		if err := <-ended; err != nil {
			h.t.Error(err)
		}
	}
}

// next is what a key did.
func (h *house) next() string {
	h.t.Helper()
	select {
	case a := <-h.did:
		return a
	case <-time.After(time.Minute):
		h.t.Fatal("no key did anything")
		return ""
	}
}

func press(t *testing.T, f *os.File, events ...event) {
	t.Helper()
	if _, err := f.Write(recorded(eventSize, events...)); err != nil {
		t.Fatal(err)
	}
}

// speakerphone has KEY_VOLUMEDOWN, KEY_VOLUMEUP and KEY_PLAYPAUSE, keyboard all below
// 192.
const (
	speakerphone = "1000000000 c000000000000 0"
	keyboard     = "ffffffffffffffff ffffffffffffffff ffffffffffffffff"
)

func TestKeysOfASpeakerphoneDoWhatTheySay(t *testing.T) {
	h := newHouse(t)
	phone := h.plug("event3", "Jabra SPEAK 510", speakerphone)
	typed := h.plug("event4", "Keyboard", keyboard)
	h.plug("event5", "Lid Switch", "0")
	stop := h.runs(h.options())
	press(t, typed, event{1, 115, 1}) // nobody reads it
	press(t, phone, event{1, 115, 1}, event{0, 0, 0}, event{1, 115, 2}, event{1, 115, 0}, event{1, 164, 1},
		event{1, 164, 2}, event{1, 30, 1}, event{4, 164, 1}, event{1, 114, 1})
	var got []string
	for range 4 {
		got = append(got, h.next())
	}
	if d := cmp.Diff([]string{"volume_up", "volume_up", "listen", "volume_down"}, got); d != "" {
		t.Error(d)
	}
	stop()
	if len(h.did) > 0 {
		t.Errorf("a keyboard did %s", <-h.did)
	}
}

func TestDeviceThatIsNamedIsReadWhateverItIs(t *testing.T) {
	h := newHouse(t)
	f := h.plug("event0", "USB Keyboard", keyboard)
	o := h.options()
	o.Devices = []string{"usb key"}
	defer h.runs(o)()
	press(t, f, event{1, 164, 1})
	if got := h.next(); got != "listen" {
		t.Error(got)
	}
}

func TestDevicesComeAndGo(t *testing.T) {
	h := newHouse(t)
	k, err := New(h.options())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	k.wg.Go(func() { k.work(ctx) })
	k.scan(ctx)
	f := h.plug("event0", "Button", speakerphone)
	for range 2 { // gone and back under the same name
		k.scan(ctx)
		press(t, f, event{1, 164, 1})
		if got := h.next(); got != "listen" {
			t.Error(got)
		}
		// All writers close, and the reader meets the end.
		f.Close()
		for open := true; open; {
			k.mu.Lock()
			open = k.open["event0"]
			k.mu.Unlock()
		}
		if err := os.Remove(filepath.Join(h.root, "dev/input/event0")); err != nil {
			t.Fatal(err)
		}
		f = h.plug("event0", "Button", speakerphone)
	}
	cancel()
	k.wg.Wait()
}

func TestKeysThatWaitForASlowOneAreBounded(t *testing.T) {
	h := newHouse(t)
	o := h.options()
	gate, calls := make(chan struct{}), 0
	o.Do = func(ctx context.Context, _ string) error {
		calls++
		<-gate
		return nil
	}
	k, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		k.event(event{1, 164, 1})
	}
	if n := len(k.pressed); n != ahead {
		t.Errorf("%d wait", n)
	}
	close(gate)
}

// What takes keys from a real device is tried in packaging/vm.
func TestDeviceWhoseKeysCannotBeTakenIsNotShared(t *testing.T) {
	h := newHouse(t)
	h.plug("event0", "Button", speakerphone) // a pipe, which has no keys to take
	var out bytes.Buffer
	o := h.options()
	o.Log, o.Grab = slog.New(slog.NewTextHandler(&out, nil)), true
	k, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	k.scan(t.Context())
	if len(k.open) != 0 || !strings.Contains(out.String(), "grab: inappropriate ioctl") {
		t.Errorf("open %v, told %s", k.open, out.String())
	}
}

func TestDeviceThatCannotBeOpenedIsToldOnce(t *testing.T) {
	h := newHouse(t)
	h.plug("event0", "Button", speakerphone)
	node := filepath.Join(h.root, "dev/input/event0")
	if err := errors.Join(os.Remove(node), os.Symlink("nowhere", node)); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	o := h.options()
	o.Log = slog.New(slog.NewTextHandler(&out, nil))
	k, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		k.scan(t.Context())
	}
	if n := strings.Count(out.String(), "cannot be read"); n != 1 {
		t.Errorf("told %d times:\n%s", n, out.String())
	}
	if _, err := New(Options{}); err == nil {
		t.Error("keys without anything to do are made")
	}
}
