package config

import "strings"

// Knowledge is the folder of documents that are searched. Empty: knowledge in the
// state folder.
type Knowledge struct {
	Dir string `yaml:"dir"`
	PDF string `yaml:"pdf"` // the program that reads PDFs
}

func defaultKnowledge() Knowledge { return Knowledge{PDF: "pdftotext"} }

func (c *Knowledge) check(k *checker) {
	if c.Dir != "" && !strings.HasPrefix(c.Dir, "/") {
		k.add("tools.knowledge.dir", c.Dir, "must be an absolute path")
	}
	k.filled("tools.knowledge.pdf", c.PDF)
}
