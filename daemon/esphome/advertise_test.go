package esphome

import (
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

func TestBoxIsAdvertisedAsESPHomeDoes(t *testing.T) {
	o := options(new(kitchen))
	o.Key = testKey
	s, err := New(o)
	check(t, err)
	z := zone{s, "kitchen.local.", 6053, net.IPv4(192, 168, 1, 2)}
	var srv *dns.SRV
	var txt []string
	var at []string
	for _, r := range z.Records(dns.Question{Name: service + ".local.", Qtype: dns.TypePTR, Qclass: dns.ClassINET}) {
		switch r := r.(type) {
		case *dns.SRV:
			srv = r
		case *dns.TXT:
			txt = r.Txt
		case *dns.A:
			at = append(at, r.A.String())
		}
	}
	if srv == nil || srv.Port != 6053 || srv.Target != "kitchen.local." || !strings.HasPrefix(srv.Hdr.Name, "demo._esphomelib._tcp.") {
		t.Errorf("%v", srv)
	}
	if !slices.Equal(at, []string{"192.168.1.2"}) {
		t.Errorf("at %v", at)
	}
	for _, want := range []string{"mac=020000000001", "friendly_name=Demo speaker", "api_encryption=Noise_NNpsk0_25519_ChaChaPoly_SHA256"} {
		if !slices.Contains(txt, want) {
			t.Errorf("%s is not in %q", want, txt)
		}
	}
	z.ip = net.IPv4zero
	for _, ip := range z.addresses() {
		if ip.IsLoopback() || ip.IsUnspecified() {
			t.Errorf("nobody reaches %v", ip)
		}
	}
}
