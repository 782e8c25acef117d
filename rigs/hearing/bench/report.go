package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"
)

// report writes Markdown.
type report struct{ w io.Writer }

func (r *report) title(level int, text string) {
	fmt.Fprintf(r.w, "%s %s\n\n", strings.Repeat("#", level), text)
}

// text writes a paragraph.
func (r *report) text(format string, args ...any) { fmt.Fprintf(r.w, format+"\n\n", args...) }

// table writes a table whose columns are as wide as what stands in them, so that
// it can be read as text too.
func (r *report) table(head []string, rows [][]string) {
	width := make([]int, len(head))
	for _, row := range append([][]string{head}, rows...) {
		for i, cell := range row {
			width[i] = max(width[i], len([]rune(cell)))
		}
	}
	line := func(row []string) {
		for i, cell := range row {
			fmt.Fprintf(r.w, "| %s%s ", cell, strings.Repeat(" ", width[i]-len([]rune(cell))))
		}
		fmt.Fprintln(r.w, "|")
	}
	rule := make([]string, len(head))
	for i := range rule {
		rule[i] = strings.Repeat("-", width[i])
	}
	line(head)
	line(rule)
	for _, row := range rows {
		line(row)
	}
	fmt.Fprintln(r.w)
}

// head says where and when.
func (b *bench) head() {
	b.w.title(1, "How well hearthd hears")
	b.w.text("The last run of `make bench-hearing`: %s, %s, %d processors, %s. People come first, and recorded noise: "+
		"recordings that "+
		"no training of hearthd has used and nobody tuned on. The bed of the other parts is made by "+
		"`rigs/hearing/bed` out of Debian's synthesisers with voices that no training of hearthd has used, noises and "+
		"rooms by arithmetic, all from fixed seeds; the numbers differ from run to run in CPU time only. Synthetic voices "+
		"are no people: compare rows with one another, and judge by recordings.",
		time.Now().Format(time.DateOnly), processor(), runtime.NumCPU(), runtime.Version())
}

// processor is the name of the machine's processor, as Linux has it.
func processor() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		key, value, _ := strings.Cut(lines.Text(), ":")
		switch strings.TrimSpace(key) {
		case "model name", "Model":
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

func ms(d time.Duration) string { return fmt.Sprintf("%d ms", d.Milliseconds()) }

func percent(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(n)/float64(of))
}
