package source

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"hearthd/media"
	"hearthd/tools/fetch"
)

const (
	// maxSegment bounds a segment: 10 s of 320 kbit/s have 400 KB, of video some megabytes.
	maxSegment = 16 << 20
	// behind is how many segments from its end a live playlist begins (RFC 8216, 6.3.3).
	behind = 3
	// enough is the bandwidth above which a variant is not chosen unless it is the least, in bits per second.
	enough = 200_000
	// Between two looks at a live playlist.
	shortWait, longWait = time.Second, 15 * time.Second
	// A live playlist that has had nothing new for so many looks has ended.
	maxOld = 6
)

// hlsList is a playlist of HTTP Live Streaming (RFC 8216): of variants, or of segments.
type hlsList struct {
	variants []variant
	segments []segment
	first    int64 // number of the first segment
	target   time.Duration
	over     bool // there will be no more
	locked   bool
}

type variant struct {
	bandwidth int
	url       string
}

type segment struct {
	url  string
	init string // what comes before it unless it came already; or empty
}

// parseHLS reads a playlist.
func parseHLS(text []byte) (l hlsList) {
	init, bandwidth := "", -1
	l.target = longWait
	for raw := range bytes.Lines(text) {
		line := strings.TrimSpace(string(raw))
		tag, value, _ := strings.Cut(line, ":")
		switch tag {
		case "#EXT-X-STREAM-INF":
			bandwidth, _ = strconv.Atoi(attribute(value, "BANDWIDTH")) // 0: it does not tell
		case "#EXT-X-MEDIA":
			if to := attribute(value, "URI"); to != "" && attribute(value, "TYPE") == "AUDIO" {
				l.variants = append(l.variants, variant{url: to}) // sound by itself is what is wanted most
			}
		case "#EXT-X-KEY":
			l.locked = attribute(value, "METHOD") != "NONE"
		case "#EXT-X-MAP":
			init = attribute(value, "URI")
		case "#EXT-X-MEDIA-SEQUENCE":
			n, err := strconv.ParseInt(value, 10, 64)
			if err == nil && n >= 0 && n < math.MaxInt64-maxPlaylist {
				l.first = n
			}
		case "#EXT-X-TARGETDURATION":
			if s, err := strconv.ParseFloat(value, 64); err == nil && s > 0 && s < longWait.Seconds() {
				l.target = time.Duration(s * float64(time.Second))
			}
		case "#EXT-X-ENDLIST":
			l.over = true
		default:
			switch {
			case line == "" || line[0] == '#':
			case bandwidth >= 0:
				l.variants = append(l.variants, variant{bandwidth, line})
				bandwidth = -1
			default:
				l.segments = append(l.segments, segment{line, init})
			}
		}
	}
	return l
}

// attribute is the value of one in a list of NAME=VALUE or NAME="VALUE".
func attribute(list, name string) string {
	for list != "" {
		key, rest, ok := strings.Cut(list, "=")
		if !ok {
			return ""
		}
		var value string
		if quoted, found := strings.CutPrefix(rest, `"`); found {
			value, rest, _ = strings.Cut(quoted, `"`)
			_, rest, _ = strings.Cut(rest, ",")
		} else {
			value, rest, _ = strings.Cut(rest, ",")
		}
		if strings.TrimSpace(key) == name {
			return value
		}
		list = rest
	}
	return ""
}

// best is the variant with the most bandwidth that is enough, or the least.
func best(list []variant) string {
	return slices.MaxFunc(list, func(a, b variant) int {
		rank := func(v variant) int {
			if v.bandwidth > enough {
				return -v.bandwidth
			}
			return v.bandwidth
		}
		if (a.bandwidth == 0) != (b.bandwidth == 0) {
			return cmp.Compare(b.bandwidth, a.bandwidth) // sound by itself
		}
		return cmp.Compare(rank(a), rank(b))
	}).url
}

// hls is the segments of a playlist, one after the other. It is read by one goroutine.
type hls struct {
	ask     func(url string, limit int64) (*fetch.Answer, error)
	wait    func(time.Duration) error
	at      *url.URL // of the playlist
	outside bool     // who wrote it is outside the house
	list    hlsList
	next    int64 // number of the segment to come
	old     int   // looks that told nothing new
	init    string
	pending []byte
}

// openHLS begins to read what a playlist leads to.
func (s *Sources) openHLS(ctx context.Context, got *fetch.Stream, text []byte) (io.ReadCloser, error) {
	h := &hls{at: got.URL, outside: !got.Inside, list: parseHLS(text)}
	h.ask = func(url string, limit int64) (*fetch.Answer, error) {
		a, err := s.Client.Get(ctx, fetch.Request{URL: url, Outside: h.outside, MaxBytes: limit})
		if err != nil {
			err = problem(ctx, err)
		}
		return a, err
	}
	h.wait = func(d time.Duration) error {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(d):
			return nil
		}
	}
	if len(h.list.variants) > 0 {
		to, ok := resolve(h.at, best(h.list.variants))
		if !ok {
			return nil, media.NoList
		}
		answer, err := h.ask(to, maxPlaylist)
		if err != nil {
			return nil, err
		}
		h.at, h.outside, h.list = answer.URL, h.outside || !answer.Inside, parseHLS(answer.Body)
	}
	switch {
	case h.list.locked:
		return nil, media.Locked
	case len(h.list.segments) == 0:
		return nil, media.NoList
	}
	h.next = h.list.first
	if !h.list.over {
		h.next += int64(max(len(h.list.segments)-behind, 0))
	}
	return h, nil
}

// Close implements io.Closer. There is nothing open between two reads.
func (h *hls) Close() error { return nil }

// Read implements io.Reader.
func (h *hls) Read(p []byte) (int, error) {
	for len(h.pending) == 0 {
		if err := h.load(); err != nil {
			return 0, err
		}
	}
	n := copy(p, h.pending)
	h.pending = h.pending[n:]
	return n, nil
}

// load fetches the next segment, and looks for it in the playlist before, when it is not there yet.
func (h *hls) load() error {
	h.next = max(h.next, h.list.first) // what has left the window is missed
	i := h.next - h.list.first
	if i >= int64(len(h.list.segments)) {
		if h.list.over {
			return io.EOF
		}
		return h.look()
	}
	seg := h.list.segments[i]
	if seg.init != "" && seg.init != h.init {
		h.init = seg.init
		return h.get(seg.init)
	}
	h.next++
	return h.get(seg.url)
}

func (h *hls) get(entry string) error {
	to, ok := resolve(h.at, entry)
	if !ok {
		return media.NoList
	}
	a, err := h.ask(to, maxSegment)
	if errors.Is(err, media.Gone) && !h.list.over { // it may have left the window
		return nil
	}
	if err != nil {
		return err
	}
	h.pending = a.Body
	return nil
}

// look waits, and reads the playlist again.
func (h *hls) look() error {
	if h.old++; h.old > maxOld {
		return media.Lost
	}
	if err := h.wait(max(h.list.target/2, shortWait)); err != nil {
		return err
	}
	a, err := h.ask(h.at.String(), maxPlaylist)
	if err != nil {
		return err
	}
	l := parseHLS(a.Body)
	if l.first+int64(len(l.segments)) < h.next-behind { // it was begun again
		h.next = l.first
	}
	if l.first+int64(len(l.segments)) > h.next {
		h.old = 0
	}
	h.list = l
	return nil
}
