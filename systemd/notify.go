package systemd

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"time"

	"hearthd/config/letters"

	"github.com/coreos/go-systemd/v22/daemon"
	"golang.org/x/sys/unix"
)

// notifyWait bounds one message to the service manager. go-systemd's own send
// has no bound, and a stalled manager must not hold up the caller.
const notifyWait = time.Second

// maxStatus is the longest STATUS= text in bytes; the manager drops a datagram
// above 4096 (PIPE_BUF) whole.
const maxStatus = 1024

// Notifier reports the daemon's state to the service manager, by the protocol of sd_notify(3). Its
// methods may be called by several goroutines, wait at most a second, and do nothing when there is
// no service manager.
type Notifier struct {
	addr string
}

// NewNotifier returns a Notifier that sends to the socket named by addr, which
// is the value of $NOTIFY_SOCKET: a path, or @name for an abstract socket.
// An empty addr means that no service manager listens.
func NewNotifier(addr string) *Notifier {
	return &Notifier{addr: addr}
}

// Ready says that start-up, or a reload, is done.
func (n *Notifier) Ready() error { return n.send(daemon.SdNotifyReady) }

// Status sets the line that systemctl status shows. Line breaks become spaces,
// and what is over 1024 bytes is cut.
func (n *Notifier) Status(text string) error {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
	return n.send("STATUS=" + letters.Marked(strings.ToValidUTF8(text, "\uFFFD"), maxStatus, cutMark))
}

// Reloading says that a reload begins; Ready ends it. Managers from version 253 on also require the
// time; older ones ignore it.
func (n *Notifier) Reloading() error {
	return n.send(daemon.SdNotifyReloading + "\n" + daemon.SdNotifyMonotonicUsec())
}

// Stopping says that the daemon ends.
func (n *Notifier) Stopping() error { return n.send(daemon.SdNotifyStopping) }

// Store gives the service manager a connection to keep under name for the next process
// of this unit, as far as FileDescriptorStoreMax= allows; the caller closes its own. The
// manager drops those whose other side hangs up.
func (n *Notifier) Store(name string, c syscall.Conn) error {
	if n.addr == "" {
		return errors.New("store connection: there is no service manager")
	}
	if err := n.store(name, c); err != nil {
		return fmt.Errorf("store connection %q: %w", name, err)
	}
	return nil
}

func (n *Notifier) store(name string, c syscall.Conn) (err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	// Not connected: Go sends descriptors from no other datagram socket.
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Net: "unixgram"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := conn.SetWriteDeadline(time.Now().Add(notifyWait)); err != nil {
		return err
	}
	to := &net.UnixAddr{Name: n.addr, Net: "unixgram"}
	var sent error
	err = raw.Control(func(fd uintptr) {
		_, _, sent = conn.WriteMsgUnix([]byte("FDSTORE=1\nFDNAME="+name), unix.UnixRights(int(fd)), to)
	})
	return errors.Join(err, sent)
}

// Unstore lets go of all that is stored under name: this process has taken it over, and
// what it closes shall be closed.
func (n *Notifier) Unstore(name string) error { return n.send("FDSTOREREMOVE=1\nFDNAME=" + name) }

// alive resets the manager's watchdog. Only Watchdog may say so.
func (n *Notifier) alive() error { return n.send(daemon.SdNotifyWatchdog) }

// send dials each time: the manager may have replaced its socket since.
func (n *Notifier) send(state string) (err error) {
	if n.addr == "" {
		return nil
	}
	name, _, _ := strings.Cut(state, "=")
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: n.addr, Net: "unixgram"})
	if err != nil {
		return fmt.Errorf("notify %s: %w", name, err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := conn.SetWriteDeadline(time.Now().Add(notifyWait)); err != nil {
		return fmt.Errorf("notify %s: %w", name, err)
	}
	if _, err := conn.Write([]byte(state)); err != nil {
		return fmt.Errorf("notify %s: %w", name, err)
	}
	return nil
}
