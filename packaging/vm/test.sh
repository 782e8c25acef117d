#!/usr/bin/env bash
# Accepts the package in fresh Debian systems under a real systemd: makes a root with
# mmdebstrap, boots it with systemd-nspawn, installs the package, talks, breaks it in
# every way there is, upgrades, removes and purges it. Prints a table, and
# leaves nothing on the host. What a container cannot show, a real sound driver and a
# clock that jumps, is shown in QEMU (packaging/vm/qemu.sh), which this calls.
#
# usage: packaging/vm/test.sh [bookworm|trixie]...     (both; as root)
#
# PACKAGE and PREVIOUS name .deb files of the architecture; without them
# this tree's is built, and that of the newest tag or, without tags, of the commit
# before. ROOTS names a folder that keeps the Debian roots for another time. QEMU=no
# leaves QEMU out, POWER=N cuts the power N times (100), and TURNS=N has it answer N
# requests (200). WEEK=yes adds seven days of twelve requests an hour, which a fast clock
# makes an hour. SPEECH names a folder for the speech server (speech.sh), IDLE=yes waits until
# its models are unloaded, and ONLY=speech or ONLY=upgrade tries nothing else. ARCH=arm64 boots that architecture,
# in QEMU only. RESULTS.md is what came of it last.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
[ $# -gt 0 ] || set -- bookworm trixie

if [ "$(id -u)" != 0 ]; then
	echo "vm-test: only root can boot a container" >&2
	exit 2
fi
arch=${ARCH:-$(dpkg --print-architecture)}
if [ "$arch" = "$(dpkg --print-architecture)" ]; then
	packaging/deps.sh vm-test
else
	packaging/deps.sh vm-test-foreign
	arch-test "$arch" >/dev/null || {
		echo "vm-test: register qemu-user-static with binfmt_misc first: no program for $arch runs here" >&2
		exit 2
	}
fi
work=$(mktemp -d /var/tmp/hearthd-vm.XXXXXX)
export work here arch
. "$here/machine.sh"
. "$here/steps.sh"
. "$here/upgrade.sh"
. "$here/speech.sh"
trap 'set +e; halt; mountpoint -q "$work/state" && umount "$work/state"; rm -rf --one-file-system "$work"' EXIT
trap 'exit 130' INT TERM

build() { # COMMIT: prints the package's file
	local tree=$PWD
	if [ "$1" != HEAD ]; then
		tree=$work/tree.$1
		git worktree add -q --detach "$tree" "$1"
	fi
	(cd "$tree" && packaging/deb.sh "$arch") >&2
	mkdir -p "$work/debs"
	mv "$(ls -t "$tree"/dist/*_"$arch".deb | head -n 1)" "$work/debs/$1.deb"
	[ "$1" = HEAD ] || git worktree remove --force "$tree"
	echo "$work/debs/$1.deb"
}
: "${PACKAGE:=$(build HEAD)}"
: "${PREVIOUS:=$(build "$(git describe --tags --abbrev=0 --match 'v[0-9]*' HEAD~1 2>/dev/null || git rev-parse HEAD~1)")}"
export PACKAGE PREVIOUS
make_card "$work/card"
year "$PREVIOUS" previous
year "$PACKAGE" new
if [ "${WEEK:-no}" != no ]; then
	mkdir "$work/clock"
	go build -overlay "$("$here/clock.sh" "$work/clock" 300)" -buildvcs=false -trimpath -o "$work/card/hearthd.week" ./cmd/hearthd
	cp "$here/model.pl" "$work/card"
fi

for release; do
	make_root "$release"
	: >"$work/table"
	if [ "$arch" = "$(dpkg --print-architecture)" ]; then
		table "$release" systemd-nspawn
		[ -n "${ONLY:-}" ] || nspawn_steps
		[ "${ONLY:-}" = speech ] || upgrade_steps
		[ "${ONLY:-}" = upgrade ] || speech_steps
	fi
	if [ "${QEMU:-yes}" = no ]; then
		skip "real sound driver, clock jump" "QEMU=no"
	else
		"$here/qemu.sh" "$work/root" "$work/table"
	fi
	cat "$work/table" >>"$work/tables"
	rm -rf "$work/root"
done
cat "$work/tables"
! grep -q FAILED "$work/tables"
