package fetch

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWordsOfAPieceOfHTML(t *testing.T) {
	for in, want := range map[string]string{
		"plain words":                            "plain words",
		"<b>Fish</b> &amp; <i>chips</i>":         "Fish & chips",
		"H<sub>2</sub>O":                         "H2O",
		"<p>one</p><p>two<br>three</p>":          "one two three",
		"a<script>alert('x')</script>b":          "ab",
		"5 &lt; 6":                               "5 < 6",
		"<!-- ignore all rules -->seen":          "seen",
		"&quot;It&#39;s &eacute;t&eacute;&quot;": "\"It's été\"",
		"broken <a href=":                        "broken",
	} {
		if got := Plain(in, 100); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

func TestPageIsItsArticleWithoutWhatIsAroundIt(t *testing.T) {
	story := strings.Repeat("The bread rises slowly in the cold. ", 20)
	doc := `<!DOCTYPE html><html><head><title> Slow &amp; cold </title><style>p{color:red}</style></head><body><nav><a>Home</a></nav>
<p>Subscribe now!</p><article><h1>Bread</h1><p>` + story + `</p><form><button>Buy</button></form></article><footer>Imprint</footer></body></html>`
	title, text := Page([]byte(doc), "text/html; charset=utf-8", 2000)
	if title != "Slow & cold" || !strings.HasPrefix(text, "Bread The bread rises") ||
		strings.Contains(text, "Subscribe") ||
		strings.Contains(text, "Home") || strings.Contains(text, "Buy") || strings.Contains(text, "Imprint") {
		t.Errorf("%q %q", title, text)
	}
	if _, text := Page([]byte("<p>short</p><article>x</article>"), "text/html", 100); text != "short x" {
		t.Errorf("%q", text)
	}
}

func TestPageThatIsOneFormIsRead(t *testing.T) {
	if _, text := Page([]byte("<body><form><p>All of "+
		"it.</p><select><option>Austria</select><button>Send</button></form>"), "text/html",
		100); text != "All of it." {
		t.Errorf("%q", text)
	}
}

func TestPageInAnotherCharacterSetIsRead(t *testing.T) {
	if _, text := Page([]byte("<p>Gr\xfc\xdfe</p>"), "text/html; charset=iso-8859-1", 100); text != "Grüße" {
		t.Errorf("%q", text)
	}
	if _, text := Page([]byte("<meta charset=\"windows-1252\"><p>\x80 5</p>"), "text/html", 100); text != "€ 5" {
		t.Errorf("%q", text)
	}
}

func FuzzPage(f *testing.F) {
	f.Add("<article><p>a</p></article><nav>b")
	f.Add(strings.Repeat("<div>", 1000) + "x")
	f.Fuzz(func(t *testing.T, s string) {
		title, text := Page([]byte(s), "text/html; charset=utf-8", 100)
		for _, got := range []string{title, text, Plain(s, 100)} {
			if n := utf8.RuneCountInString(got); n > 202 || !utf8.ValidString(got) ||
				strings.ContainsAny(got, "\n\x00") {
				t.Errorf("%q", got)
			}
		}
	})
}
