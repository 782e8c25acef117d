package knowledge

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"hearthd/llm"
	"hearthd/tools/fetch"
)

const (
	// passageSize is the size of most passages, in bytes: about 250 tokens, which every
	// embedding model accepts and a listener can follow.
	passageSize = 1200
	maxPassages = 4000 // of a document
	maxSection  = 120  // runes
	maxHeading  = 80   // bytes of a heading in plain text
)

// name is what a document is called: "coffee machine" for manuals/coffee-machine.pdf.
func name(file string) string {
	base := path.Base(file)
	base = strings.TrimSuffix(base, path.Ext(base))
	return fetch.Line(strings.NewReplacer("_", " ", "-", " ", ".", " ").Replace(base), maxSection)
}

// cutter gathers passages.
type cutter struct {
	name     string
	sections [7]string // by level of heading; 0 is the page
	text     strings.Builder
	passages []llm.Passage
}

func (c *cutter) section() string {
	var parts []string
	for _, s := range c.sections {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return fetch.Line(strings.Join(parts, ", "), maxSection)
}

// flush ends a passage.
func (c *cutter) flush() {
	text := strings.TrimSpace(c.text.String())
	c.text.Reset()
	if text != "" && len(c.passages) < maxPassages {
		c.passages = append(c.passages, llm.Passage{Name: c.name, Section: c.section(), Text: text})
	}
}

// paragraph adds a paragraph, and begins a new passage if it does not fit.
func (c *cutter) paragraph(text string) {
	text = fetch.Line(text, 1<<30)
	if text == "" {
		return
	}
	if c.text.Len() > 0 && c.text.Len()+len(text) > passageSize {
		c.flush()
	}
	for len(text) > passageSize {
		n := breakAt(text, passageSize)
		c.text.WriteString(text[:n])
		c.flush()
		text = strings.TrimSpace(text[n:])
	}
	if c.text.Len() > 0 {
		c.text.WriteString("\n")
	}
	c.text.WriteString(text)
}

// heading begins a section of a level from 1 to 6.
func (c *cutter) heading(level int, text string) {
	c.flush()
	c.sections[level] = text
	clear(c.sections[level+1:])
}

// breakAt is where a text is cut before limit: after a sentence, or else a word, or else a
// character.
func breakAt(text string, limit int) int {
	for _, end := range []string{". ", "! ", "? ", "; ", " "} {
		if i := strings.LastIndex(text[:limit], end); i > limit/3 {
			return i + len(end)
		}
	}
	for limit > 1 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return limit
}

// marks are the patterns of Markdown within a line (images, links, code, emphasis), before
// one (lists, quotes), and those of headings, rules and blank lines.
type marks struct{ inline, before, heading, rule, blank *regexp.Regexp }

// theMarks are compiled when the first document is read: most homes have none.
var theMarks = sync.OnceValue(func() marks {
	return marks{
		inline:  regexp.MustCompile("!?\\[([^\\]]{0,500})\\]\\([^)]{0,500}\\)|[*_`]{1,3}([^*_`]+)[*_`]{1,3}"),
		before:  regexp.MustCompile(`^\s{0,8}(?:[-*+]|\d{1,3}[.)]|>)\s+`),
		heading: regexp.MustCompile(`^ {0,3}(#{1,6})\s+(.*?)[ #]*$`),
		rule:    regexp.MustCompile(`^ {0,3}(=+|-+)\s*$`),
		blank:   regexp.MustCompile(`\n[ \t]*\n`),
	}
})

func (m *marks) strip(line string) string {
	line = m.before.ReplaceAllString(line, "")
	return m.inline.ReplaceAllString(line, "$1$2")
}

// cutMarkdown cuts at headings (CommonMark's ATX and setext) and paragraphs.
func cutMarkdown(name, text string) []llm.Passage {
	c := &cutter{name: name}
	lines := strings.Split(text, "\n")
	if len(lines) > 0 && strings.TrimSpace(lines[0]) == "---" { // front matter
		for i := 1; i < min(len(lines), 100); i++ {
			if strings.TrimSpace(lines[i]) == "---" {
				lines = lines[i+1:]
				break
			}
		}
	}
	m := theMarks()
	var gathered []string
	end := func() {
		c.paragraph(strings.Join(gathered, " "))
		gathered = nil
	}
	code := false
	for _, line := range lines {
		line = strings.TrimRight(line, " \t\r")
		if fence := strings.TrimSpace(line); strings.HasPrefix(fence, "```") || strings.HasPrefix(fence, "~~~") {
			end()
			code = !code
			continue
		}
		switch h := m.heading.FindStringSubmatch(line); {
		case code:
			c.paragraph(line)
		case h != nil:
			end()
			c.heading(len(h[1]), m.strip(h[2]))
		case m.rule.MatchString(line) && len(gathered) == 1:
			level := 1
			if strings.Contains(line, "-") {
				level = 2
			}
			c.heading(level, gathered[0])
			gathered = nil
		case strings.TrimSpace(line) == "":
			end()
		case m.before.MatchString(line):
			end()
			gathered = append(gathered, m.strip(line))
		default:
			gathered = append(gathered, m.strip(line))
		}
	}
	end()
	c.flush()
	return c.passages
}

// cutText cuts at empty lines, at lines between them that look like a heading, and at the ends
// of pages, which are form feeds.
func cutText(name, text string) []llm.Passage {
	c := &cutter{name: name}
	pages := strings.Split(text, "\f")
	for i, page := range pages {
		if len(pages) > 1 {
			c.flush()
			c.sections = [7]string{fmt.Sprint("page ", i+1), c.sections[1]}
		}
		for _, block := range theMarks().blank.Split(strings.ReplaceAll(page, "\r", ""), -1) {
			if title := strings.TrimSpace(block); isHeading(title) {
				c.heading(1, fetch.Line(title, maxSection))
				continue
			}
			c.paragraph(strings.ReplaceAll(strings.ReplaceAll(block, "-\n", ""), "\n", " "))
		}
	}
	c.flush()
	return c.passages
}

// isHeading reports whether a block of plain text is a single short line and no sentence.
func isHeading(block string) bool {
	if block == "" || len(block) > maxHeading || strings.Contains(block, "\n") ||
		strings.ContainsAny(block[len(block)-1:], ".,;:!?") {
		return false
	}
	letters := 0
	for _, r := range block {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters >= 3 && len(strings.Fields(block)) <= 8
}
