package wake

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"time"
)

const (
	maxRedirects = 5
	// headerLimit is how long a server may take to answer.
	headerLimit = 15 * time.Second
)

// web is the URL of a manifest, with the network beside it.
type web struct {
	at      *url.URL
	version string // of hearthctl
	client  *http.Client
}

func newWeb(at *url.URL, version string) *web {
	return &web{at: at, version: version, client: &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, ResponseHeaderTimeout: headerLimit, TLSHandshakeTimeout: headerLimit,
			DisableKeepAlives: true,
		},
		CheckRedirect: checkRedirect,
	}}
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
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", u.Redacted(), err)
	}
	req.Header.Set("User-Agent", "hearthctl/"+w.version)
	res, err := w.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("fetch: %w", err) // names the URL
	}
	defer res.Body.Close()
	switch {
	case res.StatusCode == http.StatusNotFound, res.StatusCode == http.StatusGone:
		return nil, fmt.Errorf("get %s: %s: %w", u.Redacted(), res.Status, fs.ErrNotExist)
	case res.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("get %s: %s", u.Redacted(), res.Status)
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, limit+1))
	if err != nil {
		return nil, fmt.Errorf("get %s: it ended after %d bytes: %w", u.Redacted(), len(data), err)
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("get %s: it is longer, the limit is %d", u.Redacted(), limit)
	}
	return data, nil
}
