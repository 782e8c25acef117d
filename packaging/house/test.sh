#!/usr/bin/env bash
# Shows hearthd in a house with a real Home Assistant and a real Mosquitto: makes a Debian 13 root,
# which has the Python that Home Assistant wants, installs the packages of requirements.txt there, and those of
# wyoming.txt, two Wyoming servers with weights, and runs the tests of rigs/e2e that need them. Everything listens on
# loopback, and each process is ended by its id. None of it is a part of hearthd. RESULTS.md is what came of it last.
#
# usage: packaging/house/test.sh [PATTERN]     (as root; PATTERN of tests and benchmarks, RealHouse without)
#
# HOUSE names the folder that keeps the root for another time (/var/cache/hearthd-house). A few tests are skipped
# without HEARTHD_TEST_MODELS (wake words of people, as costs.sh has them) and HEARTH_SPEECH_TEST (rigs/speechtest/fetch.sh).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
if [ "$(id -u)" != 0 ]; then
	echo "house-test: only root can make a root" >&2
	exit 2
fi
packaging/deps.sh house-test
house=${HOUSE:-/var/cache/hearthd-house}
root=$house/root
mkdir -p "$house"
if [ ! -e "$root/etc/debian_version" ]; then
	echo "making a Debian 13 root" >&2
	rm -rf --one-file-system "$house/half"
	mmdebstrap --quiet --variant=minbase --include=python3,python3-venv,python3-dev,gcc,g++,ca-certificates,libturbojpeg0,libpcap0.8,ffmpeg,tzdata \
		trixie "$house/half" http://deb.debian.org/debian
	mv "$house/half" "$root"
fi
# venv NAME FILE makes /opt/NAME in the root with the packages of a file, unless it has them.
venv() {
	cmp -s "$here/$2" "$root/opt/$1/requirements.txt" && return
	echo "installing what $2 lists" >&2
	cp /etc/resolv.conf /etc/hosts "$root/etc/"
	cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
	cp "$here/$2" "$root/tmp/requirements.txt"
	chroot "$root" /usr/bin/python3 -m venv "/opt/$1"
	# Some packages bring no wheel, and are built; pip's own settings of this machine do not hold there.
	chroot "$root" /usr/bin/env -u PIP_FIND_LINKS SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt \
		"/opt/$1/bin/pip" install --quiet --no-deps --requirement /tmp/requirements.txt
	mv "$root/tmp/requirements.txt" "$root/opt/$1/"
}
venv ha requirements.txt
venv peers wyoming.txt
HEARTHD_TEST_HOUSE=$root go test ./rigs/e2e -count=1 -timeout 60m -v -run "${1:-RealHouse}" \
	-bench "${1:-RealHouse}" -benchtime 1x
