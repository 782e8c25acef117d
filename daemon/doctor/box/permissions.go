package box

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"hearthd/daemon/doctor"
)

// maxOwned bounds how many files of the state folder are looked at.
const maxOwned = 10_000

// identity is an account as the kernel sees it.
type identity struct {
	name   string
	uid    uint32
	groups []uint32
}

// account is the account that the daemon runs as: the owner of its process, or the service's
// account, or, where there is none, that of the caller.
func (b *Box) account() identity {
	if info, err := os.Stat(b.path("proc", strconv.Itoa(b.opt.PID))); b.opt.PID != 0 && err == nil {
		return identify(uidOf(info))
	}
	if u, err := user.Lookup(b.opt.Account); err == nil && !ownedBy(b.opt.StateDir, uint32(os.Getuid())) {
		if n, err := strconv.ParseUint(u.Uid, 10, 32); err == nil {
			return identify(uint32(n))
		}
	}
	return identify(uint32(os.Getuid()))
}

// ownedBy reports whether path belongs to uid; what root owns was made by accident.
func ownedBy(path string, uid uint32) bool {
	info, err := os.Stat(path)
	return err == nil && uid != 0 && uidOf(info) == uid
}

func identify(uid uint32) identity {
	i := identity{name: userName(uid), uid: uid}
	u, err := user.LookupId(strconv.FormatUint(uint64(uid), 10))
	if err != nil {
		return i
	}
	ids, err := u.GroupIds()
	if err != nil {
		return i
	}
	for _, id := range ids {
		if n, err := strconv.ParseUint(id, 10, 32); err == nil {
			i.groups = append(i.groups, uint32(n))
		}
	}
	return i
}

func uidOf(info fs.FileInfo) uint32 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Uid
	}
	return 0
}

func userName(uid uint32) string {
	id := strconv.FormatUint(uint64(uid), 10)
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return id
}

// may reports whether i has all bits of want (4 read, 2 write, 1 enter) on a file.
// Access lists are not looked at.
func (i identity) may(info fs.FileInfo, want fs.FileMode) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || i.uid == 0 {
		return true
	}
	mode := info.Mode().Perm()
	switch {
	case st.Uid == i.uid:
		mode >>= 6
	case slices.Contains(i.groups, st.Gid):
		mode >>= 3
	}
	return mode&want == want
}

// reach finds the first folder on the way to path, or path itself, that i may not
// enter or read.
func (i identity) reach(path string) (blocked string) {
	var way []string
	for p := filepath.Clean(path); ; p = filepath.Dir(p) {
		way = append(way, p)
		if p == "/" || p == "." {
			break
		}
	}
	slices.Reverse(way)
	for n, p := range way {
		info, err := os.Stat(p)
		if err != nil {
			return "" // it is absent, or we may not look ourselves
		}
		want := fs.FileMode(1)
		if n == len(way)-1 {
			want = 4
			if info.IsDir() {
				want = 5
			}
		}
		if !i.may(info, want) {
			return p
		}
	}
	return ""
}

// permissions looks whether the daemon's account can do what the daemon must.
func (b *Box) permissions(context.Context) []doctor.Finding {
	who := b.account()
	found := b.state(who)
	for _, path := range b.opt.Readable {
		if at := who.reach(path); at != "" {
			fix := fmt.Sprintf("chgrp %s %s; chmod g+r %s", b.opt.Account, at, at)
			if at != path {
				fix = fmt.Sprintf("chmod o+x %s", at)
			}
			found = append(found, doctor.New(doctor.Permissions, doctor.Fail, "%s cannot read %s: %s stands in the way",
				who.name, path, mode(at)).Mend("%s", fix))
		}
	}
	for _, path := range b.opt.Private {
		if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o007 != 0 {
			found = append(found, b.closed(who, path, info))
		}
	}
	if devices := b.glob("dev/snd/pcm*"); len(devices) > 0 {
		device := b.path(devices[0])
		if info, err := os.Stat(device); err == nil && !b.groupHas(who, info) {
			found = append(found, doctor.New(doctor.Cards, doctor.Fail, "%s may not use the sound cards (%s)", who.name,
				mode(device)).
				Mend("usermod -aG audio %s; systemctl restart %s", who.name, b.opt.Unit))
		}
	}
	if !slices.ContainsFunc(found, func(f doctor.Finding) bool { return f.Check == doctor.Permissions }) {
		found = append(found, doctor.New(doctor.Permissions, doctor.OK, "%s can read and write what it must", who.name))
	}
	return found
}

