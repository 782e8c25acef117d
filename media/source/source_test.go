package source

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hearthd/audio"
	"hearthd/media"
	"hearthd/tools/fetch"
)

const rate = 48000

// encoded makes a file of a tone of 440 Hz, and gives its path. The arguments are those of ffmpeg for it.
func encoded(t *testing.T, name string, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	argv := append([]string{"-loglevel", "error", "-f", "lavfi", "-i", "sine=frequency=440:duration=2"}, args...)
	if out, err := exec.Command("ffmpeg", append(argv, path)...).CombinedOutput(); err != nil {
		t.Fatalf("ffmpeg: %v: %s", err, out)
	}
	return path
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// server serves what is at each path.
func server(t *testing.T, paths map[string]http.HandlerFunc) string {
	t.Helper()
	mux := http.NewServeMux()
	for path, h := range paths {
		mux.HandleFunc(path, h)
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

func serves(kind string, data []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Write(data)
	}
}

func sources(t *testing.T) *Sources {
	t.Helper()
	s, err := New(Options{Client: fetch.New(fetch.Options{UserAgent: "hearthd/test"}), FFmpeg: "ffmpeg",
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// heard is the length of what is decoded of an item, and how loud it is at 440 Hz, 1 for a pure tone.
func heard(t *testing.T, it media.Item, from time.Duration, told func(string)) (time.Duration, float64, error) {
	t.Helper()
	if told == nil {
		told = func(string) {}
	}
	st, err := sources(t).Open(t.Context(), it, from, rate, told)
	if err != nil {
		return 0, 0, err
	}
	data, err := io.ReadAll(st)
	if closed := st.Close(); closed != nil {
		t.Error(closed)
	}
	var re, im, power float64
	for i := range len(data) / 2 {
		v := float64(int16(binary.LittleEndian.Uint16(data[2*i:])))
		phase := 2 * math.Pi * 440 * float64(i) / rate
		re, im, power = re+v*math.Cos(phase), im+v*math.Sin(phase), power+v*v
	}
	n := len(data) / 2
	return time.Duration(n) * time.Second / rate, 2 * (re*re + im*im) / (power*float64(n) + 1), err
}

func near(a, b time.Duration) bool { return (a - b).Abs() < 250*time.Millisecond }

func TestWhateverItIsWrittenInAToneIsATone(t *testing.T) {
	for name, args := range map[string][]string{
		"a.mp3": {}, "a.ogg": {"-c:a", "libvorbis"}, "a.opus": {"-ar", "48000"}, "a.aac": {}, "a.flac": {},
		"a.wav": {"-ar", "96000", "-ac", "2"}, "b.mp3": {"-ar", "16000", "-ac", "1"},
		"a.ts":  {"-c:a", "aac", "-f", "mpegts"},
		"a.mkv": {"-f", "lavfi", "-i", "testsrc=duration=2:size=64x64", "-c:v", "mjpeg", "-c:a", "aac"},
	} {
		path := encoded(t, name, args...)
		url := server(t, map[string]http.HandlerFunc{"/": serves("audio/mpeg", read(t, path))})
		for _, it := range []media.Item{{URL: url}, {Path: path}} {
			length, tone, err := heard(t, it, 0, nil)
			if err != nil || !near(length, 2*time.Second) || tone < 0.9 {
				t.Errorf("%s %+v: %v of which %.2f is the tone, %v", name, it, length, tone, err)
			}
		}
	}
}

func TestFileBeginsAtAPlace(t *testing.T) {
	length, tone, err := heard(t, media.Item{Path: encoded(t, "a.flac")}, 1500*time.Millisecond, nil)
	if err != nil || !near(length, 500*time.Millisecond) || tone < 0.9 {
		t.Errorf("%v, %.2f, %v", length, tone, err)
	}
}

// An episode that was paused for long, or left, is read from its beginning, for a pipe has no other place.
func TestEpisodeGoesOnFarFromItsBeginning(t *testing.T) {
	const length, from = 400 * time.Second, 390 * time.Second
	url := server(t, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "audio/wav")
		_ = audio.EncodeWAV(w, audio.Chunk{Rate: rate, Samples: make([]int16, rate*int(length.Seconds()))})
	}})
	got, _, err := heard(t, media.Item{URL: url, Podcast: "News"}, from, nil)
	if err != nil || !near(got, length-from) {
		t.Errorf("%v of %v are left, %v", got, length-from, err)
	}
}

func TestLengthOfAFileIsWhatIsInIt(t *testing.T) {
	for name, args := range map[string][]string{"a.mp3": {"-write_xing", "0"}, "a.flac": {}, "a.opus": {"-ar", "48000"}, "a.m4a": {}} {
		if length, err := sources(t).Length(t.Context(), encoded(t, name, args...)); err != nil || !near(length, 2*time.Second) {
			t.Errorf("%s: %v, %v", name, length, err)
		}
	}
	if length, err := sources(t).Length(t.Context(), "/no/such/file"); err == nil {
		t.Error(length)
	}
}

func TestPlaylistsLeadToTheirStream(t *testing.T) {
	mp3 := read(t, encoded(t, "a.mp3"))
	url := server(t, map[string]http.HandlerFunc{
		"/live":  serves("audio/mpeg", mp3),
		"/a.m3u": serves("audio/x-mpegurl", []byte("#EXTM3U\r\n#EXTINF:-1,One\r\n/dead\r\nlive\r\n")),
		"/a.pls": serves("audio/x-scpls", []byte("[playlist]\nNumberOfEntries=1\nFile1=/a.m3u\nTitle1=x=y\n")),
	})
	for _, path := range []string{"/a.m3u", "/a.pls"} {
		if length, _, err := heard(t, media.Item{URL: url + path}, 0, nil); err != nil || !near(length, 2*time.Second) {
			t.Errorf("%s: %v, %v", path, length, err)
		}
	}
}

// What is wrong is told in one word each.
func TestWhatDoesNotPlaySaysWhy(t *testing.T) {
	video := encoded(t, "v.mkv", "-f", "lavfi", "-i", "testsrc=duration=1:size=64x64", "-map", "1", "-c:v", "mjpeg")
	endless := func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "#EXTM3U")
		for n := 0; r.Context().Err() == nil && n < 10*maxPlaylist; {
			m, err := fmt.Fprintln(w, "http://127.0.0.1:1/x")
			if n += m; err != nil {
				return
			}
		}
	}
	var fed atomic.Int64
	header := func(w http.ResponseWriter, r *http.Request) { // of a WAV: a chunk of 4 GB before the sound
		w.Header().Set("Content-Type", "audio/wav")
		w.Write([]byte("RIFF\xff\xff\xff\xffWAVELIST\xff\xff\xff\xf0"))
		junk := make([]byte, 1<<20)
		for {
			n, err := w.Write(junk)
			if fed.Add(int64(n)); err != nil {
				return
			}
		}
	}
	url := server(t, map[string]http.HandlerFunc{
		"/video":   serves("video/x-matroska", read(t, video)),
		"/page":    serves("text/html", []byte("<!doctype html><title>Radio</title>")),
		"/text":    serves("audio/mpeg", []byte(strings.Repeat("This is no sound at all. ", 400))),
		"/empty":   serves("audio/mpeg", nil),
		"/none":    serves("audio/x-mpegurl", []byte("#EXTM3U\n#EXTINF:-1,nothing\n")),
		"/self":    serves("audio/x-mpegurl", []byte("#EXTM3U\n/self\n")),
		"/endless": endless, "/header": header,
		"/locked": serves("application/vnd.apple.mpegurl",
			[]byte("#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\"\n#EXTINF:2,\na.ts\n#EXT-X-ENDLIST\n")),
		"/file": serves("audio/x-mpegurl", []byte("#EXTM3U\nfile:///etc/passwd\n")),
		"/trap": serves("audio/mpeg", []byte("ffconcat version 1.0\nfile /etc/passwd\n")),
		"/busy": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
	})
	for path, want := range map[string]error{
		"/video": media.NoSound, "/page": media.NoSound, "/text": media.NoSound, "/empty": media.NoSound,
		"/none": media.NoList, "/self": media.NoList, "/endless": media.NoList, "/header": media.Nothing,
		"/locked": media.Locked, "/file": media.NoList, "/trap": media.NoSound, "/gone": media.Gone,
		"/busy": media.Refused,
	} {
		if _, _, err := heard(t, media.Item{URL: url + path}, 0, nil); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
	if n := fed.Load(); n > 2*ahead {
		t.Errorf("%d MB of a header were read", n>>20)
	}
	if _, _, err := heard(t, media.Item{URL: "http://127.0.0.1:1/"}, 0, nil); !errors.Is(err, media.Unreachable) {
		t.Error(err)
	}
	if _, _, err := heard(t, media.Item{Path: "/no/such/file"}, 0, nil); !errors.Is(err, media.Gone) {
		t.Error(err)
	}
	s := sources(t)
	s.FFmpeg = "hearthd-no-such-program"
	if _, err := s.Open(t.Context(), media.Item{URL: url + "/text"}, 0, rate, nil); !errors.Is(err, media.NoDecoder) {
		t.Error(err)
	}
}

func TestStreamThatBreaksOffIsLostAndNotAtItsEnd(t *testing.T) {
	mp3 := read(t, encoded(t, "a.mp3"))
	url := server(t, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000000")
		w.Write(mp3)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}})
	if _, _, err := heard(t, media.Item{URL: url}, 0, nil); !errors.Is(err, media.Lost) {
		t.Error(err)
	}
}

