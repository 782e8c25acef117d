package esphome

import (
	"context"
	"io"
	"log"
	"net"
	"os"
	"strings"
	"time"

	"github.com/hashicorp/mdns"
	"github.com/miekg/dns"
)

// service is what Home Assistant looks for in the local network.
const service = "_esphomelib._tcp"

// zone answers with the addresses that the box has when it is asked.
type zone struct {
	*Server
	host string
	port int
	ip   net.IP // unspecified: all that the box has
}

// Records implements mdns.Zone.
func (z zone) Records(q dns.Question) []dns.RR {
	txt := []string{
		"friendly_name=" + z.opt.Name, "version=" + z.opt.Version, "platform=Linux", "network=ethernet",
		"mac=" + strings.ReplaceAll(strings.ToLower(z.opt.MAC), ":", ""), "project_name=hearthd.hearthd",
		"project_version=" + z.opt.Version,
	}
	if z.opt.Key != nil {
		txt = append(txt, "api_encryption=Noise_NNpsk0_25519_ChaChaPoly_SHA256")
	}
	s, err := mdns.NewMDNSService(z.opt.Node, service, "local.", z.host, z.port, z.addresses(), txt)
	if err != nil { // it has no address
		return nil
	}
	return s.Records(q)
}

func (z zone) addresses() (list []net.IP) {
	if !z.ip.IsUnspecified() {
		return []net.IP{z.ip}
	}
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() {
			list = append(list, n.IP)
		}
	}
	return list
}

// advertise tells who asks in the local network (multicast DNS, RFC 6762) that the box is there, until ctx ends.
func (s *Server) advertise(ctx context.Context, at net.Addr) {
	tcp, ok := at.(*net.TCPAddr)
	host, err := os.Hostname()
	if !ok || err != nil {
		return
	}
	host, _, _ = strings.Cut(host, ".")
	for told := false; ctx.Err() == nil; told = true {
		server, err := mdns.NewServer(&mdns.Config{
			Zone: zone{s, host + ".local.", tcp.Port, tcp.IP}, Logger: log.New(io.Discard, "", 0),
		})
		if err == nil {
			<-ctx.Done()
			_ = server.Shutdown() // its sockets only
			return
		}
		if !told { // at the start of the box there may be no network yet
			s.opt.Log.Warn("satellite not advertised", "component", "satellite", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(again):
		}
	}
}
