// Package fetch downloads large files of which it is known beforehand what they are: their
// size and their SHA-256. A download that was cut goes on where it ended, in this process or
// in the next one; nothing that is not what was asked for gets its final name.
//
// Two files stand beside the final one while it comes: NAME.part, and NAME.tag with what the
// server says of the version of which that is a part. The package runs no goroutine that
// outlives a call. It does not lock: who calls sees to it that nobody else does.
package fetch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"hearthd/config/files"
	"hearthd/config/letters"
)

const (
	maxRedirects = 5
	// headerLimit is for a server to answer, stallLimit for the next bytes to come.
	headerLimit = 30 * time.Second
	stallLimit  = time.Minute
	// maxIdle is how many attempts in a row may bring nothing. The first is followed at once
	// by the second; then each waits twice as long, beginning with firstWait.
	maxIdle   = 6
	firstWait = time.Second
	// maxRestarts is how often a server may have what came dropped.
	maxRestarts = 6
	maxTag      = 1 << 10 // bytes of an ETag that are worth keeping
	piece       = 256 << 10
)

// ErrChecksum is that of a file that is not what it should be. What came is removed.
var ErrChecksum = errors.New("it is not the file that is wanted")

// ErrUnreachable is that of a server to which there is no way.
var ErrUnreachable = errors.New("cannot be reached")

// File is what is downloaded.
type File struct {
	URL    string
	Size   int64  // bytes, exactly
	SHA256 string // 64 hexadecimal digits
}

// Fetcher downloads. One may be used for many files, one after the other.
type Fetcher struct {
	Agent    string               // of the requests
	Progress func(have, of int64) // nil: nobody looks
	Notice   func(text string)    // of what is tried again; nil: nobody reads

	client *http.Client
	stall  time.Duration
	wait   time.Duration
}

func (f *Fetcher) prepare() {
	if f.client != nil {
		return
	}
	f.stall, f.wait = stallLimit, firstWait
	f.client = &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, ResponseHeaderTimeout: headerLimit, TLSHandshakeTimeout: headerLimit,
			DisableKeepAlives: true, // a connection that was cut is not asked again
			// A part is one of the bytes that are kept, not of others that unpack to them.
			DisableCompression: true,
		},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return fmt.Errorf("more than %d redirects", maxRedirects)
			}
			return CheckURL(r.URL.String())
		},
	}
}

// CheckURL refuses an address to which nothing is asked: one that is neither https nor of this machine.
func CheckURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return fmt.Errorf("%.200q is no address of the web", text)
	}
	ip := net.ParseIP(u.Hostname())
	if u.Scheme == "https" || u.Scheme == "http" && ip != nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("%s is not https", letters.Plain(u.Redacted(), 200))
}

// To downloads file and gives it the name path when it is whole and right. Space for it must
// be there. What has come of it stays when that fails, unless it was wrong.
func (f *Fetcher) To(ctx context.Context, path string, file File) error {
	f.prepare()
	if err := CheckURL(file.URL); err != nil {
		return err
	}
	d := &download{Fetcher: f, file: file, part: path + ".part", tag: path + ".tag"}
	err := d.run(ctx)
	if errors.Is(err, ErrChecksum) {
		err = errors.Join(err, d.forget())
	}
	if err != nil {
		return fmt.Errorf("download %s: %w", filepath.Base(path), err)
	}
	if err := errors.Join(os.Rename(d.part, path), d.forget()); err != nil {
		return fmt.Errorf("download %s: %w", filepath.Base(path), err)
	}
	return files.Sync(filepath.Dir(path))
}

// download is one file on its way.
type download struct {
	*Fetcher
	file      File
	part, tag string

	out      *os.File
	have     int64
	sum      hash.Hash
	joined   bool // what is there came in more than one piece
	restarts int
	told     string // what was noticed last
}

func (d *download) forget() error {
	var all error
	for _, path := range []string{d.part, d.tag} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			all = errors.Join(all, err)
		}
	}
	return all
}

