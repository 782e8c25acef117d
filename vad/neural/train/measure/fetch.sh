#!/bin/sh
# Unpacks Debian packages with recordings of people, music and effects: fetch.sh DIR.
# Needs ffmpeg to read them later. Nothing is installed.
set -e
mkdir -p "$1"
cd "$1"
for p in asterisk-core-sounds-en-g722 asterisk-core-sounds-es-g722 asterisk-core-sounds-fr-g722 \
	asterisk-core-sounds-it-g722 asterisk-core-sounds-ru-g722 asterisk-moh-opsound-g722 asterisk-prompt-it-menardi-wav \
	klettres-data ktuberling-data tuxpaint-stamps-default fillets-ng-data fillets-ng-data-cs fillets-ng-data-nl \
	hedgewars-data codec2-examples frozen-bubble-data pingus-data sound-theme-freedesktop oxygen-sounds sonic-pi-samples; do
	[ -d "$p" ] && continue
	apt-get download "$p"
	dpkg -x "$p"_*.deb "$p"
	rm "$p"_*.deb
done
