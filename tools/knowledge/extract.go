package knowledge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"hearthd/llm"
	"hearthd/llm/proc"
)

const (
	maxText  = 4 << 20          // bytes of the text of one document: a thousand pages
	pdfLimit = 30 * time.Second // for one PDF
)

// Why a document is skipped.
var (
	errNoText = errors.New("it is no text")
	errNoPDF  = errors.New("it is no PDF")
	errScan   = errors.New("there is no text in it; it may be a scan")
	errLong   = fmt.Errorf("it has more than %d MB of text", maxText>>20)
)

// kind is the type of a file by its name; empty: it is not read.
func kind(file string) string {
	switch strings.ToLower(path.Ext(file)) {
	case ".md", ".markdown":
		return "markdown"
	case ".txt", ".text":
		return "text"
	case ".pdf":
		return "pdf"
	}
	return ""
}

// passages cuts a file into pieces.
func (k *Knowledge) passages(ctx context.Context, file string, data []byte) ([]llm.Passage, error) {
	text := ""
	var err error
	if kind(file) == "pdf" {
		text, err = k.pdf(ctx, data)
	} else {
		text, err = plain(data)
	}
	if err != nil {
		return nil, err
	}
	var list []llm.Passage
	if kind(file) == "markdown" {
		list = cutMarkdown(name(file), text)
	} else {
		list = cutText(name(file), text)
	}
	if len(list) == 0 && kind(file) == "pdf" {
		return nil, errScan
	}
	return list, nil
}

// plain reads text as UTF-8, or else as Latin-1.
func plain(data []byte) (string, error) {
	switch {
	case len(data) > maxText:
		return "", errLong
	case bytes.IndexByte(data, 0) >= 0:
		return "", errNoText
	case utf8.Valid(data):
		return strings.TrimPrefix(string(data), "\uFEFF"), nil
	}
	runes := make([]rune, len(data))
	for i, b := range data {
		runes[i] = rune(b)
	}
	return string(runes), nil
}

// pdf reads the text of a PDF, page after page.
func (k *Knowledge) pdf(ctx context.Context, data []byte) (string, error) {
	if !bytes.Contains(data[:min(len(data), 1024)], []byte("%PDF-")) { // where readers look for it
		return "", errNoPDF
	}
	ctx, cancel := context.WithTimeout(ctx, pdfLimit)
	defer cancel()
	p, err := proc.Start(ctx, []string{k.o.PDF, "-enc", "UTF-8", "-q", "-", "-"}, bytes.NewReader(data))
	if err != nil {
		return "", fmt.Errorf("it needs pdftotext, of Debian's poppler-utils: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(p, maxText+1))
	closed := p.Close()
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("pdftotext took longer than %v", pdfLimit)
	case len(text) > maxText:
		return "", errLong
	case err != nil || closed != nil:
		return "", errors.Join(err, closed)
	}
	return strings.TrimSuffix(strings.ToValidUTF8(string(text), ""), "\f"), nil
}