// run goes on with the part that is there, or begins, until all of it is there and right.
func (d *download) run(ctx context.Context) (err error) {
	if d.out, err = os.OpenFile(d.part, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o644); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.out.Close()) }()
	if err := d.resume(); err != nil {
		return err
	}
	for again := false; ; again = true {
		if err := d.fill(ctx); err != nil {
			return err
		}
		got := hex.EncodeToString(d.sum.Sum(nil))
		if got == strings.ToLower(d.file.SHA256) {
			return d.out.Sync()
		}
		wrong := fmt.Errorf("%w: its SHA-256 is %s, and should be %s", ErrChecksum, got, d.file.SHA256)
		if !d.joined || again {
			return wrong
		}
		// The pieces may be of different versions, which a server without tags does not tell.
		d.notice(wrong)
		if err := d.restart(); err != nil {
			return err
		}
	}
}

// fill asks until all of the file is there.
func (d *download) fill(ctx context.Context) error {
	for idle := 0; d.have < d.file.Size; {
		before := d.have
		err := d.attempt(ctx)
		var lasting *lastingError
		if err == nil || ctx.Err() != nil || errors.As(err, &lasting) {
			if err != nil {
				return errors.Join(context.Cause(ctx), err)
			}
			continue
		}
		if idle++; d.have > before {
			idle = 0
		}
		if idle == maxIdle {
			return fmt.Errorf("%d attempts in a row brought nothing: %w", idle, err)
		}
		if err := d.pause(ctx, idle, err); err != nil {
			return err
		}
	}
	return nil
}

// notice tells of what is new.
func (d *download) notice(why error) {
	text := letters.Plain(why.Error(), 300)
	if d.Notice != nil && text != d.told {
		d.Notice(text)
	}
	d.told = text
}

// pause waits before the next attempt, the longer the less came.
func (d *download) pause(ctx context.Context, idle int, why error) error {
	d.notice(fmt.Errorf("%w; trying again at %d of %d MB", why, d.have/1_000_000, d.file.Size/1_000_000))
	if idle < 2 {
		return nil
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d.wait << (idle - 2)):
		return nil
	}
}

// resume reads what an earlier attempt has left.
func (d *download) resume() error {
	d.sum = sha256.New()
	info, err := d.out.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no file", d.part)
	}
	if info.Size() > d.file.Size {
		return d.restart()
	}
	d.have, err = io.Copy(d.sum, d.out)
	d.joined = d.have > 0
	return err
}

// restart drops what has come.
func (d *download) restart() error {
	if d.have > 0 {
		d.restarts++
	}
	if d.restarts > maxRestarts {
		return lasting("the server had it begin %d times", d.restarts)
	}
	d.have, d.joined = 0, false
	d.sum.Reset()
	if _, err := d.out.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return d.out.Truncate(0)
}

// lastingError is one that does not go away when it is tried again.
type lastingError struct{ error }

func (e *lastingError) Unwrap() error { return e.error }

func lasting(format string, args ...any) error { return &lastingError{fmt.Errorf(format, args...)} }

// attempt asks for what is missing and keeps what comes of it.
func (d *download) attempt(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(d.stall, func() { cancel(fmt.Errorf("nothing came for %v", d.stall)) })
	defer watch.Stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.file.URL, nil)
	if err != nil {
		return &lastingError{err}
	}
	req.Header.Set("User-Agent", d.Agent)
	if d.have > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", d.have))
		if tag := d.version(); tag != "" {
			req.Header.Set("If-Range", tag)
		}
	}
	res, err := d.client.Do(req)
	if err != nil {
		return errors.Join(causeOf(ctx), unreachable(err))
	}
	defer res.Body.Close()
	if err := d.begin(res); err != nil {
		return err
	}
	if err := d.keep(res.Body, watch); err != nil {
		return errors.Join(causeOf(ctx), err)
	}
	return nil
}

