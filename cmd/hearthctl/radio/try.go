package radio

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hearthd/cmd/hearthctl/configfile"
	"hearthd/cmd/hearthctl/ctl"
	"hearthd/media"
	"hearthd/media/directory"
	"hearthd/media/podcast"
	"hearthd/media/source"
	"hearthd/tools/fetch"
)

const (
	rate = 48000
	// listened is how much of a station is listened to.
	listened = 3 * time.Second
	// tryLimit is longer than hearthd itself waits for a station.
	tryLimit = 30 * time.Second
)

// heard is what a station sends.
type heard struct {
	Station string  `json:"station"`
	Title   string  `json:"title,omitempty"`
	Level   float64 `json:"level_dbfs"` // of its sound, -100: silence
	TookMS  int64   `json:"took_ms"`    // to the first sample
}

func (p *place) tryCommand() *cobra.Command {
	return &cobra.Command{
		Use: "try NAME|URL", Short: "Listen to a station for a moment, and say what it sends",
		Long: `Listen to a station for a moment, without a sound, and say what it sends: its title, how loud
it is, or why it does not play. The exit status is 1 when it does not.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s := media.Station{Name: args[0], URL: args[0]}
			if !strings.Contains(args[0], "://") {
				list, _, err := p.read(cmd.Context())
				if err != nil {
					return err
				}
				known := false
				if s, known = media.Find(list, args[0]); !known {
					return fmt.Errorf("there is no station %q", args[0])
				}
			}
			h, err := p.try(cmd.Context(), s)
			if err != nil {
				return err
			}
			return p.client.Print(cmd, h, func(w io.Writer) {
				fmt.Fprintf(w, "%s plays, %.0f dBFS, after %d ms\n", ctl.Visible(h.Station), h.Level, h.TookMS)
				if h.Title != "" {
					fmt.Fprintf(w, "title: %s\n", ctl.Visible(h.Title))
				}
			})
		},
	}
}

// try listens to a station, or to the newest episode of a podcast.
func (p *place) try(ctx context.Context, s media.Station) (heard, error) {
	ctx, cancel := context.WithTimeout(ctx, tryLimit)
	defer cancel()
	it := s.Item()
	if s.Podcast {
		episodes, err := podcast.Episodes(ctx, p.web(), s)
		if err != nil {
			return heard{}, wrong(it, err)
		}
		it = episodes[len(episodes)-1]
		it.Station = s.Name
	}
	return p.listen(ctx, it)
}

func (p *place) listen(ctx context.Context, it media.Item) (h heard, err error) {
	decoder, err := configfile.Setting(ctx, p.client, "media.decoder")
	if err != nil {
		return h, err
	}
	all, err := source.New(source.Options{
		Client: p.web(), FFmpeg: decoder,
		Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return h, err
	}
	h.Station, h.Title = it.Station, it.Title
	begun := time.Now()
	titles := make(chan string, 100) // read after the stream is closed
	in, err := all.Open(ctx, it, 0, rate, func(title string) {
		select {
		case titles <- title:
		default:
		}
	})
	if err != nil {
		return h, wrong(it, err)
	}
	h.TookMS = time.Since(begun).Milliseconds()
	data, err := io.ReadAll(io.LimitReader(in, int64(listened.Seconds())*rate*2))
	if err = errors.Join(err, in.Close()); err != nil {
		return h, wrong(it, err)
	}
	select {
	case h.Title = <-titles:
	default:
	}
	h.Level = level(data)
	return h, nil
}

// web asks stations and feeds.
func (p *place) web() *fetch.Client {
	return fetch.New(fetch.Options{UserAgent: "hearthctl/" + p.client.Version})
}

func wrong(it media.Item, err error) error {
	return fmt.Errorf("%s does not play: %w", ctl.Visible(it.Station), err)
}

// level is how loud samples are, in dBFS.
func level(data []byte) float64 {
	power := 1e-10
	for i := range len(data) / 2 {
		v := float64(int16(binary.LittleEndian.Uint16(data[2*i:]))) / 32768
		power += v * v / float64(len(data)/2)
	}
	return 10 * math.Log10(power)
}

func (p *place) searchCommand() *cobra.Command {
	return &cobra.Command{
		Use: "search WORD...", Short: "Search a directory of stations on the internet",
		Long: `Search a directory of stations on the internet, if media.directory names one, such as
https://de1.api.radio-browser.info. It is told the words, and nothing is kept.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := p.search(cmd.Context(), strings.Join(args, " "))
			if err != nil {
				return err
			}
			return p.client.Print(cmd, list, func(w io.Writer) {
				if len(list) == 0 {
					fmt.Fprintln(w, "none")
				}
				for _, o := range list {
					fmt.Fprintln(w, ctl.Visible(fmt.Sprintf("%s (%s, %s %d kbit/s): %s", o.Name, o.Country,
						o.Codec, o.Bitrate, o.URL)))
				}
			})
		},
	}
}

func (p *place) search(ctx context.Context, words string) ([]media.Found, error) {
	at, err := configfile.Setting(ctx, p.client, "media.directory")
	if err != nil {
		return nil, err
	}
	if at == "" {
		return nil, errors.New("no directory may be asked: hearthctl config set media.directory " +
			"https://de1.api.radio-browser.info allows one")
	}
	return directory.Search(ctx, p.web(), at, words)
}