func TestCloseEndsAStreamThatGoesOn(t *testing.T) {
	mp3 := read(t, encoded(t, "a.mp3"))
	left := make(chan struct{})
	url := server(t, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
		w.Write(mp3)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(left)
	}})
	st, err := sources(t).Open(t.Context(), media.Item{URL: url, Station: "One"}, 0, rate, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Error(err)
	}
	<-left
}

func TestTitlesAreToldAndNotPlayed(t *testing.T) {
	mp3 := read(t, encoded(t, "a.mp3"))
	const every = 1000
	handler := func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Icy-Metadata") != "1" {
			t.Error("titles were not asked for")
		}
		w.Header().Set("Icy-Metaint", fmt.Sprint(every))
		for n := 0; len(mp3) > n*every; n++ {
			w.Write(mp3[n*every : min(len(mp3), (n+1)*every)])
			text := map[int]string{1: "StreamTitle='It's a \u202eCaf\xe9';StreamUrl='';", 3: "StreamTitle='Two';"}[n]
			blocks := (len(text) + 15) / 16
			w.Write(append([]byte{byte(blocks)}, append([]byte(text), make([]byte, blocks*16-len(text))...)...))
		}
	}
	var titles []string
	length, tone, err := heard(t, media.Item{URL: server(t, map[string]http.HandlerFunc{"/": handler})}, 0,
		func(title string) { titles = append(titles, title) })
	if err != nil || !near(length, 2*time.Second) || tone < 0.9 {
		t.Errorf("%v, %.2f, %v", length, tone, err)
	}
	if len(titles) != 2 || titles[1] != "Two" || !strings.HasPrefix(titles[0], "It's a ") ||
		!strings.HasSuffix(titles[0], "Caf\u00e9") {
		t.Errorf("%q", titles)
	}
}

