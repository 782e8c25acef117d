package source

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"hearthd/tools/fetch"
)

const (
	maxInterval = 1 << 20 // bytes of sound between two titles; servers send 8 to 64 KB
	maxTitle    = 200     // runes
)

// titled takes the titles out of a body, if it has some.
func titled(body io.ReadCloser, h http.Header, told func(string)) io.ReadCloser {
	every, err := strconv.Atoi(strings.TrimSpace(h.Get("Icy-Metaint")))
	if err != nil || every <= 0 || every > maxInterval {
		return body
	}
	return &icy{ReadCloser: body, every: every, left: every, told: told}
}

// icy is a body with a block of metadata after each every bytes of sound, as SHOUTcast and Icecast send it: a byte
// with its length in 16 bytes, and StreamTitle='…';StreamUrl='…'; filled up with zeros.
type icy struct {
	io.ReadCloser
	every, left int
	block       [255 * 16]byte
	last        string
	told        func(string)
}

// Read implements io.Reader.
func (i *icy) Read(p []byte) (int, error) {
	if i.left == 0 {
		if err := i.metadata(); err != nil {
			return 0, err
		}
		i.left = i.every
	}
	n, err := i.ReadCloser.Read(p[:min(len(p), i.left)])
	i.left -= n
	return n, err
}

func (i *icy) metadata() error {
	if _, err := io.ReadFull(i.ReadCloser, i.block[:1]); err != nil {
		return ended(err)
	}
	block := i.block[:int(i.block[0])*16]
	if _, err := io.ReadFull(i.ReadCloser, block); err != nil {
		return ended(err)
	}
	if title, ok := streamTitle(string(block)); ok && title != i.last {
		i.last = title
		i.told(title)
	}
	return nil
}

// ended is the error of a body that ends within metadata.
func ended(err error) error {
	if err == io.ErrUnexpectedEOF {
		return io.EOF
	}
	return err
}

// streamTitle is the title in a block, as one line. A title may hold quotation marks; the mark before a semicolon
// ends it.
func streamTitle(block string) (string, bool) {
	_, rest, ok := strings.Cut(block, "StreamTitle='")
	if !ok {
		return "", false
	}
	title, _, ok := strings.Cut(rest, "';")
	if !ok {
		title = strings.TrimRight(rest, "\x00'")
	}
	return fetch.Line(text(title), maxTitle), true
}

// text is what a station wrote, most of which is UTF-8 and the rest Latin-1.
func text(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	runes := make([]rune, 0, len(s))
	for _, b := range []byte(s) {
		runes = append(runes, rune(b))
	}
	return string(runes)
}
