package calendar

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"hearthd/tools/fetch"
)

// asker sends requests with the password and bounds the answers. go-webdav uses it as its
// HTTP client.
type asker struct {
	http                  http.Client
	user, password, agent string
}

func newAsker(user, password, agent string) *asker {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConns, transport.IdleConnTimeout = 4, time.Minute
	return &asker{user: user, password: password, agent: agent, http: http.Client{
		Transport: transport, Timeout: davTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Do follows redirects with method and body, which net/http would drop, and only on the same
// host, because it sends the password along.
func (a *asker) Do(req *http.Request) (*http.Response, error) {
	for range maxRedirects {
		req.Header.Set("User-Agent", a.agent)
		if a.user != "" {
			req.SetBasicAuth(a.user, a.password)
		}
		res, err := a.http.Do(req)
		if err != nil {
			if long, ok := errors.AsType[*url.Error](err); ok {
				err = long.Err // without the address
			}
			return nil, err
		}
		res.Body = http.MaxBytesReader(nil, res.Body, maxReply)
		if res.StatusCode == http.StatusUnauthorized || res.StatusCode == http.StatusForbidden {
			// Here, because go-webdav's error would not tell them apart.
			return nil, errors.Join(&fetch.StatusError{Code: res.StatusCode}, res.Body.Close())
		}
		if !slices.Contains([]int{301, 302, 307, 308}, res.StatusCode) {
			return res, nil
		}
		next, err := res.Location()
		if err := errors.Join(err, res.Body.Close()); err != nil {
			return nil, fmt.Errorf("follow redirect: %w", err)
		}
		if next.Hostname() != req.URL.Hostname() || req.URL.Scheme == "https" && next.Scheme != "https" {
			return nil, fmt.Errorf("redirect to %s refused", next.Host)
		}
		req = req.Clone(req.Context())
		req.URL, req.Host = next, next.Host
		if req.GetBody != nil {
			if req.Body, err = req.GetBody(); err != nil {
				return nil, err
			}
		}
	}
	return nil, errors.New("too many redirects")
}