// closed is the finding about a secret that everybody can read. If the daemon itself reads it, and
// neither owns it nor has its group, the repair gives it to the daemon's group: otherwise the
// daemon could no longer read it.
func (b *Box) closed(who identity, path string, info fs.FileInfo) doctor.Finding {
	f := doctor.New(doctor.Secrets, doctor.Warn, "everybody can read %s", mode(path))
	rest := info.Mode().Perm() &^ 0o007
	st, ok := info.Sys().(*syscall.Stat_t)
	stays := !ok || who.uid == 0 || who.uid == st.Uid || rest&0o040 != 0 && slices.Contains(who.groups, st.Gid)
	if stays || len(who.groups) == 0 || !slices.Contains(b.opt.Readable, path) {
		f.Repair = func(context.Context) error { return os.Chmod(path, rest) }
		return f.Mend("chmod o= %s", path)
	}
	f.Repair = func(context.Context) error {
		if err := os.Chown(path, -1, int(who.groups[0])); err != nil { // the account's own
			return err
		}
		return os.Chmod(path, rest|0o040)
	}
	return f.Mend("chgrp %s %s; chmod g+r,o= %s", who.name, path, path)
}

// groupHas reports whether who may use a sound device. The unit gives the group audio
// to the account of the service, which need not be a member.
func (b *Box) groupHas(who identity, info fs.FileInfo) bool {
	if who.name == b.opt.Account {
		if g, err := user.LookupGroup("audio"); err == nil {
			if n, err := strconv.ParseUint(g.Gid, 10, 32); err == nil {
				who.groups = append(slices.Clone(who.groups), uint32(n))
			}
		}
	}
	return who.may(info, 6)
}

// state looks at the folder of the memory, and, as far as we may, at what is in it.
func (b *Box) state(who identity) []doctor.Finding {
	dir := b.opt.StateDir
	info, err := os.Stat(dir)
	chown := func(f doctor.Finding) doctor.Finding {
		f.Repair = func(ctx context.Context) error {
			if _, err := ask(ctx, "chown", "-R", "--no-dereference", who.name+":", dir); err != nil {
				return err
			}
			// A daemon that could not open its memory does so at its start.
			_, err := ask(ctx, "systemctl", "try-restart", b.opt.Unit)
			if errors.Is(err, errAbsent) {
				return nil
			}
			return err
		}
		return f.Mend("chown -R %s: %s; systemctl restart %s", who.name, dir, b.opt.Unit)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if who.name != b.opt.Account {
			return nil // the daemon makes it
		}
		return []doctor.Finding{doctor.New(doctor.Permissions, doctor.Fail,
			"%s is not there, and timers and lists have no place", dir).
			Mend("install -d -m 0700 -o %s -g %s %s", who.name, who.name, dir)}
	case err != nil:
		return nil // we may not look; somebody on the way may be to blame
	case !info.IsDir():
		return []doctor.Finding{doctor.New(doctor.Permissions, doctor.Fail, "%s is not a folder", dir).
			Mend("mv %s %s.old; systemctl restart %s", dir, dir, b.opt.Unit)}
	case !who.may(info, 7):
		return []doctor.Finding{chown(doctor.New(doctor.Permissions, doctor.Fail, "%s cannot write %s", who.name,
			mode(dir)))}
	}
	if what, at := b.foreign(dir, who); at != "" {
		return []doctor.Finding{chown(doctor.New(doctor.Permissions, doctor.Fail, "%s cannot %s %s", who.name, what,
			mode(at)))}
	}
	return nil
}

// foreign finds something in dir that who may not write, or, of what people put there to be read, not read.
func (b *Box) foreign(dir string, who identity) (what, bad string) {
	documents := filepath.Join(dir, "knowledge")
	n := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if n++; err != nil || n > maxOwned {
			return filepath.SkipAll // not ours to look at, or enough
		}
		info, err := d.Info()
		need := fs.FileMode(6)
		if what = "write"; path == documents || strings.HasPrefix(path, documents+"/") {
			need, what = 4, "read"
			if d.IsDir() {
				need = 5
			}
		}
		if err == nil && info.Mode().Type()&fs.ModeSymlink == 0 && !who.may(info, need) {
			bad = path
			return filepath.SkipAll
		}
		return nil
	})
	if err != nil {
		return "", ""
	}
	return what, bad
}

// mode is a path as ls shows it.
func mode(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return path
	}
	group := ""
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		group = strconv.FormatUint(uint64(st.Gid), 10)
		if g, err := user.LookupGroupId(group); err == nil {
			group = g.Name
		}
	}
	return fmt.Sprintf("%s (%s, %s:%s)", path, info.Mode(), userName(uidOf(info)), group)
}
