package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"hearthd/rigs/testcard"
)

const (
	// second is one of the card's sound, in bytes.
	second = 2 * testcard.Rate
	// lull is how long a person listens before they say something over the music, and after the answer.
	lull = 3 * testcard.Rate
	// softer is the least by which music becomes softer while it listens; back is how near it must come afterwards.
	softer, back = 15.0, 3.0 // dB
	readLimit    = 5 * time.Second
)

// station is a radio station of the house, which sends music for ever: chords of three notes that change each
// second. It returns the variables with which hearthd knows it.
func station(ctx context.Context, dir string) (env []string, err error) {
	var raw bytes.Buffer
	const rate, seconds = 44100, 8
	for i := range rate * seconds {
		t, sum := float64(i)/rate, 0.0
		for _, note := range [][3]float64{{196, 247, 294}, {220, 262, 330}, {175, 220, 262}, {196, 233, 311}}[int(t)%4] {
			sum += math.Sin(2*math.Pi*note*t) + 0.5*math.Sin(4*math.Pi*note*t) + 0.25*math.Sin(6*math.Pi*note*t)
		}
		if err := binary.Write(&raw, binary.LittleEndian, int16(4000*sum)); err != nil {
			return nil, err
		}
	}
	encode := exec.CommandContext(ctx, "ffmpeg", "-loglevel", "error", "-f", "s16le", "-ar", fmt.Sprint(rate), "-ac", "1",
		"-i", "-", "-f", "mp3", "-")
	encode.Stdin = &raw
	tune, err := encode.Output()
	if err != nil {
		return nil, fmt.Errorf("encode music: %w", err)
	}
	on, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := &http.Server{ReadHeaderTimeout: readLimit,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "audio/mpeg")
			for r.Context().Err() == nil {
				if _, err := w.Write(tune); err != nil {
					return
				}
			}
		})}
	go func() { _ = server.Serve(on) }() // until it is closed
	context.AfterFunc(ctx, func() { server.Close() })
	file := filepath.Join(dir, "stations.yaml")
	text := fmt.Sprintf("stations: [{name: Radio One, url: 'http://%s/'}]\n", on.Addr())
	return []string{"HEARTHD_MEDIA_STATIONS=" + file}, os.WriteFile(file, []byte(text), 0o600)
}

// played is how much the card has played, in bytes.
func (d *demo) played() int {
	info, err := os.Stat(d.card.SpeakerPath())
	if err != nil {
		return 0 // nothing yet
	}
	return int(info.Size())
}

// listen lets the room be quiet for some of its samples.
func (d *demo) listen(ctx context.Context, samples int) error {
	return d.room.Speak(ctx, make([]int16, samples))
}

// over measures how the music became softer since the card had played from, while it listened, and came back
// after until.
func (d *demo) over(from, woken, until int) (ducked string, problem string) {
	data, err := os.ReadFile(d.card.SpeakerPath())
	if err != nil {
		return "", err.Error()
	}
	before, after := level(data, from-second, from), level(data, len(data)-second, len(data))
	soft := before
	for at := woken; at < until; at += second / 20 {
		soft = min(soft, level(data, at, at+second/20))
	}
	ducked = fmt.Sprintf("music %.0f dB softer while it listens", before-soft)
	switch {
	case before < -60:
		return ducked, "no music is heard"
	case before-soft < softer:
		return ducked, "the music did not become softer"
	case math.Abs(after-before) > back:
		return ducked, "the music did not come back"
	}
	return ducked, ""
}

// level is that of a part of what the card played, in dB of full scale.
func level(data []byte, from, to int) float64 {
	sum, n := 1.0, 1
	for at := max(from, 0) / 2 * 2; at+1 < min(to, len(data)); at += 2 {
		v := float64(int16(binary.LittleEndian.Uint16(data[at:])))
		sum, n = sum+v*v, n+1
	}
	return 10 * math.Log10(sum/float64(n)/(32768*32768))
}
