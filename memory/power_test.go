package memory

import (
	"bufio"
	"encoding/hex"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// sector is what a disk writes as a whole, in bytes.
const sector = 512

// TestConfirmedSurvivesPowerCut watches the system calls of a writer and cuts the power
// after 30 of them chosen at random, or, with HEARTHD_TEST_FULL=1, after 1500: a file
// then holds what was synced, and of what was written since any of its sectors; a
// folder holds the names that it had when it was synced. It is stricter than any file
// system.
func TestConfirmedSurvivesPowerCut(t *testing.T) {
	cuts, lines := 30, 100
	if os.Getenv("HEARTHD_TEST_FULL") != "" {
		cuts, lines = 1500, 1500
	}
	dir := t.TempDir()
	trace := traced(t, filepath.Join(dir, "hearthd.db"), lines)
	at := make(map[int]bool)
	for range cuts {
		at[rand.IntN(len(trace))] = true
	}
	d := newDisk(dir)
	var confirmed []string
	for i, call := range trace {
		if said := d.apply(t, call); said != "" {
			confirmed = append(confirmed, said)
		}
		if !at[i] {
			continue
		}
		path := filepath.Join(t.TempDir(), "hearthd.db")
		d.cut(t, filepath.Dir(path))
		stored := everything(t, path)
		for _, line := range confirmed {
			if !stored[line] {
				t.Fatalf("after call %d, %.80s: %q was confirmed and is gone", i, call, line)
			}
		}
	}
	if len(confirmed) < lines {
		t.Errorf("%d confirmed writes in the trace", len(confirmed))
	}
	t.Logf("%d confirmed writes in %d calls, %d cuts", len(confirmed), len(trace), len(at))
}

// traced gives the calls of a writer that confirms so many lines, each as strace
// prints it with all strings in hexadecimal.
func traced(t *testing.T, path string, lines int) []string {
	t.Helper()
	program, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	if err := exec.CommandContext(t.Context(), program, "-o", os.DevNull, "true").Run(); err != nil {
		t.Skip("processes cannot be traced here: ", err)
	}
	file := filepath.Join(t.TempDir(), "trace")
	cmd := exec.CommandContext(t.Context(), program, "-f", "-xx", "-s", "4194304", "-o", file,
		"-e", "trace=?open,openat,close,write,pwrite64,ftruncate,fsync,fdatasync,?rename,renameat,?unlink,unlinkat",
		"-e", "signal=none", os.Args[0])
	cmd.Env = append(os.Environ(), writerEnv+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewScanner(out)
	for range lines {
		if !in.Scan() {
			t.Fatal("the writer ended by itself")
		}
	}
	out.Close() // of which it dies
	if err := cmd.Wait(); err == nil {
		t.Fatal("the writer ended by itself")
	}
	return calls(t, file)
}

// calls joins what strace parted because another thread came between.
func calls(t *testing.T, file string) (list []string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	begun := make(map[string]string)
	resumed := regexp.MustCompile(`^<\.\.\. \w+ resumed>`)
	for in := bufio.NewReader(f); ; {
		line, err := in.ReadString('\n')
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		thread, call, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		call = strings.TrimLeft(call, " ")
		if head, parted := strings.CutSuffix(call, "<unfinished ...>"); parted {
			begun[thread] = head
			continue
		}
		if tail := resumed.FindString(call); tail != "" {
			call = begun[thread] + call[len(tail):]
		}
		list = append(list, call)
	}
}

// disk is what a folder holds, and what of it has reached the disk.
type disk struct {
	dir         string
	open        map[string]*content // by file descriptor
	names, safe map[string]*content // of files, by path
}

type content struct {
	folder     bool
	now, safe  []byte
	unfinished []extent
}

type extent struct {
	at   int64 // -1: the length is that of data
	data []byte
}

func newDisk(dir string) *disk {
	return &disk{dir: dir, open: make(map[string]*content), names: make(map[string]*content),
		safe: make(map[string]*content)}
}

var (
	callForm   = regexp.MustCompile(`^(\w+)\((.*)\)\s+= (-?\d+)`)
	stringForm = regexp.MustCompile(`"((?:\\x[0-9a-f]{2})*)"`)
)

// apply does what a call did, and gives what it said on standard output.
func (d *disk) apply(t *testing.T, call string) (said string) {
	t.Helper()
	m := callForm.FindStringSubmatch(call)
	if m == nil || strings.HasPrefix(m[3], "-") {
		return ""
	}
	var texts []string
	for _, s := range stringForm.FindAllStringSubmatch(m[2], -1) {
		raw, err := hex.DecodeString(strings.ReplaceAll(s[1], `\x`, ""))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(raw))
	}
	args := strings.Split(stringForm.ReplaceAllString(m[2], ""), ", ")
	f := d.open[args[0]]
	switch m[1] {
	case "open", "openat":
		d.opened(texts[0], m[3])
	case "close":
		delete(d.open, args[0])
	case "write":
		if args[0] == "1" {
			return strings.TrimSpace(texts[0])
		}
		if f != nil {
			t.Fatalf("a write to a place that is not traced: %.80s", call)
		}
	case "pwrite64":
		if f != nil {
			at, err := strconv.ParseInt(args[len(args)-1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			f.change(extent{at, []byte(texts[0])})
		}
	case "ftruncate":
		if f != nil {
			size, err := strconv.ParseInt(args[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			f.change(extent{-1, make([]byte, size)})
		}
	case "fsync", "fdatasync":
		if f != nil && f.folder {
			d.safe = maps.Clone(d.names)
		} else if f != nil {
			f.safe, f.unfinished = append([]byte(nil), f.now...), nil
		}
	case "rename", "renameat":
		if f := d.names[texts[0]]; f != nil {
			delete(d.names, texts[0])
			d.names[texts[1]] = f
		}
	case "unlink", "unlinkat":
		delete(d.names, texts[0])
	}
	return ""
}

func (d *disk) opened(path, fd string) {
	switch {
	case path == d.dir:
		d.open[fd] = &content{folder: true}
	case filepath.Dir(path) == d.dir:
		if d.names[path] == nil {
			d.names[path] = &content{}
		}
		d.open[fd] = d.names[path]
	default:
		delete(d.open, fd)
	}
}

func (c *content) change(e extent) {
	c.now = e.on(c.now)
	c.unfinished = append(c.unfinished, e)
}

func (e extent) on(data []byte) []byte {
	if e.at < 0 {
		return append(data, e.data...)[:len(e.data)]
	}
	if end := e.at + int64(len(e.data)); int64(len(data)) < end {
		data = append(data, make([]byte, end-int64(len(data)))...)
	}
	copy(data[e.at:], e.data)
	return data
}

// cut writes what a power cut leaves into dir.
func (d *disk) cut(t *testing.T, dir string) {
	t.Helper()
	for path, f := range d.safe {
		data := append([]byte(nil), f.safe...)
		for _, e := range f.unfinished {
			for from := 0; from < len(e.data) && e.at >= 0; from += sector {
				if rand.IntN(2) == 0 {
					data = extent{e.at + int64(from), e.data[from:min(from+sector, len(e.data))]}.on(data)
				}
			}
			if e.at < 0 && rand.IntN(2) == 0 {
				data = e.on(data)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(path)), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
