package config

import (
	"reflect"
	"strings"
	"testing"
)

func TestEveryProgramIsListed(t *testing.T) {
	c, err := Load(Source{File: write(t, "x.yaml", `
audio: {capture: "file:'|/bin/evil',raw", playback: "plughw:CARD=Kitchen,DEV=0"}
stt: {command: {argv: [whisper, a]}}
tts: {command: {argv: [piper]}}
hooks: [{on: [turn], command: [sh, -c, b]}]
tools:
  mcp: [{name: a, allow: ["*"], command: [npx, c]}, {name: b, allow: ["*"], url: "https://example.org"}]
  knowledge: {pdf: /tmp/pdf}
media: {decoder: /tmp/ffmpeg, sources: [{name: a, command: [librespot]}, {name: b, fifo: /run/b}]}
`)})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range c.Programs() {
		got = append(got, p.Of+" "+strings.Join(p.Command, " "))
	}
	want := "stt.command.argv whisper a; tts.command.argv piper; tools.knowledge.pdf /tmp/pdf; " +
		"media.decoder /tmp/ffmpeg; audio.capture file:'|/bin/evil',raw; " +
		"media.sources[0].command librespot; hooks[0].command sh -c b; tools.mcp[0].command npx c"
	if strings.Join(got, "; ") != want {
		t.Errorf("%s\nwant %s", strings.Join(got, "; "), want)
	}
	std := Default()
	for _, p := range std.Programs() {
		t.Errorf("%v is a default", p)
	}
}

// A key that is called like one of a program is one that Programs gives.
func TestNoKeyOfAProgramIsForgotten(t *testing.T) {
	known := map[string]bool{"STT.Command.Argv": true, "TTS.Command.Argv": true, "Hooks.Command": true,
		"Tools.MCP.Command": true, "Tools.Knowledge.PDF": true, "Media.Decoder": true,
		"Media.Sources.Command": true}
	var walk func(typ reflect.Type, path string)
	walk = func(typ reflect.Type, path string) {
		for typ.Kind() == reflect.Slice {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct {
			return
		}
		for i := range typ.NumField() {
			f := typ.Field(i)
			here := strings.TrimPrefix(path+"."+f.Name, ".")
			switch tag := f.Tag.Get("yaml"); tag {
			case "argv", "command", "program", "exec", "pdf", "decoder":
				if f.Type.Kind() != reflect.Struct && !known[here] {
					t.Errorf("%s is not in Programs", here)
				}
			}
			walk(f.Type, here)
		}
	}
	walk(reflect.TypeFor[Config](), "")
}
