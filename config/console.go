package config

// Console is the web page of the box.
type Console struct {
	// Listen is the address of the page, HOST:PORT; empty: there is none.
	Listen string `yaml:"listen" form:"port"`
	// Hosts are names that browsers may ask for, beside addresses, localhost and the
	// name of this host.
	Hosts []string `yaml:"hosts" need:"yes" form:"host"`
	// Token is what everybody must know; empty or absent: one is made.
	Token    Secret `yaml:"token"`
	CertFile string `yaml:"cert_file"`
	KeyFile  string `yaml:"key_file"`
	// Talk is how many browsers may be microphone and speaker at once; 0: none.
	Talk int `yaml:"talk" min:"0" max:"8"`
	// Recordings is how many utterances are kept in memory for replay; 0: none.
	Recordings int `yaml:"recordings" min:"0" max:"100"`
}

// Satellite is what Home Assistant connects to as ESPHome's native API.
type Satellite struct {
	Listen string `yaml:"listen" form:"port"` // HOST:PORT; empty: nothing listens
	Key    Secret `yaml:"key"`                // 32 bytes in base64; without them only this machine may connect
}

// Trace is the collector that is told how each turn went. An empty URL means that
// nobody is.
type Trace struct {
	URL string `yaml:"url" form:"http"` // for OTLP over HTTP
	Key Secret `yaml:"key"`             // bearer token
}
