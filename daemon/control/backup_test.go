package control

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// fakeBackup gives two files, or what the context asks for.
func fakeBackup(_ context.Context, give func(string, int64, io.Reader) error) error {
	return errors.Join(give("state/hearthd.db", 3, strings.NewReader("abc")),
		give("state/calendar.ics", 0, strings.NewReader("")))
}

func TestBackupIsATarThatIsWholeOrNone(t *testing.T) {
	r := onSocket(t)
	res, err := r.Get("http://hearthd/v1/backup")
	if err != nil {
		t.Fatal(err)
	}
	in := tar.NewReader(res.Body)
	var got []string
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, h.Name+"="+string(text))
	}
	if want := "state/hearthd.db=abc state/calendar.ics="; strings.Join(got, " ") != want {
		t.Errorf("got %q", got)
	}
	res.Body.Close()

	r.backup = func(_ context.Context, give func(string, int64, io.Reader) error) error {
		return errors.Join(give("state/hearthd.db", 1e5, strings.NewReader(strings.Repeat("x", 1e5))),
			errors.New("the disk is gone"))
	}
	res, err = r.Get("http://hearthd/v1/backup")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(res.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a backup that was broken off ends with %v", err)
	}
	res.Body.Close()

	r.backup = func(context.Context, func(string, int64, io.Reader) error) error { return errors.New("no room") }
	if code, body := r.do(http.MethodGet, "/v1/backup", ""); code != 500 || !strings.Contains(body, "no room") {
		t.Errorf("%d %s", code, body)
	}
}
