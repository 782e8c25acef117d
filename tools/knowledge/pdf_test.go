package knowledge

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// onePage is a PDF as small as can be, with a line per page.
func onePage(lines ...string) string {
	var b strings.Builder
	var at []int
	object := func(text string) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(at), text)
	}
	b.WriteString("%PDF-1.4\n")
	var kids []string
	for i := range lines {
		kids = append(kids, fmt.Sprintf("%d 0 R", 4+2*i))
	}
	object("<< /Type /Catalog /Pages 2 0 R >>")
	object(fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(kids)))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	for i, line := range lines {
		object(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F 3 0 R >> "+
			">> /Contents %d 0 R >>", 5+2*i))
		stream := fmt.Sprintf("BT /F 12 Tf 50 800 Td (%s) Tj ET", line)
		object(fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(stream), stream))
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, offset := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, start)
	return b.String()
}

func TestAPDFIsFoundByItsPages(t *testing.T) {
	if _, err := exec.LookPath("pdftotext"); err != nil {
		t.Skip("needs the Debian package poppler-utils")
	}
	r := newRig(t)
	r.write("Oven_X200.pdf", onePage("Preheat the oven for ten minutes.", "Clean the door with a soft cloth."))
	r.write("scan.pdf", onePage(""))
	r.look()
	if got, want := r.ask("cleaning the oven door", 1).Text,
		"The document Oven X200, on page 2, says: Clean the door with a soft cloth."; got != want {
		t.Errorf("%q, want %q (%+v)", got, want, r.status)
	}
	if got := strings.Join(r.status.Problems, ""); got != "scan.pdf: "+errScan.Error() {
		t.Errorf("problems %q", got)
	}
	r.o.PDF = "pdftotext-is-not-here"
	r.write("Oven_X200.pdf", onePage("Another."))
	r.look()
	if got := strings.Join(r.status.Problems, ""); !strings.Contains(got, "poppler-utils") {
		t.Errorf("problems %q", got)
	}
}

func TestAProgramThatNeverStopsWritingIsEnded(t *testing.T) {
	r := newRig(t)
	r.o.PDF = filepath.Join(t.TempDir(), "pdftotext")
	if err := os.WriteFile(r.o.PDF, []byte("#!/bin/sh\nexec yes words without end\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	r.write("bomb.pdf", onePage("x"))
	r.look()
	if got := strings.Join(r.status.Problems, ""); got != "bomb.pdf: "+errLong.Error() {
		t.Errorf("problems %q", got)
	}
}