// segments writes a live playlist of ten segments of 0.5 s, of which five are shown at a time, and two more with
// each look.
func segments(t *testing.T, kind ...string) map[string]http.HandlerFunc {
	t.Helper()
	dir := t.TempDir()
	argv := append([]string{"-loglevel", "error", "-f", "lavfi", "-i", "sine=frequency=440:duration=5", "-c:a", "aac",
		"-f", "hls", "-hls_time", "0.5", "-hls_list_size", "0"}, kind...)
	cmd := exec.Command("ffmpeg", append(argv, filepath.Join(dir, "all.m3u8"))...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("ffmpeg: %v: %s", err, out)
	}
	all := parseHLS(read(t, filepath.Join(dir, "all.m3u8")))
	if len(all.segments) < 9 {
		t.Fatalf("%d segments", len(all.segments))
	}
	var looks atomic.Int64
	return map[string]http.HandlerFunc{
		"/master.m3u8": serves("application/vnd.apple.mpegurl", []byte("#EXTM3U\n"+
			"#EXT-X-STREAM-INF:BANDWIDTH=5000000,CODECS=\"avc1,mp4a\"\nvideo.m3u8\n"+
			"#EXT-X-STREAM-INF:BANDWIDTH=96000\nlive.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=24000\nlow.m3u8\n")),
		"/live.m3u8": func(w http.ResponseWriter, _ *http.Request) {
			from := int(looks.Add(1)) * 2
			to := min(from+5, len(all.segments))
			fmt.Fprintf(w, "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:%d\n", min(from, to))
			if init := all.segments[0].init; init != "" {
				fmt.Fprintf(w, "#EXT-X-MAP:URI=%q\n", init)
			}
			for _, s := range all.segments[min(from, to):to] {
				fmt.Fprintf(w, "#EXTINF:0.5,\n%s\n", s.url)
			}
			if to == len(all.segments) {
				fmt.Fprintln(w, "#EXT-X-ENDLIST")
			}
		},
		"/all.m3u8": serves("", read(t, filepath.Join(dir, "all.m3u8"))),
		"/":         http.FileServer(http.Dir(dir)).ServeHTTP,
	}
}

