package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hearthd/rigs/testcard"
)

// record makes a file of a tone with tags.
func record(t *testing.T, path string, tags ...string) {
	t.Helper()
	argv := []string{"-loglevel", "error", "-f", "lavfi", "-i", "sine=frequency=440:duration=60", "-af", "volume=4"}
	for _, tag := range tags {
		argv = append(argv, "-metadata", tag)
	}
	if out, err := exec.Command("ffmpeg", append(argv, path)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

func TestMusicOfAFolderIsPlayedByNameAndGoesOnAfterARestart(t *testing.T) {
	folder := t.TempDir()
	record(t, filepath.Join(folder, "a.mp3"), "title=Sinnerman", "artist=Nina Simone", "album=Pastel Blues")
	record(t, filepath.Join(folder, "b.flac"), "title=Autobahn", "artist=Kraftwerk", "genre=Electronic")
	k := newKitchen(t, "HEARTHD_MEDIA_FOLDER="+folder, "HEARTHD_MEDIA_VOLUME=100", "HEARTHD_AUDIO_VOLUME=100")
	k.begin()
	k.await("the folder", func(Status) bool {
		return k.ask("what music is there").Answer == "There is music: two tracks by two artists."
	})
	for said, want := range map[string]string{
		"play some polka":            "I find nothing called polka. There is music: two tracks by two artists.",
		"play the album pastel blue": "Sinnerman, by Nina Simone.", "play craft work": "Autobahn, by Kraftwerk.",
		"play some electronic": "Autobahn, by Kraftwerk.",
	} {
		if doc := k.ask(said); doc.Answer != want {
			t.Errorf("%s: %+v", said, doc)
		}
	}
	if doc := k.ask("play something by nina simone"); doc.Answer != "Sinnerman, by Nina Simone." {
		t.Fatalf("%+v", doc)
	}
	k.await("an idle box", func(s Status) bool { return s.State == "idle" })
	k.audible(k.played())
	from := k.played()
	k.await("a second of 16 bits", func(Status) bool { return k.played() > from+2*testcard.Rate })
	check(t, k.Stop())
	k.begin()
	if doc := k.ask("continue the music"); doc.Outcome != "answered" {
		t.Errorf("%+v", doc)
	}
	if doc := k.ask("what song is this"); doc.Answer != "This is Sinnerman by Nina Simone." {
		t.Errorf("%+v", doc)
	}
	if doc := k.ask("how much of this song is left"); !strings.HasPrefix(doc.Answer, "It takes a minute, and ") &&
		!strings.HasPrefix(doc.Answer, "It takes one minute, and ") {
		t.Errorf("%+v", doc)
	}
}

func TestMusicIsPlayedInAnotherRoomAndMovedThere(t *testing.T) {
	folder := t.TempDir()
	record(t, filepath.Join(folder, "a.mp3"), "title=Sinnerman", "artist=Nina Simone", "album=Pastel Blues")
	two := neighbours(t, "HEARTHD_MEDIA_STATIONS="+stations(t, "Radio One"), "HEARTHD_MEDIA_FOLDER="+folder)
	bedroom, here := two[0], two[1]
	for _, k := range two {
		k.await("the folder", func(Status) bool {
			return k.ask("what music is there").Answer == "There is the radio station Radio One. There is music: one track by one artist."
		})
	}
	for _, c := range []struct {
		box                     *kitchen
		say, answer             string
		inBedroom, inTheKitchen string
	}{
		{here, "play radio one in the bedroom", "Radio One.", "This is Radio One", "Nothing"},
		{here, "stop the music on the bedroom speaker", "Okay.", "Nothing", "Nothing"},
		{here, "play pastel blues in the kitchen", "Sinnerman, by Nina Simone.", "Nothing", "This is Sinnerman"},
		{here, "move the music to the bedroom", "Sinnerman, by Nina Simone.", "This is Sinnerman", "Nothing"},
		{bedroom, "play it in the kitchen", "Sinnerman, by Nina Simone.", "Nothing", "This is Sinnerman"},
		{bedroom, "move the music to the kitchen", "Nothing is playing.", "Nothing", "This is Sinnerman"},
	} {
		doc := c.box.ask(c.say)
		inBedroom, inKitchen := bedroom.ask("what is playing").Answer, here.ask("what is playing").Answer
		if doc.Answer != c.answer || !strings.HasPrefix(inBedroom, c.inBedroom) || !strings.HasPrefix(inKitchen, c.inTheKitchen) {
			t.Errorf("%q: %q; bedroom: %q; kitchen: %q", c.say, doc.Answer, inBedroom, inKitchen)
		}
	}
}
