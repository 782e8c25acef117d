package wyoming

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReaderAcceptsDataInTheLineAndInABlock(t *testing.T) {
	// The first is as the Python reference writes it, nulls included.
	wire := `{"type": "audio-chunk", "version": "1.9.0", "data_length": 61, "payload_length": 4}` + "\n" +
		`{"rate": 22050, "width": 2, "channels": 1, "timestamp": null}` + "abcd" +
		`{"type":"transcript","data":{"text":"hello"}}` + "\n" +
		`{"type":"transcript","data":{"text":"old","language":"en"},"data_length":14}` + "\n" + `{"text":"new"}` +
		`{"type":"audio-stop","data":null,"data_length":null,"payload_length":null,"more":[1]}` + "\n"
	r := NewReader(strings.NewReader(wire))
	want := []Event{
		{Type: "audio-chunk", Data: []byte(`{"rate": 22050, "width": 2, "channels": 1, "timestamp": null}`),
			Payload: []byte("abcd")},
		{Type: "transcript", Data: []byte(`{"text":"hello"}`)},
		{Type: "transcript", Data: []byte(`{"language":"en","text":"new"}`)},
		{Type: "audio-stop"},
	}
	for _, w := range want {
		got, err := r.Read()
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(w, got); d != "" {
			t.Error(d)
		}
	}
	if _, err := r.Read(); err != io.EOF {
		t.Errorf("after the last event: %v, want io.EOF", err)
	}
}

func TestReaderRefusesWhatIsOutOfBounds(t *testing.T) {
	for name, tc := range map[string]struct{ wire, want string }{
		"endless line":     {strings.Repeat("x", maxLine+1), "longer than"},
		"negative data":    {`{"type":"a","data_length":-1}` + "\n", "not in 0.."},
		"negative payload": {`{"type":"a","payload_length":-5}` + "\n", "not in 0.."},
		"huge data":        {`{"type":"a","data_length":9223372036854775807}` + "\n", "not in 0.."},
		"huge payload":     {`{"type":"a","payload_length":4294967297}` + "\n", "not in 0.."},
		"beyond int64":     {`{"type":"a","payload_length":1e30}` + "\n", "read wyoming line"},
		"no type":          {`{"data":{}}` + "\n", "no type"},
		"not JSON":         {"GET / HTTP/1.1\n", "read wyoming line"},
		"data not JSON":    {`{"type":"a","data_length":3}` + "\nabc", "read wyoming data"},
		"data no object":   {`{"type":"a","data":[1]}` + "\n", "read wyoming data"},
		"line cut":         {`{"type":"a"`, "unexpected EOF"},
		"data cut":         {`{"type":"a","data_length":3}` + "\n{", "unexpected EOF"},
		"payload cut":      {`{"type":"a","payload_length":3}` + "\n", "unexpected EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewReader(strings.NewReader(tc.wire)).Read()
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
}

func TestAppendRefusesWhatAReaderWould(t *testing.T) {
	for _, e := range []Event{{}, {Type: "a", Data: make([]byte, maxData+1)},
		{Type: "a", Payload: make([]byte, maxPayload+1)}} {
		if b, err := Append(nil, e); err == nil || len(b) > 0 {
			t.Errorf("Append(%.8q) = %d bytes, %v", e.Type, len(b), err)
		}
	}
}

func TestFormatAcceptsOnlyWhatTheVoiceCanPlay(t *testing.T) {
	for _, rate := range []int{8000, 16000, 22050, 24000, 48000} {
		if err := (Format{rate, 2, 1}).Check(); err != nil {
			t.Error(err)
		}
	}
	for _, f := range []Format{{}, {-1, 2, 1}, {7999, 2, 1}, {48001, 2, 1}, {16000, 4, 1}, {16000, 2, 2}} {
		if f.Check() == nil {
			t.Errorf("%+v was accepted", f)
		}
	}
}

func TestServerErrorHidesTheSpokenText(t *testing.T) {
	e, err := NewEvent("error", Complaint{Text: "cannot say 'buy milk'\nnow", Code: "ValueError"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := e.Err("").Error(),
		`wyoming server says "cannot say 'buy milk' now" (code "ValueError")`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := e.Err("buy milk").Error(); strings.Contains(got, "milk") {
		t.Errorf("the text is in %s", got)
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte(`{"type":"audio-chunk","data":{"rate":1},"data_length":14,"payload_length":2}` +
		"\n" + `{"text":"new"}ab`))
	f.Add([]byte(`{"type":"a","data_length":-1}` + "\n"))
	f.Add([]byte(`{"type":"a","data":null}` + "\n{}"))
	f.Fuzz(func(t *testing.T, wire []byte) {
		r := NewReader(bytes.NewReader(wire))
		for {
			e, err := r.Read()
			if err != nil {
				return
			}
			b, err := Append(nil, e)
			if err != nil {
				// Merging two full blocks may make one that is too large to send.
				if len(e.Data) <= maxData {
					t.Fatalf("an event that was read cannot be written: %v", err)
				}
				return
			}
			again, err := NewReader(bytes.NewReader(b)).Read()
			if err != nil {
				t.Fatalf("read %q again: %v", b, err)
			}
			if d := cmp.Diff(e, again); d != "" {
				t.Fatal(d)
			}
		}
	})
}
