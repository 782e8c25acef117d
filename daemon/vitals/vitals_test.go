package vitals

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func zone(t *testing.T, dir, name, kind, temp string) {
	t.Helper()
	z := filepath.Join(dir, name)
	if err := os.Mkdir(z, 0o700); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{"type": kind, "temp": temp} {
		if err := os.WriteFile(filepath.Join(z, file), []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestThermometerIsThatOfTheProcessor(t *testing.T) {
	dir := t.TempDir()
	if f := thermometer(dir); f != "" {
		t.Errorf("there is none, but %s", f)
	}
	zone(t, dir, "thermal_zone0", "acpitz", "junk")
	zone(t, dir, "thermal_zone1", "battery", "30000")
	if f := thermometer(dir); f != filepath.Join(dir, "thermal_zone1", "temp") {
		t.Errorf("of one that can be read: %s", f)
	}
	zone(t, dir, "thermal_zone2", "cpu-thermal", "48312")
	m := &Meter{thermometer: thermometer(dir)}
	if c, ok := m.Temperature(); !ok || c != 48.312 {
		t.Errorf("%v %v", c, ok)
	}
	if c, ok := new(Meter).Temperature(); ok {
		t.Errorf("no thermometer shows %v", c)
	}
}

func TestProcessIsMeasured(t *testing.T) {
	m := New()
	if n := m.Memory(); n < 1<<20 || n > 1<<32 {
		t.Errorf("%d bytes are resident", n)
	}
	for begun := processorTime(); processorTime()-begun < 20*time.Millisecond; {
	}
	if p := m.Processor(); p <= 0 {
		t.Errorf("%v %% were used", p)
	}
}
