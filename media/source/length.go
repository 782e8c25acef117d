package source

import (
	"bufio"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"hearthd/llm/proc"
)

// Length is how long a file lasts. It is read to its end, and not decoded, for not all have a header that says so.
func (s *Sources) Length(ctx context.Context, path string) (length time.Duration, err error) {
	p, err := proc.Start(ctx, []string{s.FFmpeg, "-nostdin", "-loglevel", "error", "-format_whitelist", formats,
		"-protocol_whitelist", "file,pipe", "-i", "file:" + path, "-map", "0:a:0", "-c", "copy", "-f", "null",
		"-progress", "pipe:1", "-"}, nil)
	if err != nil {
		return 0, err
	}
	for lines := bufio.NewScanner(p); lines.Scan(); {
		if n, ok := strings.CutPrefix(lines.Text(), "out_time_us="); ok {
			us, _ := strconv.ParseInt(n, 10, 64) // N/A before the first packet
			length = time.Duration(us) * time.Microsecond
		}
	}
	if err := p.Close(); err != nil {
		return 0, fmt.Errorf("measure file: %w", err)
	}
	return length, nil
}
