#!/bin/sh
# Fetches and unpacks the Debian packages of recorded people and noises that
# rigs/hearing/bed/recorded.go names: recorded.sh DIR. Nothing is installed.
set -e
mkdir -p "$1"
cd "$1"
for p in asterisk-prompt-fr-armelle asterisk-prompt-es-co pocketsphinx-testdata flight-of-the-amazon-queen \
	singularity-music asc-music minetest-mod-homedecor minetest-data gnome-shell-pomodoro-data lincity-ng-data bucklespring-data; do
	[ -d "$p" ] && continue
	apt-get download -q "$p"
	dpkg -x "$p"_*.deb "$p.part"
	rm "$p"_*.deb
	mv "$p.part" "$p"
done
