#!/bin/sh
# Sentences of recorded people, for rigs/speechtest/choose: people.sh DIR. The recordings are in two packages of Debian:
# the prompts of a telephone exchange (one voice), and what actors say in a game. Nothing is installed.
set -e
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
[ ! -e list.tsv ] || exit 0
for p in asterisk-core-sounds-en-g722 flight-of-the-amazon-queen; do
	[ -d "$p" ] && continue
	apt-get download -q "$p"
	dpkg -x "$p"_*.deb "$p.part"
	rm "$p"_*.deb
	mv "$p.part" "$p"
done
/usr/bin/python3 "$here/people.py"
