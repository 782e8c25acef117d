package main

import "testing"

func TestConsoleTellsWhereItIsAndTheToken(t *testing.T) {
	f := newFake(t)
	f.answer("/v1/console", 200, `{"urls":["http://127.0.0.1:4327/"],"token":"ABC","metrics":"DEF"}`)
	f.run(t, "console").expect(t, outcome{stdout: "http://127.0.0.1:4327/#token=ABC\ntoken: ABC\n"})
	f.run(t, "console", "--metrics").expect(t, outcome{stdout: "DEF\n"})
	f.answer("/v1/console", 200, `{"urls":[]}`)
	f.run(t, "console").expect(t, outcome{stderr: "hearthctl: there is no console: console.listen is empty\n", code: 1})
	f.answer("/v1/console", 200, `{"urls":[],"problem":"address in use"}`)
	f.run(t, "console").expect(t, outcome{stderr: "hearthctl: the console is not served: address in use\n", code: 1})
}

func TestMQTTClientIsToldHowToJoinAsItsProgramsReadIt(t *testing.T) {
	f := newFake(t)
	f.answer("/v1/mqtt/client", 200, `{"host":"127.0.0.1","port":"1883","user":"hearthd","password":"ABC"}`)
	f.run(t, "mqtt", "client").expect(t, outcome{stdout: "-h 127.0.0.1\n-p 1883\n-u hearthd\n-P ABC\n"})
	f.answer("/v1/mqtt/client", 404, `{"error":"there is no broker of its own: mqtt.broker is not embedded"}`)
	f.run(t, "mqtt", "client").expect(t, outcome{stderr: "hearthctl: there is no broker of its own: mqtt.broker is not embedded\n", code: 1})
}
