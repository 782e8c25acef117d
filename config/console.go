package config

import (
	"net"
	"strconv"
)

// maxRecordings bounds console.recordings; the timeline bounds their bytes.
const maxRecordings = 100

// Console is the web page of the box.
type Console struct {
	// Listen is the address of the page, HOST:PORT; empty: there is none.
	Listen string `yaml:"listen"`
	// Hosts are names that browsers may ask for, beside addresses, localhost and the
	// name of this host.
	Hosts []string `yaml:"hosts"`
	// Token is what everybody must know; empty or absent: one is made.
	Token    Secret `yaml:"token"`
	CertFile string `yaml:"cert_file"`
	KeyFile  string `yaml:"key_file"`
	// Talk is how many browsers may be microphone and speaker at once; 0: none.
	Talk int `yaml:"talk"`
	// Recordings is how many utterances are kept in memory for replay; 0: none.
	Recordings int `yaml:"recordings"`
}

func defaultConsole() Console {
	return Console{Listen: "127.0.0.1:4327", Hosts: []string{}, Token: "credential:hearthd.console", Talk: 2}
}

// hostName is a name of a host, in small letters.
const hostName = `^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$`

func (c *Console) check(k *checker) {
	if c.Listen != "" {
		_, port, err := net.SplitHostPort(c.Listen)
		if n, nerr := strconv.Atoi(port); err != nil || nerr != nil || n < 0 || n > 65535 {
			k.add("console.listen", c.Listen, "must be HOST:PORT, or empty")
		}
	}
	for i, name := range c.Hosts {
		k.match("console.hosts["+strconv.Itoa(i)+"]", name, hostName,
			"must be a host's name in small letters, without a port")
	}
	k.between("console.talk", c.Talk, 0, 8)
	k.between("console.recordings", c.Recordings, 0, maxRecordings)
	if (c.CertFile == "") != (c.KeyFile == "") {
		k.add("console.key_file", c.KeyFile, "console.cert_file and console.key_file go together")
	}
}

// Trace is the collector that is told how each turn went. An empty URL means that
// nobody is.
type Trace struct {
	URL string `yaml:"url"` // for OTLP over HTTP
	Key Secret `yaml:"key"` // bearer token
}

func (t *Trace) check(k *checker) {
	if t.URL != "" {
		k.http("trace.url", t.URL)
	}
}