func TestSegmentsOfALivePlaylistArePlayedOneAfterTheOther(t *testing.T) {
	for name, kind := range map[string][]string{
		"transport stream": nil, "fragments": {"-hls_segment_type", "fmp4"},
	} {
		url := server(t, segments(t, kind...))
		length, tone, err := heard(t, media.Item{URL: url + "/all.m3u8"}, 0, nil)
		if err != nil || !near(length, 5*time.Second) || tone < 0.9 {
			t.Errorf("%s: %v, %.2f, %v", name, length, tone, err)
		}
		// It begins at the third segment from the end of the window, and misses none.
		length, tone, err = heard(t, media.Item{URL: url + "/master.m3u8"}, 0, nil)
		if err != nil || !near(length, 3*time.Second) || tone < 0.9 {
			t.Errorf("%s, live: %v, %.2f, %v", name, length, tone, err)
		}
	}
}

func FuzzPlaylist(f *testing.F) {
	f.Add([]byte("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS=\"a,b\"\nx\n"))
	f.Add([]byte("#EXT-X-MEDIA-SEQUENCE:9223372036854775807\n#EXT-X-MAP:URI=\"a\"\nb\n#EXT-X-ENDLIST\n"))
	f.Add([]byte("[playlist]\nFile1=http://a/\nTitle1=b\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		l := parseHLS(text)
		if len(l.variants) > 0 {
			best(l.variants)
		}
		if l.first < 0 || l.first+int64(len(l.segments)) < 0 || l.target <= 0 {
			t.Errorf("%+v", l)
		}
		for _, e := range entries(text) {
			if strings.TrimSpace(e) == "" {
				t.Error("an entry is empty")
			}
		}
	})
}

func FuzzTitle(f *testing.F) {
	f.Add("StreamTitle='a';")
	f.Add("StreamTitle='\x00\xff';StreamTitle='b")
	f.Fuzz(func(t *testing.T, block string) {
		if title, ok := streamTitle(block); ok && (strings.ContainsAny(title, "\n\x00") || len([]rune(title)) > maxTitle+2) {
			t.Errorf("%q", title)
		}
	})
}

func TestAServerThatSaysNothingMoreIsLeft(t *testing.T) {
	for name, said := range map[string]string{"a stream": "some", "a playlist": "#EXTM3U\n" + strings.Repeat("#\n", 1000)} {
		t.Run(name, func(t *testing.T) {
			url := server(t, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
				fmt.Fprint(w, said)
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
			}})
			s := sources(t)
			s.begins = 50 * time.Millisecond
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			_, err := s.Open(ctx, media.Item{URL: url}, 0, rate, func(string) {})
			if !errors.Is(err, media.Nothing) {
				t.Errorf("%v", err)
			}
		})
	}
}
