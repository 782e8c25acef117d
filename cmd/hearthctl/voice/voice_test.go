package voice

import (
	"strings"
	"testing"

	"hearthd/rigs/ctltest"
)

func TestVoicesAreListedRecordedAndRemoved(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Answer("/v1/voice", 200, `[{"person":"anna","prints":3,"model":"campplus"}]`)
	f.Run(t, "voice", "list").Expect(t, ctltest.Outcome{Stdout: "anna                 3 prints by campplus\n"})
	f.Answer("/v1/voice", 200, "[]")
	f.Run(t, "voice", "list").Expect(t, ctltest.Outcome{
		Stdout: "nobody; hearthctl voice enroll NAME records a voice\n"})
	f.Asked()

	f.Answer("/v1/voice/enroll", 200, `data: {"state":"say","good":0,"of":3}`+"\n\n"+
		`data: {"state":"heard","good":0,"of":3,"problem":"too short: say a whole sentence"}`+"\n\n"+
		`data: {"state":"say","good":2,"of":3}`+"\n\n"+
		`data: {"state":"heard","good":3,"of":3,"seconds":2.75}`+"\n\n"+
		`data: {"state":"done","good":3,"of":3,"model":"campplus"}`+"\n\n")
	f.Run(t, "voice", "enroll", "anna").Expect(t, ctltest.Outcome{Stdout: "Say (1 of 3) “" + sentences[0] +
		"” … too short: say a whole sentence\nSay (3 of 3) “" + sentences[2] + "” … good: 2.8 s\n" +
		"anna is known by voice now. hearthctl voice remove anna forgets it.\n"})
	if got := f.Asked(); got != `POST /v1/voice/enroll {"person":"anna"}` {
		t.Errorf("asked %s", got)
	}

	f.Answer("/v1/voice/remove", 200, "{}")
	f.Run(t, "voice", "remove", "anna").Expect(t, ctltest.Outcome{})
	if got := f.Asked(); got != `POST /v1/voice/remove {"person":"anna"}` {
		t.Errorf("asked %s", got)
	}
	if o := f.Run(t, "voice", "enroll"); o.Code != 1 || !strings.Contains(o.Stderr, "accepts 1 arg") {
		t.Errorf("%+v", o)
	}
}
