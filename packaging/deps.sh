#!/usr/bin/env bash
# Installs the Debian packages that a make target needs, and says which. As root
# or through sudo it calls apt-get; otherwise it prints the line to run and fails.
# When nothing is missing it does nothing.
#
# usage: packaging/deps.sh build|demo|test|hearing|integration|lint|deb [ARCH...]|apt-repo|vm-test|vm-test-foreign|house-test
set -euo pipefail

# Everything links one C library (malgo), so even vet needs a compiler.
build=(gcc libc6-dev)
# Go first: it is what everything else is for. That of Debian 13 fetches the one that go.mod asks for; Debian 12's is older.
if ! command -v "${GO:-go}" >/dev/null; then
	if [[ $(dpkg-query -W -f='${Version}' base-files 2>/dev/null || true) == 12* ]]; then
		echo "Go is not here, and Debian 12's is too old: get 1.26 from https://go.dev/dl, or golang-go of bookworm-backports." >&2
		exit 1
	fi
	build+=(golang-go)
fi
# libasound2-dev brings libasound2, which Debian 13 calls libasound2t64; the
# demo's virtual sound card is an ALSA plugin that is compiled on the spot. ffmpeg decodes radio and music, and makes
# what demo and tests play.
demo=("${build[@]}" libasound2-dev pocketsphinx pocketsphinx-en-us flite espeak-ng mosquitto-clients ffmpeg)
# Chromium opens the web console in tests: 113 MB to fetch, twenty seconds to install.
# strace sees what a power cut would lose. PulseAudio is a sound server that can be killed.
# apt-utils and gnupg make a repository that apt refuses when its time is over.
# Debian 12's Radicale does not name python3-tz, without which it refuses what has a time zone.
test=("${demo[@]}" mosquitto poppler-utils radicale python3-tz systemd-journal-remote chromium strace
	pulseaudio libasound2-plugins apt-utils gnupg)
# The voices of the bed that hearing is measured on (rigs/hearing/bed), what decodes recordings, and the recogniser.
hearing=("${build[@]}" ffmpeg sox python3-venv flite espeak-ng festival festvox-kdlpc16k festvox-kallpc16k festvox-us-slt-hts festvox-italp16k
	festvox-suopuhe-lj festvox-suopuhe-mv festvox-czech-dita festvox-czech-machac pocketsphinx pocketsphinx-en-us)
command -v npm >/dev/null || hearing+=(npm) # fetches voices; Node's own package has it too
# What the module of Ollama leaves out of llama.cpp's sources (packaging/ollama.sh).
integration=("${test[@]}" g++ nlohmann-json3-dev libstb-dev)
deb=("${build[@]}")
native=$(dpkg --print-architecture 2>/dev/null || echo unknown)
arches=("${@:2}")
[ ${#arches[@]} -gt 0 ] || arches=(amd64 arm64 armhf)
for arch in "${arches[@]}"; do # a cross compiler for each that is not this machine's own
	case "$arch" in
	"$native") ;;
	amd64) deb+=(gcc-x86-64-linux-gnu libc6-dev-amd64-cross) ;;
	arm64) deb+=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross) ;;
	armhf) deb+=(gcc-arm-linux-gnueabihf libc6-dev-armhf-cross) ;;
	esac
done
# What makes and boots a Debian (packaging/vm).
vm=("${deb[@]}" libasound2-dev flite mmdebstrap systemd-container e2fsprogs qemu-system-x86 apt-utils gnupg)
# What makes the root of Home Assistant (packaging/house), beside which the tests run, and the other satellites.
house=("${test[@]}" mmdebstrap python3-venv alsa-utils libmpv2)
# The same for another architecture, whose packages are set up by an emulator.
foreign=("${vm[@]}" qemu-system-arm qemu-user-static arch-test)

case "${1:-}" in
build | lint) want=("${build[@]}") ;;
demo) want=("${demo[@]}") ;;
test) want=("${test[@]}") ;;
hearing) want=("${hearing[@]}") ;;
integration) want=("${integration[@]}") ;;
deb) want=("${deb[@]}") ;;
apt-repo) want=(apt-utils gnupg) ;;
vm-test) want=("${vm[@]}") ;;
house-test) want=("${house[@]}") ;;
vm-test-foreign) want=("${foreign[@]}") ;;
*)
	echo "usage: packaging/deps.sh build|demo|test|hearing|integration|lint|deb|apt-repo|vm-test|vm-test-foreign|house-test" >&2
	exit 2
	;;
esac

if ! command -v dpkg-query >/dev/null; then
	echo "This is not Debian. hearthd's make $1 needs what these Debian packages hold: ${want[*]}" >&2
	exit 1
fi

missing=()
for package in "${want[@]}"; do
	status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
	[ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" = 0 ]; then
	root=()
elif command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
	root=(sudo)
else
	echo "Some Debian packages are missing. As root, run:" >&2
	echo "  apt-get update && apt-get install -y --no-install-recommends ${missing[*]}" >&2
	exit 1
fi

echo "Installing Debian packages: ${missing[*]}"
"${root[@]}" apt-get update -q </dev/null
"${root[@]}" env DEBIAN_FRONTEND=noninteractive \
	apt-get install -q -y --no-install-recommends "${missing[@]}" </dev/null

# Debian may start a broker or a calendar server that it installs. The tests start
# their own, and nobody asked for one on this machine.
for service in mosquitto radicale; do
	if [[ " ${missing[*]} " == *" $service "* && -d /run/systemd/system ]]; then
		echo "Stopping the $service service that came with the package."
		"${root[@]}" systemctl disable --now "$service.service"
	fi
done
