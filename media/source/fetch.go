package source

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"hearthd/media"
	"hearthd/tools/fetch"
)

const (
	maxPlaylist = 256 << 10 // bytes
	maxDepth    = 4         // playlists that lead to playlists
	maxEntries  = 20        // that are tried of one
	sniffed     = 1 << 10   // bytes that tell what a body is
)

// address is one that is to be asked.
type address struct {
	url     string
	outside bool // somebody outside wrote it
}

// follow gives the body of what is at an address, after the playlists before it.
func (s *Sources) follow(ctx context.Context, at address, told func(string), depth int) (io.ReadCloser, error) {
	ctx, cancel := context.WithCancelCause(ctx) // of this answer, which ends with the stream at the latest
	limit := time.AfterFunc(s.begins, func() { cancel(media.Nothing) })
	defer limit.Stop()
	got, err := s.Client.Open(ctx, fetch.Request{URL: at.url, Outside: at.outside, Header: http.Header{
		"Icy-Metadata": {"1"}, "Accept-Encoding": {"identity"},
	}})
	if err != nil {
		return nil, problem(ctx, err)
	}
	body := &opened{Reader: bufio.NewReaderSize(got.Body, 2*sniffed), Closer: got.Body}
	begin, err := body.Reader.Peek(sniffed)
	if err != nil && err != io.EOF && len(begin) == 0 {
		return nil, errors.Join(problem(ctx, err), body.Close())
	}
	list := isPlaylist(got, begin)
	if !list {
		if isPage(got, begin) {
			return nil, errors.Join(media.NoSound, body.Close())
		}
		return titled(body, got.Header, told), nil
	}
	text, err := io.ReadAll(io.LimitReader(body.Reader, maxPlaylist+1))
	limit.Stop()
	if err = errors.Join(err, body.Close()); err != nil {
		return nil, problem(ctx, err)
	}
	if len(text) > maxPlaylist {
		return nil, media.NoList
	}
	if bytes.Contains(text, []byte("#EXT-X-")) {
		return s.openHLS(ctx, got, text)
	}
	return s.first(ctx, got, entries(text), told, depth-1)
}

// first opens the first entry of a playlist that can be.
func (s *Sources) first(ctx context.Context, list *fetch.Stream, urls []string, told func(string),
	depth int) (io.ReadCloser, error) {
	err := error(media.NoList)
	if depth == 0 {
		return nil, err
	}
	for _, entry := range urls[:min(len(urls), maxEntries)] {
		to, ok := resolve(list.URL, entry)
		if !ok {
			continue
		}
		var body io.ReadCloser
		body, err = s.follow(ctx, address{to, !list.Inside}, told, depth)
		if err == nil || ctx.Err() != nil {
			return body, err
		}
	}
	return nil, err
}

// resolve is the address of an entry, which is one of the web.
func resolve(list *url.URL, entry string) (string, bool) {
	to, err := list.Parse(entry)
	if err != nil || to.Scheme != "http" && to.Scheme != "https" || to.Host == "" {
		return "", false
	}
	return to.String(), true
}

// opened is the body of an answer, of which some was read ahead.
type opened struct {
	*bufio.Reader
	io.Closer
}

// problem is why something was not answered.
func problem(ctx context.Context, err error) error {
	var status *fetch.StatusError
	switch {
	case context.Cause(ctx) != nil:
		return context.Cause(ctx)
	case errors.Is(err, fetch.ErrInside):
		return media.Inside
	case errors.As(err, &status) && (status.Code == http.StatusNotFound || status.Code == http.StatusGone):
		return media.Gone
	case errors.As(err, &status):
		return media.Refused
	}
	return media.Unreachable
}

// isPlaylist goes by the beginning of a body, for servers name them in many ways.
func isPlaylist(got *fetch.Stream, begin []byte) bool {
	begin = bytes.ToLower(bytes.TrimLeft(bytes.TrimPrefix(begin, []byte("\uFEFF")), " \t\r\n"))
	for _, mark := range []string{"#extm3u", "[playlist]"} {
		if bytes.HasPrefix(begin, []byte(mark)) {
			return true
		}
	}
	kind := contentType(got)
	return (kind == "audio/x-mpegurl" || kind == "audio/mpegurl" || kind == "audio/x-scpls" ||
		strings.HasSuffix(strings.ToLower(got.URL.Path), ".m3u")) && bytes.HasPrefix(begin, []byte("http"))
}

// isPage reports whether a body is a page for readers.
func isPage(got *fetch.Stream, begin []byte) bool {
	kind := contentType(got)
	return kind == "text/html" || kind == "application/json" ||
		strings.HasPrefix(http.DetectContentType(begin), "text/html")
}

func contentType(got *fetch.Stream) string {
	kind, _, _ := mime.ParseMediaType(got.Header.Get("Content-Type")) // one that cannot be read is none
	return kind
}

// entries are the addresses of an M3U or PLS playlist.
func entries(text []byte) (list []string) {
	for line := range bytes.Lines(bytes.TrimPrefix(text, []byte("\uFEFF"))) {
		entry := strings.TrimSpace(string(line))
		if key, value, ok := strings.Cut(entry, "="); ok && isFileKey(key) {
			entry = strings.TrimSpace(value)
		} else if strings.HasPrefix(entry, "#") || strings.HasPrefix(entry, "[") ||
			ok && !strings.Contains(key, "/") {
			continue
		}
		if entry != "" {
			list = append(list, entry)
		}
	}
	return list
}

// isFileKey reports whether a key of a PLS playlist has an address: File1.
func isFileKey(key string) bool {
	number, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(key)), "file")
	_, err := strconv.Atoi(number)
	return ok && err == nil
}
