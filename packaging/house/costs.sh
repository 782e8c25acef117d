#!/usr/bin/env bash
# Measures what hearthd costs beside other voice satellites: CPU, memory, start, the way of a request and of an answer.
# Installs wyoming-satellite, and the parts of linux-voice-assistant, which is not on PyPI, into two venvs of their own
# (satellite.txt, assistant.txt; tried with Python 3.11), and runs a benchmark of rigs/e2e with each, which takes twelve
# minutes. None of it is a part of hearthd. RESULTS.md has what came of it last. The machine should be quiet meanwhile.
#
# usage: HEARTHD_TEST_MODELS=DIR packaging/house/costs.sh     (DIR/wake has hey_jarvis and stop of microWakeWord, .json
#        and .tflite, and clips/hey_jarvis_1.wav, in which somebody says it)
#
# HOUSE names the folder that keeps the venvs for another time (/var/cache/hearthd-house).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
: "${HEARTHD_TEST_MODELS:?names the folder with the wake words}"
packaging/deps.sh house-test
venvs=${HOUSE:-/var/cache/hearthd-house}/costs
for name in satellite assistant; do
	cmp -s "$here/$name.txt" "$venvs/$name/requirements.txt" && continue
	echo "installing what $name.txt lists" >&2
	rm -rf --one-file-system "${venvs:?}/$name"
	/usr/bin/python3 -m venv "$venvs/$name"
	"$venvs/$name/bin/pip" install --quiet --no-deps --requirement "$here/$name.txt"
	cp "$here/$name.txt" "$venvs/$name/requirements.txt"
done
HEARTHD_TEST_COSTS=$venvs HEARTHD_TEST_AIOESPHOMEAPI=$venvs/assistant/bin/python \
	go test ./rigs/e2e -run '^$' -bench BenchmarkHouseCosts -benchtime 1x -timeout 30m -v
