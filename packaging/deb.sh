#!/usr/bin/env bash
# Builds dist/hearthd_VERSION_ARCH.deb for each architecture. The same commit
# gives the same bytes.
#
# usage: packaging/deb.sh [amd64|arm64|armhf]...
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- amd64 arm64 armhf

VERSION=$(packaging/version.sh)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
MAINTAINER="hearthd maintainers <$(git log -1 --format=%ae)>"
STAGE=$(mktemp -d)
trap 'rm -rf "$STAGE"' EXIT
export VERSION SOURCE_DATE_EPOCH MAINTAINER STAGE
umask 022

# As the Makefile compiles.
buildflags=(-buildvcs=false -trimpath -buildmode=pie)
nfpm=$PWD/bin/tools/nfpm
echo "Building nfpm, which packs, and hearthctl, which writes its manual pages, a minute or two on a small machine…"
go build -C packaging/nfpm "${buildflags[@]}" -o "$nfpm" github.com/goreleaser/nfpm/v2/cmd/nfpm

# What is the same on every architecture.
go build "${buildflags[@]}" -o "$STAGE/host/hearthctl" ./cmd/hearthctl
"$STAGE/host/hearthctl" gen-man "$STAGE/man1"
cp packaging/man/hearthd.8 packaging/man/hearth-speech.8 packaging/man/hearthd.yaml.5 "$STAGE"
for shell in bash zsh fish; do
	"$STAGE/host/hearthctl" completion $shell >"$STAGE/completion.$shell"
done
packaging/copyright.sh >"$STAGE/copyright"
packaging/changelog.sh "$VERSION" "$MAINTAINER" >"$STAGE/changelog"
gzip -9n "$STAGE"/man1/* "$STAGE"/hearthd.8 "$STAGE"/hearth-speech.8 "$STAGE"/hearthd.yaml.5 \
	"$STAGE"/changelog

mkdir -p dist
for arch in "$@"; do
	case "$arch" in
	amd64) export GOARCH=amd64 CC=x86_64-linux-gnu-gcc ;;
	arm64) export GOARCH=arm64 CC=aarch64-linux-gnu-gcc ;;
	# ARMv7 with floating point: Debian's armhf. A Pi 1 or Zero is older than that.
	armhf) export GOARCH=arm GOARM=7 CC=arm-linux-gnueabihf-gcc ;;
	*)
		echo "deb.sh: unknown architecture $arch" >&2
		exit 2
		;;
	esac
	[ "$arch" != "$(dpkg --print-architecture)" ] || unset CC
	echo "Building for $arch, minutes on a small machine…"
	# hearthctl has no C in it, but linked like this it is position-independent on
	# every architecture.
	CGO_ENABLED=1 go build "${buildflags[@]}" \
		-ldflags "-s -w -linkmode=external -extldflags '-Wl,-z,relro,-z,now' -X main.version=$VERSION" -o "$STAGE/bin/" \
		./cmd/hearthd ./cmd/hearthctl ./cmd/hearth-speech
	# Is miniaudio laid out as audio/device expects it here?
	"${CC:-gcc}" -fsyntax-only -I"$(go list -m -f '{{.Dir}}' github.com/gen2brain/malgo)" audio/device/testdata/inside.c
	# Under another name until it is whole: xz takes minutes on a small machine.
	deb=dist/hearthd_${VERSION}_$arch.deb
	echo "Packing $deb, minutes on a small machine…"
	DEB_ARCH=$arch "$nfpm" package --config packaging/nfpm.yaml --packager deb --target "$deb.part"
	mv "$deb.part" "$deb"
done
