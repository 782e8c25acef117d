package library

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/dhowden/tag"

	"hearthd/config/letters"
	"hearthd/media"
)

const (
	// maxTags is what is read of a file for its tags, and maxReads in how many steps: the parser of tags keeps all that
	// it reads, takes quadratic time for frames of one name, and recurses for boxes within boxes.
	maxTags, maxReads = 16 << 20, 4_000
	// maxComments bounds the Vorbis comments of a file, with a picture among them.
	maxComments = 8 << 20
	maxBlocks   = 1000 // of metadata in FLAC, and pages of Ogg
	maxName     = 200  // bytes
	maxGenre    = 300  // bytes, because the parser's pattern for genres takes quadratic time
)

var errTags = errors.New("the tags are longer than any that are meant")

// readTags fills in what the tags of a file tell. What strangers wrote into a file neither ends the process nor takes
// more than the bounds above.
func readTags(f io.ReadSeeker, t *media.Track) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("read tags: panic: %v", p)
		}
	}()
	r := &bounded{ReadSeeker: f, bytes: maxTags, reads: maxReads}
	var head [12]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	var comments []byte
	switch {
	case string(head[:4]) == "fLaC":
		comments, err = flacComments(r)
	case string(head[:4]) == "OggS":
		comments, err = oggComments(r)
	case string(head[:3]) == "ID3" && head[5]&0x80 != 0:
		return readFrames(synchronised(r, head[:]), t)
	default:
		return readFrames(r, t)
	}
	if err != nil {
		return err
	}
	return readComments(comments, t)
}

// bounded reads no more than is allowed.
type bounded struct {
	io.ReadSeeker
	bytes, reads int
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	if b.reads--; b.reads < 0 || b.bytes <= 0 {
		return 0, errTags
	}
	n, err := b.ReadSeeker.Read(p[:min(len(p), b.bytes)])
	b.bytes -= n
	return n, err
}

// synchronised is an ID3 tag without the zeros that its header says it has after each 0xFF (ID3v2.4.0, 6.1), because
// the parser takes those out in single bytes. Zeros at its end, which are padding, make up for its length.
func synchronised(r *bounded, head []byte) io.ReadSeeker {
	size := 10 + (int(head[6])<<21 | int(head[7])<<14 | int(head[8])<<7 | int(head[9]))
	all, _ := io.ReadAll(io.LimitReader(r, int64(min(size, maxTags)))) // what there is
	body := bytes.ReplaceAll(all, []byte{0xFF, 0}, []byte{0xFF})
	body = append(body, make([]byte, len(all)-len(body)+20)...)
	if len(body) > 5 {
		body[5] &^= 0x80
	}
	return &bounded{ReadSeeker: bytes.NewReader(body), bytes: maxTags, reads: maxReads}
}

// readFrames reads ID3 and MP4 tags.
func readFrames(r io.ReadSeeker, t *media.Track) error {
	m, err := tag.ReadFrom(r)
	if m == nil {
		if errors.Is(err, tag.ErrNoTagsFound) {
			return nil
		}
		return err
	}
	t.Title, t.Artist, t.Album = clean(m.Title()), clean(m.Artist()), clean(m.Album())
	if t.Artist == "" {
		t.Artist = clean(m.AlbumArtist())
	}
	t.Number, _ = m.Track()
	t.Disc, _ = m.Disc()
	for _, key := range []string{"TCON", "TCO"} {
		if text, ok := m.Raw()[key].(string); ok && len(text) > maxGenre {
			return err
		}
	}
	t.Genre = clean(m.Genre())
	return err
}

// flacComments finds the Vorbis comments of a FLAC file (RFC 9639, 8).
func flacComments(r *bounded) ([]byte, error) {
	if _, err := r.Seek(4, io.SeekStart); err != nil {
		return nil, err
	}
	for range maxBlocks {
		var head [4]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return nil, err
		}
		size := int(head[1])<<16 | int(head[2])<<8 | int(head[3])
		switch {
		case head[0]&0x7F == 4 && size <= maxComments:
			comments := make([]byte, size)
			_, err := io.ReadFull(r, comments)
			return comments, err
		case head[0]&0x80 != 0:
			return nil, nil
		}
		if _, err := r.Seek(int64(size), io.SeekCurrent); err != nil {
			return nil, err
		}
	}
	return nil, errTags
}

// oggComments finds the Vorbis comments of an Ogg file (RFC 3533): its second packet.
func oggComments(r *bounded) ([]byte, error) {
	var packet []byte
	packets := 0
	for range maxBlocks {
		var head [27]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return nil, err
		}
		lengths := make([]byte, head[26])
		if _, err := io.ReadFull(r, lengths); err != nil || string(head[:4]) != "OggS" {
			return nil, errors.Join(err, errTags)
		}
		size := 0
		for _, n := range lengths {
			size += int(n)
		}
		page := make([]byte, size)
		if _, err := io.ReadFull(r, page); err != nil {
			return nil, err
		}
		for _, n := range lengths {
			if packets == 1 {
				packet = append(packet, page[:n]...)
			}
			page = page[n:]
			if len(packet) > maxComments {
				return nil, errTags
			}
			if n == 255 {
				continue // the packet goes on
			}
			if packets++; packets == 2 {
				for _, mark := range []string{"\x03vorbis", "OpusTags"} {
					if rest, ok := bytes.CutPrefix(packet, []byte(mark)); ok {
						return rest, nil
					}
				}
				return nil, nil
			}
		}
	}
	return nil, errTags
}

// readComments reads Vorbis comments (Vorbis I, 5).
func readComments(data []byte, t *media.Track) error {
	next := func() ([]byte, bool) {
		if len(data) < 4 {
			return nil, false
		}
		n := uint64(binary.LittleEndian.Uint32(data))
		if n > uint64(len(data)-4) {
			return nil, false
		}
		text := data[4 : 4+n]
		data = data[4+n:]
		return text, true
	}
	if _, ok := next(); !ok { // who wrote them
		return nil
	}
	if len(data) < 4 {
		return errTags
	}
	for data = data[4:]; ; {
		text, ok := next()
		if !ok {
			return nil
		}
		key, value, _ := bytes.Cut(text, []byte("="))
		if len(key) > maxName || len(value) > 10*maxName {
			continue // a picture
		}
		fill(t, strings.ToLower(string(key)), clean(string(value)))
	}
}

func fill(t *media.Track, key, value string) {
	first, _, _ := strings.Cut(value, "/") // 3/12
	number, _ := strconv.Atoi(first)       // without one it is 0
	for k, field := range map[string]*string{
		"title": &t.Title, "artist": &t.Artist, "album": &t.Album, "genre": &t.Genre,
	} {
		if k == key && *field == "" {
			*field = value
		}
	}
	switch key {
	case "tracknumber":
		t.Number = number
	case "discnumber":
		t.Disc = number
	case "albumartist":
		if t.Artist == "" {
			t.Artist = value
		}
	}
}

// clean is a text of a tag as it is shown and said: one line, of letters that are some.
func clean(text string) string {
	text, _, _ = strings.Cut(text, "\x00") // the first of several values
	return strings.Join(strings.Fields(letters.Plain(text, maxName)), " ")
}
