#!/usr/bin/env bash
# Shows hearthd in a house with a real Home Assistant and a real Mosquitto: makes a Debian 13 root,
# which has the Python that Home Assistant wants, installs the packages of requirements.txt there, and
# runs the tests of rigs/e2e that need them. Everything listens on loopback, and each process is ended by
# its id. None of it is a part of hearthd. RESULTS.md is what came of it last.
#
# usage: packaging/house/test.sh [PATTERN]     (as root; PATTERN of tests, TestRealHouse without)
#
# HOUSE names the folder that keeps the root for another time (/var/cache/hearthd-house).
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
if ! cmp -s "$here/requirements.txt" "$root/opt/ha/requirements.txt"; then
	echo "installing Home Assistant" >&2
	cp /etc/resolv.conf /etc/hosts "$root/etc/"
	cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
	cp "$here/requirements.txt" "$root/tmp/"
	chroot "$root" /usr/bin/python3 -m venv /opt/ha
	# Some packages bring no wheel, and are built; pip's own settings of this machine do not hold there.
	chroot "$root" /usr/bin/env -u PIP_FIND_LINKS SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt \
		/opt/ha/bin/pip install --quiet --no-deps --requirement /tmp/requirements.txt
	mv "$root/tmp/requirements.txt" "$root/opt/ha/requirements.txt"
fi
HEARTHD_TEST_HOUSE=$root go test ./rigs/e2e -count=1 -timeout 60m -v -run "${1:-TestRealHouse}"
