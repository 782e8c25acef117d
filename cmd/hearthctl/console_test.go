package main

import (
	"testing"

	"hearthd/rigs/ctltest"
)

func TestConsoleTellsWhereItIsAndTheToken(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Answer("/v1/console", 200, `{"urls":["http://127.0.0.1:4327/"],"token":"ABC","metrics":"DEF"}`)
	f.Run(t, "console").Expect(t, ctltest.Outcome{Stdout: "http://127.0.0.1:4327/#token=ABC\ntoken: ABC\n"})
	f.Run(t, "console", "--metrics").Expect(t, ctltest.Outcome{Stdout: "DEF\n"})
	f.Answer("/v1/console", 200, `{"urls":[]}`)
	f.Run(t, "console").Expect(t, ctltest.Outcome{Stderr: "hearthctl: there is no console: console.listen is empty\n",
		Code: 1})
	f.Answer("/v1/console", 200, `{"urls":[],"problem":"address in use"}`)
	f.Run(t, "console").Expect(t, ctltest.Outcome{Stderr: "hearthctl: the console is not served: address in use\n",
		Code: 1})
}

func TestMQTTClientIsToldHowToJoinAsItsProgramsReadIt(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Answer("/v1/mqtt/client", 200, `{"host":"127.0.0.1","port":"1883","user":"hearthd","password":"ABC"}`)
	f.Run(t, "mqtt", "client").Expect(t, ctltest.Outcome{Stdout: "-h 127.0.0.1\n-p 1883\n-u hearthd\n-P ABC\n"})
	f.Answer("/v1/mqtt/client", 404, `{"error":"there is no broker of its own: mqtt.broker is not embedded"}`)
	f.Run(t, "mqtt", "client").Expect(t, ctltest.Outcome{Stderr: "hearthctl: there is no broker of its own: " +
		"mqtt.broker is not embedded\n", Code: 1})
}
