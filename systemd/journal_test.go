package systemd

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/slogtest"
	"time"

	"hearthd/config/letters"

	"github.com/google/go-cmp/cmp"
)

var journalName = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,63}$`)

// parseEntry reads an entry as https://systemd.io/JOURNAL_NATIVE_PROTOCOL says,
// and refuses what journald would drop.
func parseEntry(datagram string) (map[string]string, error) {
	fields := make(map[string]string)
	for rest := datagram; rest != ""; {
		line, after, ended := strings.Cut(rest, "\n")
		if !ended {
			return nil, fmt.Errorf("no line break after %q", line)
		}
		name, value, inLine := strings.Cut(line, "=")
		rest = after
		if !inLine {
			if len(rest) < 8 {
				return nil, fmt.Errorf("field %q has no length", name)
			}
			size := binary.LittleEndian.Uint64([]byte(rest[:8]))
			if size >= uint64(len(rest)-8) || rest[8+size] != '\n' {
				return nil, fmt.Errorf("field %q does not end after %d bytes", name, size)
			}
			value, rest = rest[8:8+size], rest[8+size+1:]
		}
		if !journalName.MatchString(name) {
			return nil, fmt.Errorf("bad field name %q", name)
		}
		fields[name] = value
	}
	return fields, nil
}

func (p *peer) entry() map[string]string {
	p.t.Helper()
	fields, err := parseEntry(p.next())
	if err != nil {
		p.t.Fatal(err)
	}
	return fields
}

func newJournal(t *testing.T, socket string) *Handler {
	t.Helper()
	h, err := NewJournalHandler(socket, "hearthd", slog.LevelInfo)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.to.(*journal).conn.Close() })
	return h
}

func TestJournalEntryCarriesTheFieldsOfATurn(t *testing.T) {
	p := listenPeer(t)
	log := slog.New(newJournal(t, p.path)).With("component", "dialogue", "session", 7, "turn", 9)
	log.Warn("stage took long", "stage", "stt", "took_ms", 1234, "message_id", MessageTurn,
		"error", errors.New("read answer:\nunexpected EOF"), slog.Group("peer", "address", "127.0.0.1:10300"))
	want := map[string]string{
		"PRIORITY":             "4",
		"SYSLOG_IDENTIFIER":    "hearthd",
		"MESSAGE":              `stage took long component=dialogue session=7 turn=9 stage=stt took_ms=1234 error="read answer:\nunexpected EOF" peer.address=127.0.0.1:10300`,
		"MESSAGE_ID":           MessageTurn,
		"HEARTHD_COMPONENT":    "dialogue",
		"HEARTHD_SESSION":      "7",
		"HEARTHD_TURN":         "9",
		"HEARTHD_STAGE":        "stt",
		"HEARTHD_TOOK_MS":      "1234",
		"HEARTHD_ERROR":        "read answer:\nunexpected EOF",
		"HEARTHD_PEER_ADDRESS": "127.0.0.1:10300",
	}
	if diff := cmp.Diff(want, p.entry()); diff != "" {
		t.Error(diff)
	}
}

func TestLevelsBecomeSyslogPriorities(t *testing.T) {
	for level, want := range map[slog.Level]int{
		slog.LevelDebug: 7, slog.LevelInfo: 6, slog.LevelWarn: 4, slog.LevelError: 3,
		slog.LevelError + 4: 3, slog.LevelInfo + 1: 6, slog.LevelDebug - 4: 7,
	} {
		if got := priority(level); got != want {
			t.Errorf("%v is priority %d, want %d", level, got, want)
		}
	}
}

func TestLevelCanChangeWhileRunning(t *testing.T) {
	p := listenPeer(t)
	var level slog.LevelVar
	h, err := NewJournalHandler(p.path, "hearthd", &level)
	if err != nil {
		t.Fatal(err)
	}
	defer h.to.(*journal).conn.Close()
	log := slog.New(h).With("component", "mqtt")
	log.Debug("not yet")
	level.Set(slog.LevelDebug)
	log.Debug("now")
	if got := p.entry()["MESSAGE"]; got != "now component=mqtt" {
		t.Errorf("first line is %q", got)
	}
}

func TestValueThatIsNoMessageIDStaysOurs(t *testing.T) {
	p := listenPeer(t)
	slog.New(newJournal(t, p.path)).Info("x", "message_id", "turn")
	got := p.entry()
	if got["HEARTHD_MESSAGE_ID"] != "turn" || got["MESSAGE_ID"] != "" {
		t.Errorf("got %v", got)
	}
}

func TestHugeLinesAreBounded(t *testing.T) {
	p := listenPeer(t)
	log := slog.New(newJournal(t, p.path))
	huge := strings.Repeat("wörd ", 1<<20)
	log.Info(huge, "a", huge, "b", huge, "c", huge, "d", huge, "e", huge)
	datagram := p.next()
	got, err := parseEntry(datagram)
	if err != nil {
		t.Fatal(err)
	}
	if len(datagram) > maxEntry {
		t.Errorf("entry has %d bytes", len(datagram))
	}
	for _, name := range []string{"MESSAGE", "HEARTHD_A"} {
		if n := len(got[name]); n > maxValue || n < maxValue-8 {
			t.Errorf("%s has %d bytes", name, n)
		}
	}
	log.Info("next", "a", "small")
	if got := p.entry()["HEARTHD_A"]; got != "small" {
		t.Errorf("the line after is %q", got)
	}
}

func TestDroppedLinesAreCountedAndTold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	h := newJournal(t, path)
	log := slog.New(h)
	log.Info("nobody listens")
	log.Info("still nobody")
	if got := h.to.(*journal).dropped.Load(); got != 2 {
		t.Errorf("dropped %d lines, want 2", got)
	}
	p := listenPeer(t)
	if err := os.Rename(p.path, path); err != nil {
		t.Fatal(err)
	}
	log.Info("journald is back")
	log.Info("and stays")
	if got := p.entry()["HEARTHD_DROPPED"]; got != "2" {
		t.Errorf("told of %q dropped lines, want 2", got)
	}
	if got, told := p.entry()["HEARTHD_DROPPED"]; told {
		t.Errorf("told of %q dropped lines twice", got)
	}
}

// A stalled journald leaves its queue full; net.unix.max_dgram_qlen is far below
// the number of lines here, so this test hangs if a line ever waits.
func TestFullJournalNeverBlocks(t *testing.T) {
	p := listenPeer(t)
	h := newJournal(t, p.path)
	log := slog.New(h)
	const n = 5000
	for range n {
		log.Info("spin")
	}
	queued := uint64(0)
	for p.next() != "" {
		queued++
	}
	if h.to.(*journal).dropped.Load() == 0 || queued+h.to.(*journal).dropped.Load() != n {
		t.Errorf("queued %d, dropped %d, want %d together", queued, h.to.(*journal).dropped.Load(), n)
	}
}

func TestJournalHandlerIsASlogHandler(t *testing.T) {
	var p *peer
	slogtest.Run(t, func(t *testing.T) slog.Handler {
		if strings.Contains(t.Name(), "zero-time") {
			t.Skip("journald stamps the entries")
		}
		p = listenPeer(t)
		return newJournal(t, p.path)
	}, func(t *testing.T) map[string]any {
		fields := p.entry()
		message, _, _ := strings.Cut(fields["MESSAGE"], " ")
		got := map[string]any{slog.TimeKey: time.Time{}, slog.LevelKey: fields["PRIORITY"], slog.MessageKey: message}
		for name, value := range fields {
			keys, ours := strings.CutPrefix(name, fieldPrefix)
			if !ours {
				continue
			}
			at := got
			path := strings.Split(keys, "_")
			for _, group := range path[:len(path)-1] {
				if at[group] == nil {
					at[group] = map[string]any{}
				}
				at = at[group].(map[string]any)
			}
			// slogtest names its groups in upper case and its keys in lower.
			at[strings.ToLower(path[len(path)-1])] = value
		}
		return got
	})
}

func FuzzJournalEntryRoundTrip(f *testing.F) {
	f.Add("turn finished", "session", "7")
	f.Add("two\nlines", "error", "a\nb\n")
	f.Add("", "", "")
	f.Add("x", "9lives=é", "\x00\xff=\n")
	f.Add("x", "message_id", MessageReady)
	f.Add("x", strings.Repeat("k", 100), strings.Repeat("ö\n", maxValue))
	f.Fuzz(func(t *testing.T, message, key, value string) {
		r := slog.NewRecord(time.Time{}, slog.LevelInfo, message, 0)
		r.AddAttrs(slog.String(key, value))
		fields := new(Handler).of(r)
		got, err := parseEntry(string(newEntry("hearthd", r, fields)))
		if err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(got["MESSAGE"], "\n\r\x1b") {
			t.Errorf("message %q has control characters", got["MESSAGE"])
		}
		for _, f := range fields {
			if name := fieldName(f); got[name] != letters.Marked(f.value, maxValue, cutMark) {
				t.Errorf("%s is %q, want %q", name, got[name], f.value)
			}
		}
	})
}

func BenchmarkJournalLine(b *testing.B) {
	h, err := NewJournalHandler(b.TempDir()+"/gone", "hearthd", slog.LevelInfo)
	if err != nil {
		b.Fatal(err)
	}
	defer h.to.(*journal).conn.Close()
	log := slog.New(h).With("component", "dialogue", "turn", 9)
	b.ReportAllocs()
	for b.Loop() {
		log.Info("turn finished", "took_ms", 1234)
	}
}