// causeOf is why ctx has ended, if it has.
func causeOf(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}

// unreachable tells an error of a redirect that is refused, which stays, from one of the network, which it shortens.
func unreachable(err error) error {
	var u *url.Error
	if !errors.As(err, &u) {
		return err
	}
	if strings.Contains(u.Err.Error(), "is not https") || strings.Contains(u.Err.Error(), "redirects") {
		return &lastingError{u.Err}
	}
	cause := u.Err
	if _, unnamed := errors.AsType[*net.DNSError](cause); unnamed {
		cause = errors.New("its name is not found")
	} else if number, ok := errors.AsType[syscall.Errno](cause); ok {
		cause = number
	}
	host := u.URL
	if at, err := url.Parse(u.URL); err == nil {
		host = at.Host
	}
	return fmt.Errorf("%s %w: %w", letters.Plain(host, 100), ErrUnreachable, cause)
}

// begin looks at the head of an answer, and makes the part fit what follows.
func (d *download) begin(res *http.Response) error {
	switch code := res.StatusCode; {
	case code == http.StatusPartialContent:
		var from, to, of int64
		text := res.Header.Get("Content-Range")
		if _, err := fmt.Sscanf(text, "bytes %d-%d/%d", &from, &to, &of); err != nil || from != d.have ||
			of != d.file.Size || to >= of {
			if err := d.restart(); err != nil {
				return err
			}
			return fmt.Errorf("the server gives a part that was not asked for (%.80q)", text)
		}
		d.joined = true
	case code == http.StatusOK:
		if n := res.ContentLength; n >= 0 && n != d.file.Size {
			return lasting("%w: the server's has %d bytes, and should have %d", ErrChecksum, n, d.file.Size)
		}
		// Either the server knows no parts or there is another version by now.
		if err := d.restart(); err != nil {
			return err
		}
		return d.keepVersion(res.Header)
	case code == http.StatusRequestedRangeNotSatisfiable:
		if err := d.restart(); err != nil {
			return err
		}
		return errors.New("the server has less than there is already")
	case code >= 500 || code == http.StatusTooManyRequests || code == http.StatusRequestTimeout:
		return fmt.Errorf("the server answers %s", res.Status)
	default:
		return lasting("the server answers %s", res.Status)
	}
	return nil
}

// version is what the server has said of the version that is being fetched.
func (d *download) version() string {
	text, err := os.ReadFile(d.tag)
	if err != nil || len(text) > maxTag {
		return "" // then only the checksum tells
	}
	return string(text)
}

// keepVersion writes the server's word for the version down, for If-Range: a strong
// ETag, or else the time of the last change (RFC 9110, 13.1.5).
func (d *download) keepVersion(h http.Header) error {
	tag := h.Get("Etag")
	if !strings.HasPrefix(tag, `"`) {
		tag = h.Get("Last-Modified")
	}
	if len(tag) > maxTag {
		tag = ""
	}
	return files.Write(d.tag, []byte(tag), 0o644)
}

// keep writes what comes into the part, and no more than is wanted.
func (d *download) keep(body io.Reader, watch *time.Timer) error {
	buf := make([]byte, piece)
	for {
		n, err := body.Read(buf)
		if n > 0 {
			watch.Reset(d.stall)
			if d.have+int64(n) > d.file.Size {
				return lasting("%w: it is longer than %d bytes", ErrChecksum, d.file.Size)
			}
			written, werr := d.out.Write(buf[:n])
			d.sum.Write(buf[:written])
			d.have += int64(written)
			if werr != nil {
				return &lastingError{werr} // what came stays, for when there is space
			}
			if d.Progress != nil {
				d.Progress(d.have, d.file.Size)
			}
		}
		switch {
		case errors.Is(err, io.EOF) && d.have < d.file.Size:
			return fmt.Errorf("it ended after %d bytes of %d", d.have, d.file.Size)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}
