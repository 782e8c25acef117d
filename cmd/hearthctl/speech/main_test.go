package speech

import (
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/llm/wyoming"
	"hearthd/rigs/ctltest"
	"hearthd/speech/model"
	"hearthd/speech/trial"
)

// asServer makes the binary a speech server, with the flags of hearth-speech.
const asServer = "HEARTHCTL_TEST_SPEECH"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) != "" {
		if err := serve(os.Args[2], strings.TrimPrefix(os.Args[4], "unix:")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	ctltest.Main(m, func() { ctl.Execute(ctl.Root("test", Command)) })
}

// serve speaks the protocol of hearth-speech over the models below state. A model whose name has
// "deaf" in it hears other words, one that has "slow" in it needs longer than anybody waits, and
// one that has "broken" in it fails.
func serve(state, path string) error {
	if _, err := os.Stat(filepath.Join(state, model.LibFolder, "libsherpa-onnx-c-api.so")); err != nil {
		return err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer c.Close()
			if err := visit(state, c); err != nil && err != io.EOF {
				fmt.Fprintln(os.Stderr, err)
			}
		}()
	}
}

func visit(state string, c net.Conn) error {
	r := wyoming.NewReader(c)
	var asked struct {
		Name, Language, Text string
		Voice                struct{ Name, Language string }
	}
	var words wyoming.Words
	for {
		e, err := r.Read()
		if err != nil {
			return err
		}
		switch e.Type {
		case "transcribe", "synthesize":
			if err := e.Decode(&asked); err != nil {
				return err
			}
		}
		var answer []wyoming.Event
		switch e.Type {
		case "synthesize":
			answer = speaks(state, asked.Voice.Name)
		case wyoming.Detect:
			if err := e.Decode(&words); err != nil {
				return err
			}
		case wyoming.AudioChunk: // any sound is like any phrase, but not very much
			if len(words.Names) > 0 && words.Context.Cutoffs[words.Names[0]] < 0.4 {
				answer = []wyoming.Event{event(wyoming.Detection, wyoming.Detected{Name: words.Names[0]})}
			}
		case "ping":
			answer = []wyoming.Event{{Type: "pong"}}
		case wyoming.AudioStop:
			if len(words.Names) == 0 {
				answer = hears(state, asked.Name, asked.Language)
			}
		}
		var b []byte
		for _, a := range answer {
			if b, err = wyoming.Append(b, a); err != nil {
				return err
			}
		}
		if _, err := c.Write(b); err != nil {
			return err
		}
	}
}

// which is the model that is asked for, or used.
func which(state string, task model.Task, name, language string) string {
	models, err := model.List(state)
	if err != nil {
		return "broken"
	}
	use, err := model.ReadUse(state)
	if err != nil {
		return "broken"
	}
	if name == "" {
		if m, _ := use.Choose(models, task, language); m != nil {
			name = m.Name
		}
	}
	for _, m := range models {
		if m.Name == name && m.Task() == task {
			return name
		}
	}
	return "broken"
}

func event(kind string, data any) wyoming.Event {
	e, err := wyoming.NewEvent(kind, data)
	if err != nil {
		panic(err)
	}
	return e
}

func speaks(state, name string) []wyoming.Event {
	name = which(state, model.Speak, name, "")
	if strings.Contains(name, "broken") {
		return []wyoming.Event{event("error", map[string]string{"text": "no voice", "code": "no-model"})}
	}
	f := wyoming.Format{Rate: 22050, Width: 2, Channels: 1}
	pcm := make([]byte, 2*22050)
	for i := range len(pcm) / 2 {
		v := int16(9000 * math.Sin(float64(i)/9))
		pcm[2*i], pcm[2*i+1] = byte(v), byte(v>>8)
	}
	return []wyoming.Event{f.Event(wyoming.AudioStart, nil), f.Event(wyoming.AudioChunk, pcm), {Type: wyoming.AudioStop}}
}

func hears(state, name, language string) []wyoming.Event {
	name = which(state, model.Hear, name, language)
	text := trial.Sentence(language)
	switch {
	case strings.Contains(name, "broken"):
		return []wyoming.Event{event("error", map[string]string{"text": "the engine failed", "code": "engine"})}
	case strings.Contains(name, "deaf"):
		text = "mumble"
	case strings.Contains(name, "slow"):
		time.Sleep(quickLimit + 100*time.Millisecond) // as an engine that is too large for the box
	}
	return []wyoming.Event{event("transcript", map[string]string{"text": text})}
}
