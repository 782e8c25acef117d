package bed

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"hearthd/audio"
)

// verses are of songs that belong to everybody.
var verses = []string{
	"amazing grace how sweet the sound that saved a wretch like me i once was lost but now am found was blind but now " +
		"i see",
	"oh danny boy the pipes the pipes are calling from glen to glen and down the mountain side",
	"should old acquaintance be forgot and never brought to mind we will take a cup of kindness yet for days of long ago",
	"swing low sweet chariot coming for to carry me home i looked over jordan and what did i see",
}

// Sung is singing: festival's voices, which sing each verse in two keys to a melody of each seed.
func Sung(ctx context.Context, seed uint64) ([][]float64, error) {
	dir, err := os.MkdirTemp("", "sung")
	if err != nil {
		return nil, fmt.Errorf("make folder for songs: %w", err)
	}
	defer os.RemoveAll(dir)
	rnd := rand.New(rand.NewPCG(seed, 0x50c6))
	var list [][]float64
	for _, voice := range []string{"kal_diphone", "ked_diphone"} {
		for _, octave := range []int{2, 3} {
			for _, verse := range verses {
				song, file := filepath.Join(dir, "song.xml"), filepath.Join(dir, "song.wav")
				if err := os.WriteFile(song, []byte(score(rnd, verse, octave)), 0o600); err != nil {
					return nil, fmt.Errorf("write song: %w", err)
				}
				cmd := exec.CommandContext(ctx, "text2wave", "-mode", "singing", "-eval", "(voice_"+voice+")", "-F",
					fmt.Sprint(audio.Rate),
					"-o", file, song)
				if out, err := cmd.CombinedOutput(); err != nil {
					return nil, fmt.Errorf("sing (packaging/deps.sh hearing installs festival): %w: %.300s", err, out)
				}
				sound, err := clip{name: file}.decode(ctx, piece)
				if err != nil {
					return nil, err
				}
				list = append(list, level(sound, 0))
			}
		}
	}
	return list, nil
}

// score is a verse with a note of a scale for each word.
func score(rnd *rand.Rand, verse string, octave int) string {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\"?>\n<!DOCTYPE SINGING PUBLIC \"-//SINGING//DTD SINGING mark up//EN\" " +
		"\"Singing.v0_1.dtd\" []>\n<SINGING BPM=\"90\">\n")
	at, scale := rnd.IntN(5), []string{"C", "D", "E", "G", "A"}
	for word := range strings.FieldsSeq(verse) {
		at = min(max(at+rnd.IntN(5)-2, 0), 2*len(scale)-1)
		fmt.Fprintf(&b, "<PITCH NOTE=\"%s%d\"><DURATION BEATS=\"%.1f\">%s</DURATION></PITCH>\n", scale[at%len(scale)],
			octave+at/len(scale), 0.5+0.5*float64(rnd.IntN(3)), word)
	}
	return b.String() + "</SINGING>\n"
}

// WithSinging is music over which one song after the other is sung, as loud as the music.
func WithSinging(music []float64, songs [][]float64, seed uint64) []float64 {
	rnd, out := rand.New(rand.NewPCG(seed, 0x50c7)), append([]float64(nil), music...)
	g := math.Sqrt(power(music))
	for at := 0; at < len(out); at += int((1 + 4*rnd.Float64()) * audio.Rate) {
		for _, v := range songs[rnd.IntN(len(songs))] {
			if at == len(out) {
				break
			}
			out[at] += g * v
			at++
		}
	}
	return level(out, 0)
}
