package wake

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	maxRedirects = 5
	// headerLimit is for a server to answer.
	headerLimit = 15 * time.Second
	// tries of one download; each goes on where the last one ended.
	tries = 3
)

// web is the URL of a manifest, with the network beside it. What was fetched of a
// file is kept in a folder of the user's until it is whole.
type web struct {
	at      *url.URL
	version string // of hearthctl
	client  *http.Client
	dir     string
}

func newWeb(at *url.URL, version string) (*web, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("find cache folder: %w", err)
	}
	dir := filepath.Join(cache, "hearthctl")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make cache folder: %w", err)
	}
	return &web{at: at, version: version, dir: dir, client: &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, ResponseHeaderTimeout: headerLimit, TLSHandshakeTimeout: headerLimit,
			DisableKeepAlives: true,
		},
		CheckRedirect: checkRedirect,
	}}, nil
}

// checkRedirect follows a few redirects, none of them to a place that is less safe.
func checkRedirect(r *http.Request, via []*http.Request) error {
	switch {
	case len(via) > maxRedirects:
		return fmt.Errorf("more than %d redirects", maxRedirects)
	case r.URL.Scheme != "https":
		return fmt.Errorf("redirected to %s, which is not https", r.URL.Redacted())
	}
	return nil
}

// read implements place.
func (w *web) read(ctx context.Context, name string, limit int64) ([]byte, error) {
	u := *w.at
	if name != "" {
		u = *w.at.JoinPath("..", name)
		u.RawQuery, u.Fragment = w.at.RawQuery, ""
	}
	sum := sha256.Sum256([]byte(u.String()))
	part := filepath.Join(w.dir, fmt.Sprintf("%x.part", sum[:16]))
	var err error
	for range tries {
		if err = w.fetch(ctx, &u, part, limit); err == nil || !errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(part) // within the limit
	return data, errors.Join(err, forget(part))
}

// forget removes a download and the version that it is of.
func forget(part string) error {
	err := errors.Join(os.Remove(part), os.Remove(part+".tag"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// fetch gets the rest of u into part. An error that wraps io.ErrUnexpectedEOF can
// be tried again; what came until then is kept.
func (w *web) fetch(ctx context.Context, u *url.URL, part string, limit int64) error {
	have, tag := partial(part)
	res, err := w.ask(ctx, u, have, tag)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	flags := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	whole, more := continued(res, have, tag)
	switch {
	case more:
	case res.StatusCode == http.StatusOK:
		have, tag, whole, flags = 0, version(res), res.ContentLength, flags|os.O_TRUNC
	case res.StatusCode == http.StatusNotFound, res.StatusCode == http.StatusGone:
		return fmt.Errorf("get %s: %s: %w", u.Redacted(), res.Status, fs.ErrNotExist)
	case have > 0 && (res.StatusCode == http.StatusPartialContent ||
		res.StatusCode == http.StatusRequestedRangeNotSatisfiable):
		// The server has another file by now.
		return errors.Join(forget(part), fmt.Errorf("get %s from byte %d: %s: %w", u.Redacted(), have, res.Status,
			io.ErrUnexpectedEOF))
	default:
		return fmt.Errorf("get %s: %s", u.Redacted(), res.Status)
	}
	if whole > limit {
		return errors.Join(forget(part), fmt.Errorf("get %s: it has %d bytes, the limit is %d", u.Redacted(), whole, limit))
	}
	f, err := os.OpenFile(part, flags, 0o600)
	if err != nil {
		return fmt.Errorf("open download: %w", err)
	}
	if err := os.WriteFile(part+".tag", []byte(tag), 0o600); err != nil {
		return errors.Join(fmt.Errorf("write download: %w", err), f.Close())
	}
	n, err := io.Copy(f, io.LimitReader(res.Body, limit-have+1))
	if err == nil && have+n < whole {
		err = io.ErrUnexpectedEOF
	}
	err = errors.Join(err, f.Close())
	switch {
	case have+n > limit:
		return errors.Join(forget(part), fmt.Errorf("get %s: more than %d bytes", u.Redacted(), limit))
	case context.Cause(ctx) != nil:
		return fmt.Errorf("get %s: %w; run it again to go on after %d bytes", u.Redacted(), context.Cause(ctx), have+n)
	case err != nil:
		return fmt.Errorf("get %s: it ended after %d bytes (%w); run it again to go on", u.Redacted(), have+n, err)
	}
	return nil
}

// continued reports whether res goes on behind byte have of the version tag, and how
// long all of it is. Not all that answer look at If-Range, or give as much as was
// asked for (RFC 9110, 14.2 and 15.3.7).
func continued(res *http.Response, have int64, tag string) (whole int64, ok bool) {
	var first, last int64
	part := res.Header.Get("Content-Range")
	_, err := fmt.Sscanf(part, "bytes %d-%d", &first, &last)
	if now := version(res); have == 0 || res.StatusCode != http.StatusPartialContent || err != nil || first != have ||
		now != "" && now != tag {
		return 0, false
	}
	_, size, _ := strings.Cut(part, "/")
	if whole, err = strconv.ParseInt(size, 10, 64); err != nil { // it does not say
		whole = last + 1
	}
	return whole, true
}

// partial is how much of a download there is, and of which version.
func partial(part string) (have int64, tag string) {
	info, err := os.Stat(part)
	text, tagErr := os.ReadFile(part + ".tag")
	if err != nil || tagErr != nil || len(text) == 0 {
		return 0, "" // it cannot be told whether the rest would fit
	}
	return info.Size(), string(text)
}

// version is what If-Range compares: a strong ETag, or the date.
func version(res *http.Response) string {
	if tag := res.Header.Get("ETag"); tag != "" && !strings.HasPrefix(tag, "W/") {
		return tag
	}
	return res.Header.Get("Last-Modified")
}

func (w *web) ask(ctx context.Context, u *url.URL, have int64, tag string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", u.Redacted(), err)
	}
	req.Header.Set("User-Agent", "hearthctl/"+w.version)
	req.Header.Set("Accept-Encoding", "identity") // ranges are of the file itself
	if have > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
		req.Header.Set("If-Range", tag)
	}
	res, err := w.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("fetch: %w", err) // names the URL
	}
	return res, nil
}
