package memory

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// print is one that can be found in a file.
func print(v float32) []float32 { return []float32{v, 0.1234567, -v} }

// inFile is how it lies there.
func inFile(v float32) []byte {
	b := binary.LittleEndian.AppendUint32(nil, math.Float32bits(v))
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(0.1234567))
}

// all is what stands in the files of a folder.
func all(t *testing.T, dir string) (b []byte) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		b = append(b, readFile(t, f)...)
	}
	return b
}

func TestVoicePrintsAreOverwrittenWhenTheirPersonIsForgotten(t *testing.T) {
	for how, forget := range map[string]func(*Store) (Forgotten, error){
		"voice":      func(s *Store) (Forgotten, error) { return s.ForgetVoice(t.Context(), "Anna Lee") },
		"name":       func(s *Store) (Forgotten, error) { return s.ForgetAbout(t.Context(), "anna lee") },
		"everything": func(s *Store) (Forgotten, error) { return s.ForgetEverything(t.Context()) },
	} {
		dir := t.TempDir()
		s := openAt(t, filepath.Join(dir, "hearthd.db"))
		for person, v := range map[string]float32{"Anna Lee": 0.7654321, "Ben": 0.2345678} {
			if err := s.SetVoicePrints(t.Context(), person, "m", print(9), print(8)); err != nil {
				t.Fatal(err)
			}
			if err := s.SetVoicePrints(t.Context(), person, "m", print(v)); err != nil {
				t.Fatal(err)
			}
		}
		want := []VoicePrint{{"Anna Lee", "m", print(0.7654321)}, {"Ben", "m", print(0.2345678)}}
		if got, err := s.VoicePrints(t.Context()); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%v, %v", got, err)
		}
		if made, err := s.Backup(t.Context()); err != nil || !made {
			t.Fatal(made, err)
		}
		if !bytes.Contains(all(t, dir), inFile(0.7654321)) {
			t.Fatal("the print never was in the files")
		}
		f, err := forget(s)
		if n := map[bool]int{true: 2, false: 1}[how == "everything"]; err != nil || f.Prints != n || f.Total() != n {
			t.Errorf("%s: %+v, %v", how, f, err)
		}
		if bytes.Contains(all(t, dir), inFile(0.7654321)) {
			t.Errorf("%s: the print is still in the files", how)
		}
		if got, err := s.VoicePrints(t.Context()); err != nil || how != "everything" && !cmp.Equal(got, want[1:]) ||
			how == "everything" && len(got) > 0 {
			t.Errorf("%s: left are %v, %v", how, got, err)
		}
	}
}

func TestVoicePrintsAreBounded(t *testing.T) {
	s := openNew(t)
	for _, tc := range []struct {
		person string
		prints [][]float32
		want   error
	}{
		{"", [][]float32{print(1)}, ErrTooLong}, {strings.Repeat("a", 101), [][]float32{print(1)}, ErrTooLong},
		{"anna", make([][]float32, 21), ErrTooMany}, {"anna", [][]float32{nil}, nil},
		{"anna", [][]float32{make([]float32, 5000)}, nil},
	} {
		err := s.SetVoicePrints(t.Context(), tc.person, "m", tc.prints...)
		if err == nil || tc.want != nil && !errors.Is(err, tc.want) {
			t.Errorf("%.20q with %d: %v", tc.person, len(tc.prints), err)
		}
	}
	if got, err := s.VoicePrints(t.Context()); err != nil || len(got) > 0 {
		t.Errorf("%v, %v", got, err)
	}
}
