package main

import (
	"hearthd/rigs/ctltest"

	"strings"
	"testing"
)

func TestOwnerSeesAndSaysWhatLetsSomebodyIn(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Answer("/v1/devices", 200, `{"devices":[`+
		`{"id":"lock.a","kind":"lock","name":"Front door","entrance":{"is":true,"why":"it is a lock"}},`+
		`{"id":"switch.b","kind":"switch","name":"Garage","area":"Yard","entrance":{"is":false,"why":"you said so","marked":true}},`+
		`{"id":"light.c","kind":"light","name":"Lamp"},{"id":"light.d","kind":"light","name":"Lamp"}],"skipped":[]}`)
	f.Run(t, "entrances", "list").Expect(t, ctltest.Outcome{Stdout: "Front door (lock.a): it is a lock\nGarage, Yard " +
		"(switch.b): not, you said so\n"})
	f.Asked()
	for args, want := range map[string]string{
		"mark garage":   `POST /v1/devices/entrance {"id":"switch.b","is":true}`,
		"unmark lock.a": `POST /v1/devices/entrance {"id":"lock.a","is":false}`,
		"auto light.c":  `POST /v1/devices/entrance {"id":"light.c","auto":true}`,
		"mark nothing":  "",
		"mark lamp":     "",
		"unmark FRONT":  "",
	} {
		out := f.Run(t, append([]string{"entrances"}, strings.Fields(args)...)...)
		_, got, _ := strings.Cut(f.Asked(), ", ")
		if got != want || (out.Code == 0) != (want != "") {
			t.Errorf("%s: asked %s, want %s; %+v", args, got, want, out)
		}
	}
}
