package fetch

import (
	"bytes"
	"io"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
)

const (
	maxTag     = 256 << 10 // bytes of one tag or piece of text
	enoughText = 400       // bytes of an article that make it the text of its page
)

// Plain is the text of a piece of HTML, as one line of at most limit runes.
func Plain(fragment string, limit int) string {
	if !strings.ContainsAny(fragment, "<&") {
		return Line(fragment, limit)
	}
	p := parsePage(strings.NewReader(fragment))
	return Line(p.all.String(), limit)
}

// Page returns the title of a web page and its text: without scripts, navigation, buttons and
// footers, and only that of its article if it has one. Each is one line; limit is that of the
// text in runes.
func Page(doc []byte, contentType string, limit int) (title, text string) {
	r, err := charset.NewReader(bytes.NewReader(doc), contentType)
	if err != nil {
		r = bytes.NewReader(doc)
	}
	p := parsePage(r)
	text = p.all.String()
	if p.article.Len() >= enoughText {
		text = p.article.String()
	}
	return Line(p.title.String(), 200), Line(text, limit)
}

// page is what is read of a document.
type page struct {
	title, all, article strings.Builder
}

// unread are elements whose content is not for readers, or not about the page. Forms are not
// among them, because ASP.NET puts whole pages into one.
var unread = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Svg: true, atom.Iframe: true,
	atom.Nav:    true,
	atom.Footer: true, atom.Aside: true, atom.Button: true, atom.Select: true, atom.Object: true, atom.Math: true,
}

// inline are elements that do not separate words.
var inline = map[atom.Atom]bool{
	atom.A: true, atom.B: true, atom.I: true, atom.Em: true, atom.Strong: true, atom.Span: true, atom.Sub: true,
	atom.Sup:  true,
	atom.Mark: true, atom.Code: true, atom.Small: true, atom.U: true, atom.Wbr: true, atom.Abbr: true, atom.Font: true,
}

// parsePage reads tokens and builds no tree, so that nesting costs nothing.
func parsePage(r io.Reader) *page {
	p := &page{}
	z := html.NewTokenizer(r)
	z.SetMaxBuf(maxTag)
	var skipped atom.Atom // an element that is not read; depth says how deep in it we are
	depth, articles, inTitle := 0, 0, false
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return p // the end, or what cannot be read further
		}
		switch kind {
		case html.TextToken:
			text := z.Text()
			switch {
			case depth > 0:
			case inTitle:
				p.title.WriteString(html.UnescapeString(string(text)))
			default:
				p.write(html.UnescapeString(string(text)), articles > 0)
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			tag, step := atom.Lookup(name), 1
			if kind == html.EndTagToken {
				step = -1
			}
			switch {
			case kind == html.SelfClosingTagToken && tag != atom.Br:
			case depth > 0:
				if tag == skipped {
					depth += step
				}
			case unread[tag] && step > 0:
				skipped, depth = tag, 1
			case tag == atom.Title:
				inTitle = step > 0
			case tag == atom.Article || tag == atom.Main:
				articles = max(articles+step, 0)
				p.write(" ", true)
			case !inline[tag]:
				p.write(" ", articles > 0)
			}
		}
	}
}

func (p *page) write(text string, article bool) {
	p.all.WriteString(text)
	if article {
		p.article.WriteString(text)
	}
}
