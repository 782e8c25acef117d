#!/bin/sh
# Unpacks Debian packages with recordings of people, music and effects: fetch.sh DIR.
# Needs ffmpeg to read them later. Nothing is installed.
set -e
mkdir -p "$1"
cd "$1"
for p in asterisk-core-sounds-it-g722 asterisk-core-sounds-ru-g722 asterisk-prompt-it-menardi-wav fillets-ng-data-nl \
	klettres-data ktuberling-data hedgewars-data codec2-examples \
	asterisk-moh-opsound-g722 fillets-ng-data frozen-bubble-data pingus-data sound-theme-freedesktop oxygen-sounds sonic-pi-samples; do
	[ -d "$p" ] && continue
	apt-get download "$p"
	dpkg -x "$p"_*.deb "$p"
	rm "$p"_*.deb
done
