package library

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/media"
	"hearthd/rigs/memorytest"
)

func open(t testing.TB, folder string) *Library {
	t.Helper()
	l, err := New(Options{Folder: folder, Store: memorytest.Open(t), Looked: func(context.Context, error) {},
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func atOnce(context.Context, time.Time) {}

func lookNow(t testing.TB, l *Library) {
	t.Helper()
	if err := l.Look(t.Context(), atOnce); err != nil {
		t.Fatal(err)
	}
}

// record makes a file of a tone with tags, as ffmpeg writes them.
func record(t testing.TB, path string, tags ...string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	argv := []string{"-loglevel", "error", "-y", "-f", "lavfi", "-i", "sine=frequency=440:duration=0.3"}
	for _, tag := range tags {
		argv = append(argv, "-metadata", tag)
	}
	if out, err := exec.Command("ffmpeg", append(argv, path)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func titles(t *testing.T, l *Library, names ...media.Named) (all []string) {
	t.Helper()
	items, err := l.Of(t.Context(), false, names...)
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range items {
		all = append(all, it.Artist+"/"+it.Album+"/"+it.Title)
	}
	return all
}

func TestTagsOfEveryUsualKindOfFileAreRead(t *testing.T) {
	for _, end := range []string{"mp3", "flac", "ogg", "opus", "m4a"} {
		t.Run(end, func(t *testing.T) {
			dir := t.TempDir()
			record(t, filepath.Join(dir, "x."+end), "title=Für Elise", "artist=Beethoven", "album=Klavier", "genre=Classical",
				"track=7/9", "disc=2")
			l := open(t, dir)
			lookNow(t, l)
			list, err := l.Store.Tracks(t.Context(), ".")
			if err != nil || len(list) != 1 {
				t.Fatalf("%+v, %v", list, err)
			}
			got := list[0]
			got.Size, got.Modified = 0, time.Time{}
			want := media.Track{Dir: ".", File: "x." + end, Title: "Für Elise", Artist: "Beethoven", Album: "Klavier",
				Genre: "Classical", Number: 7, Disc: 2}
			if end == "opus" || end == "ogg" || end == "flac" {
				want.Disc = got.Disc // ffmpeg calls it disc there
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestFileWithoutTagsIsCalledAsItAndItsFoldersAre(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "Nina Simone/Pastel Blues/03 - Sinnerman.wav"), []byte("no sound"))
	write(t, filepath.Join(dir, "Nina Simone/cover.jpg"), []byte("x"))
	l := open(t, dir)
	lookNow(t, l)
	if d := cmp.Diff([]string{"Nina Simone/Pastel Blues/Sinnerman"}, titles(t, l)); d != "" {
		t.Error(d)
	}
}

func TestLookFollowsWhatChanges(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "one/a.mp3"), filepath.Join(dir, "two/b.mp3")
	record(t, a, "title=Old", "artist=Ann")
	record(t, b, "title=Gone", "artist=Bob")
	l := open(t, dir)
	lookNow(t, l)
	record(t, a, "title=Newer one", "artist=Cid")
	if err := os.RemoveAll(filepath.Dir(b)); err != nil {
		t.Fatal(err)
	}
	lookNow(t, l)
	if d := cmp.Diff([]string{"Cid/one/Newer one"}, titles(t, l)); d != "" {
		t.Error(d)
	}
	for _, gone := range []string{"Old", "Gone", "Ann", "Bob"} {
		if n, ok, err := l.Find(t.Context(), "", gone); ok || err != nil {
			t.Errorf("%q is found as %+v, %v", gone, n, err)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := l.Look(t.Context(), atOnce); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("folder that is gone: %v", err)
	}
	if n := len(titles(t, l)); n != 1 {
		t.Errorf("with a folder that is gone for now, %d tracks are known", n)
	}
}

// After a power cut a disk may come later than hearthd, and leaves an empty folder in its place until then.
func TestMusicOfADiskThatIsNotThereYetStays(t *testing.T) {
	dir := t.TempDir()
	disk, elsewhere := filepath.Join(dir, "music"), filepath.Join(dir, "disk")
	record(t, filepath.Join(disk, "band", "a.mp3"), "title=Kept")
	l := open(t, disk)
	lookNow(t, l)
	if err := errors.Join(os.Rename(disk, elsewhere), os.MkdirAll(filepath.Join(disk, ".Trash"), 0o700)); err != nil {
		t.Fatal(err)
	}
	if err := l.Look(t.Context(), atOnce); err == nil {
		t.Error("nobody is told")
	}
	if got := titles(t, l); len(got) != 1 {
		t.Errorf("%q are known", got)
	}
	if err := errors.Join(os.RemoveAll(disk), os.Rename(elsewhere, disk)); err != nil {
		t.Fatal(err)
	}
	lookNow(t, l)
	lookNow(t, open(t, t.TempDir())) // a household that has no music yet
}

func TestNamesAreFoundAsTheyAreMisheard(t *testing.T) {
	dir := t.TempDir()
	for i, one := range [][3]string{
		{"The Beatles", "Abbey Road", "Come Together - Remastered 2009"}, {"Kraftwerk", "Autobahn", "Autobahn"},
		{"Metallica", "Master of Puppets", "Battery"}, {"Ludwig van Beethoven", "Sonatas", "Moonlight Sonata: I. Adagio"},
		{"Rosenstolz", "Das große Leben", "Ich bin ich"}, {"Norah Jones", "Jazz Nights", "The Long Day Is Over"},
	} {
		record(t, filepath.Join(dir, fmt.Sprint(i, ".mp3")), "artist="+one[0], "album="+one[1], "title="+one[2], "genre=Jazz")
	}
	write(t, filepath.Join(dir, "Sunday Morning.m3u"), []byte("#EXTM3U\r\n../../etc/passwd.mp3\r\nhttp://a/b.mp3\r\n3.mp3\r\n0.mp3\r\n"))
	l := open(t, dir)
	lookNow(t, l)
	for said, want := range map[string]string{
		"the beatles": "The Beatles", "beetles": "The Beatles", "abby road": "Abbey Road", "come together": "Come Together - Remastered 2009",
		"craft work": "Kraftwerk", "metalica": "Metallica", "beethoven": "Ludwig van Beethoven", "moonlight sonata": "Moonlight Sonata: I. Adagio",
		"das grosse leben": "Das große Leben", "nora jones": "Norah Jones", "jazz": "Jazz", "sunday morning": "Sunday Morning",
		"the wall": "", "the": "", "of": "", "bay city rollers": "", "chess with me": "", "polka": "", "hide and seek": "",
	} {
		n, _, err := l.Find(t.Context(), "", said)
		if n.Name != want || err != nil {
			t.Errorf("%q: %+v, want %q (%v)", said, n, want, err)
		}
	}
	if n, _, _ := l.Find(t.Context(), media.Album, "autobahn"); n.Kind != media.Album {
		t.Errorf("%+v, want an album", n)
	}
	got := titles(t, l, media.Named{Kind: media.Playlist, Name: "Sunday Morning"})
	if len(got) != 2 || !strings.HasPrefix(got[0], "Ludwig") {
		t.Errorf("the playlist has %q", got)
	}
}

// id3 is a tag (ID3v2.3) of frames.
func id3(frames ...string) []byte {
	var body bytes.Buffer
	for i := 0; i < len(frames); i += 2 {
		text := "\x00" + frames[i+1]
		body.WriteString(frames[i])
		binary.Write(&body, binary.BigEndian, uint32(len(text)))
		body.WriteString("\x00\x00" + text)
	}
	n := body.Len()
	return append([]byte{'I', 'D', '3', 3, 0, 0, byte(n >> 21), byte(n >> 14 & 0x7F), byte(n >> 7 & 0x7F), byte(n & 0x7F)},
		body.Bytes()...)
}

func TestHostileTagsAreBounded(t *testing.T) {
	nested := append([]byte("\x00\x00\x00\x08ftypM4A "), bytes.Repeat([]byte("\x00\x00\x00\x08moov"), 1<<20)...)
	many := make([]string, 0, 200_000)
	for range 100_000 {
		many = append(many, "TIT2", "x")
	}
	picture := append([]byte("fLaC\x06\x00\x00\x2a\x00\x00\x00\x03"), make([]byte, 24)...)
	picture = append(picture, 0xFF, 0xFF, 0xFF, 0xFF)
	for name, data := range map[string][]byte{
		"boxes within boxes": nested, "frames of one name": id3(many...), "a picture of 4 GB": picture,
		"a genre of genres": id3("TCON", strings.Repeat("(0)", 1<<20)), "comments of 4 GB": []byte("fLaC\x84\x00\x00\x08\xff\xff\xff\xff\x01\x00\x00\x00"),
		"an empty page": append([]byte("OggS"), make([]byte, 23)...), "nothing": {}, "a tag of 256 MB": []byte("ID3\x03\x00\x80\x7f\x7f\x7f\x7fTIT2\x7f\xff\xff\xff"),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			var track media.Track
			err := readTags(bytes.NewReader(data), &track)
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > 4*maxTags { // buffers double as they grow
				t.Errorf("%d MB are taken", n>>20)
			}
			t.Log(err)
		})
	}
}

func FuzzTags(f *testing.F) {
	f.Add(id3("TIT2", "Title", "TPE1", "Artist", "TCON", "(8)"))
	f.Add([]byte("fLaC\x84\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Add([]byte("\x00\x00\x00\x08ftypM4A \x00\x00\x00\x08moov\x00\x00\x00\x08udta"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var track media.Track
		if err := readTags(bytes.NewReader(data), &track); err != nil && strings.Contains(err.Error(), "stack") {
			t.Error(err)
		}
		for _, n := range track.Names() {
			if len(n.Name) > maxName || n.Name != clean(n.Name) {
				t.Errorf("%q", n.Name)
			}
		}
	})
}

// collection writes n files of a few hundred artists.
func collection(b *testing.B, n int) string {
	dir, random := b.TempDir(), rand.New(rand.NewPCG(1, 2))
	syllables := strings.Fields("ba ka lo mi ren sto tal vin dor es far gan hol jun kel mar nos pi ru sil ter um vo wes")
	name := func() string {
		var b strings.Builder
		for range 1 + random.IntN(4) {
			for range 2 + random.IntN(2) {
				b.WriteString(syllables[random.IntN(len(syllables))])
			}
			b.WriteByte(' ')
		}
		return strings.TrimSpace(b.String())
	}
	sound := make([]byte, 2000)
	for done := 0; done < n; {
		artist := name()
		for range min(1+random.IntN(8), n-done) {
			album := name()
			for i := range min(12, n-done) {
				write(b, filepath.Join(dir, artist, album, fmt.Sprint(i, ".mp3")), append(id3("TIT2", name(), "TPE1", artist,
					"TALB", album, "TCON", "Jazz", "TRCK", fmt.Sprint(i)), sound...))
				done++
			}
		}
	}
	return dir
}

// BenchmarkLook is the first look through 50,000 tracks, the next one, and what a search takes then.
func BenchmarkLook(b *testing.B) {
	const tracks = 50_000
	l := open(b, collection(b, tracks))
	began := time.Now()
	lookNow(b, l)
	first := time.Since(began)
	_, n, artists, err := l.Top(b.Context(), 1)
	if err != nil || n < tracks*99/100 {
		b.Fatalf("%d tracks, %v", n, err)
	}
	began = time.Now()
	lookNow(b, l)
	next := time.Since(began)
	list, err := l.Of(b.Context(), true)
	if err != nil {
		b.Fatal(err)
	}
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := 0; b.Loop(); i++ {
		if _, ok, err := l.Find(b.Context(), "", list[i%len(list)].Title); !ok || err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(first.Seconds(), "s/first")
	b.ReportMetric(next.Seconds(), "s/next")
	b.ReportMetric(float64(artists), "artists")
	b.ReportMetric(float64(before.HeapAlloc>>20), "MB-heap")
}

// asStranger runs f with the file permissions of nobody, also where the tests are root's.
func asStranger(t *testing.T, f func()) {
	t.Helper()
	if os.Getuid() != 0 {
		f()
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := syscall.Setfsuid(65534); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Setfsuid(0); err != nil {
			t.Error(err)
		}
	}()
	f()
}

func TestWhatLiesBelowAFolderThatCannotBeReadStays(t *testing.T) {
	folder := t.TempDir()
	record(t, filepath.Join(folder, "band", "album", "1.flac"), "title=Kept")
	l := open(t, folder)
	lookNow(t, l)
	band := filepath.Join(folder, "band")
	for path, mode := range map[string]os.FileMode{filepath.Dir(folder): 0o755, folder: 0o755, band: 0} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	asStranger(t, func() { lookNow(t, l) })
	if err := os.Chmod(band, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := titles(t, l); len(got) != 1 {
		t.Errorf("%q", got)
	}
}
