package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"hearthd/audio"
	"hearthd/audio/aec"
	"hearthd/config"
	"hearthd/rigs/hearing"
	"hearthd/rigs/hearing/bed"
)

// loudWay is the way of one's own loud music: a loudspeaker that is driven hard, 13 cm from the
// microphone in a room that rings for half a second, and a person two metres away.
func loudWay(drift float64) (hearing.Echoes, []float64) {
	room, mic := bed.Kitchen(), [3]float64{2.12, 1.4, 1.04}
	room.RT60 = 0.5
	return hearing.Echoes{Name: fmt.Sprintf("%g ppm", drift), Path: bed.Path{
		Response: room.Response([3]float64{2, 1.4, 1}, mic, 3), Level: -26, Delay: 70 * time.Millisecond, Drift: drift,
		Speaker: bed.Driven,
	}}, room.Response([3]float64{0.9, 2.2, 1.5}, mic, 4)
}

// callable are the words of rigs/hearing/said.sh.
var callable = []string{"alexa", "okay nabu", "hey jarvis", "stop"}

// loud measures what is heard over music of its own.
func (b *bench) loud(ctx context.Context) error {
	b.w.title(2, "Its own music")
	if b.leftOut("recorded", "said", "models") {
		return nil
	}
	record, err := bed.RecordedNoises()[0].Noise(ctx, b.recorded)
	if err != nil {
		return err
	}
	words, err := b.words()
	if err != nil {
		return err
	}
	ears := b.ears(ctx, func(c *config.Config) { c.Wake.Words = words })
	length := int(audio.Samples(b.own))
	music := bed.Music(record.Make(length, 5))
	voices := make(map[string][]bed.Speech)
	for _, word := range callable {
		if _, voices[word], err = b.familiar(ears, word); err != nil {
			return err
		}
	}
	var rows [][]string
	for _, over := range []float64{0, 5, 10} { // dB that the music is louder than a person, at the microphone
		way, response := loudWay(30)
		echo := way.Path.Echo(music)
		scene := &hearing.Scene{
			Under: func(int) []float64 { return append([]float64(nil), echo...) },
			Far:   music.Played(), Response: response, Level: way.Path.Level - over,
		}
		row := []string{fmt.Sprintf("+%g dB", over)}
		for _, word := range callable {
			found, _, err := hearing.Call(ears, word, voices[word], scene)
			if err != nil {
				return err
			}
			row = append(row, fmt.Sprintf("%s of %d", percent(hearing.Count(found), len(found)), len(found)))
		}
		noticed, cut, err := hearing.Begin(ears, b.people, scene)
		if err != nil {
			return err
		}
		row = append(row, percent(hearing.Count(noticed), len(noticed)), percent(hearing.Count(cut), len(cut)))
		alone, err := hearing.Nobody(ears, scene, length)
		if err != nil {
			return err
		}
		erle := hearing.Suppress(aec.New(), way, music)
		row = append(row, fmt.Sprint(alone.Ducks), fmt.Sprint(alone.Cuts), fmt.Sprint(alone.Wakes),
			fmt.Sprintf("%.0f dB", erle.After15), fmt.Sprintf("%.0f dB", erle.Last))
		rows = append(rows, row)
	}
	b.overMusic(rows)
	return b.ownWords(ctx, ears)
}

// overMusic prints what was heard over music.
func (b *bench) overMusic(rows [][]string) {
	b.w.text("%v of recorded music (Debian packages %s) from its own loudspeaker, driven hard (`bed.Driven`), at -26 "+
		"dBFS at the microphone, in a kitchen with an RT60 of 0.5 s, at 30 ppm drift, and people two metres away, so "+
		"many dB softer. Heard: wake words and `stop` by the synthetic voices of `said.sh` whom it hears in a quiet "+
		"room; people: sentences that were noticed, and long enough to cut an answer. Alone: what the music by itself "+
		"leads to.",
		b.own, strings.Join(bed.RecordedNoises()[0].Packages, ", "))
	b.w.table([]string{"music over the voice", "alexa", "okay nabu", "hey jarvis", "stop", "people", "long enough",
		"alone: ducked", "cut", "woken", "ERLE 15-20 s", "last 10 s"}, rows)
}

// singing measures what music with singing leads to by itself.
func (b *bench) singing(ctx context.Context) error {
	b.w.title(2, "Its own music, with singing")
	if b.leftOut("recorded", "models") {
		return nil
	}
	record, err := bed.RecordedNoises()[0].Noise(ctx, b.recorded)
	if err != nil {
		return err
	}
	words, err := b.words()
	if err != nil {
		return err
	}
	songs, err := bed.Sung(ctx, 7)
	if err != nil {
		return err
	}
	length := int(audio.Samples(b.own))
	music := bed.Music(bed.WithSinging(record.Make(length, 8), songs, 9))
	way, _ := loudWay(30)
	echo := way.Path.Echo(music)
	alone, err := hearing.Nobody(b.ears(ctx, func(c *config.Config) { c.Wake.Words = words }),
		&hearing.Scene{Under: func(int) []float64 { return echo }, Far: music.Played()}, length)
	if err != nil {
		return err
	}
	b.w.text("%v of that music, over which festival's voices sing %d songs, as loud as the music; nobody is in the "+
		"room. Ducked: %d, cut: %d, woken: %d.",
		b.own, len(songs), alone.Ducks, alone.Cuts, alone.Wakes)
	return ctx.Err()
}

// ownWords has the speaker say the wake words itself.
func (b *bench) ownWords(ctx context.Context, ears hearing.Ears) error {
	const length = 15 * time.Minute
	var words []bed.Speech
	for _, word := range callable {
		said, err := b.strangers(word)
		if err != nil {
			return err
		}
		words = append(words, said...)
	}
	answers := bed.Answers(words, length.Seconds(), 6)
	way, _ := loudWay(0)
	alone, err := hearing.Listens(ears, way, answers, nil)
	if err != nil {
		return err
	}
	b.w.text("The same loudspeaker says %d of these words itself, nobody else speaks: %d wake words or stops are "+
		"heard, %d answers ducked, %d cut.",
		len(answers.Turns()), alone.Wakes, alone.Ducks, alone.Cuts)
	return ctx.Err()
}
