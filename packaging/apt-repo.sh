#!/usr/bin/env bash
# Makes dist/apt, an apt repository of the packages in dist, signed with KEY: copy the
# folder to any web server. Packages that are there already stay.
#
# It is valid for DAYS days, 60 unless you say else: whoever is on the way cannot keep a
# machine at an old version for longer. Run it again, and copy it, before they are over;
# apt update refuses it afterwards.
#
# usage: KEY=FINGERPRINT packaging/apt-repo.sh [FOLDER [PACKAGE]...]   (URL= is where it
# will be; PACKAGE is a whole path)
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -z "${KEY:-}" ]; then
	echo "apt-repo: set KEY to the fingerprint of the key that signs; gpg --list-secret-keys shows those that you have" >&2
	exit 2
fi
days=${DAYS:-60}
if ! [[ $days =~ ^[1-9][0-9]{0,2}$ ]] || [ "$days" -gt 366 ]; then
	echo "apt-repo: DAYS is $days; it must be 1 to 366" >&2
	exit 2
fi
made=${SOURCE_DATE_EPOCH:-$(date +%s)}
gpg --batch --list-secret-keys "$KEY" >/dev/null
day() { LC_ALL=C date -u -d "@$1" '+%a, %d %b %Y %H:%M:%S UTC'; }
shopt -s nullglob
packages=("${@:2}")
[ ${#packages[@]} -gt 0 ] || packages=(dist/*.deb)
if [ ${#packages[@]} = 0 ]; then
	echo "apt-repo: there is no package in dist; run make deb" >&2
	exit 2
fi
folder=$(realpath -m "${1:-dist/apt}")
pool=pool/main/h/hearthd
suite=dists/stable
mkdir -p "$folder/$pool"
for package in "${packages[@]}"; do # apt-ftparchive goes by the name
	name=$(dpkg-deb --show --showformat '${Package}_${Version}_${Architecture}.deb' "$package")
	cp -p "$package" "$folder/$pool/$name"
done
cd "$folder"
rm -rf $suite
for arch in amd64 arm64 armhf; do
	mkdir -p $suite/main/binary-$arch
	apt-ftparchive --arch $arch packages $pool >$suite/main/binary-$arch/Packages
	gzip -9nk $suite/main/binary-$arch/Packages
done
apt-ftparchive -o APT::FTPArchive::Release::Origin=hearthd -o APT::FTPArchive::Release::Label=hearthd \
	-o APT::FTPArchive::Release::Suite=stable -o APT::FTPArchive::Release::Codename=stable \
	-o "APT::FTPArchive::Release::Date=$(day "$made")" \
	-o APT::FTPArchive::Release::Components=main -o "APT::FTPArchive::Release::Architectures=amd64 arm64 armhf" \
	release $suite >Release
# Written here: apt-ftparchive's ValidTime counts from now, whatever Date is.
sed "/^Date:/aValid-Until: $(day $((made + days * 86400)))" Release >$suite/Release
rm Release
sign() { gpg --batch --yes --local-user "$KEY" "$@"; }
sign --clearsign --output $suite/InRelease $suite/Release
sign --armor --detach-sign --output $suite/Release.gpg $suite/Release
gpg --batch --armor --export "$KEY" >hearthd.asc
# What a machine needs in /etc/apt/sources.list.d, with the key in /etc/apt/keyrings.
cat >hearthd.sources <<-EOF
	Types: deb
	URIs: ${URL:-https://example.org/hearthd}
	Suites: stable
	Components: main
	Signed-By: /etc/apt/keyrings/hearthd.asc
EOF
echo "$folder holds $(find pool -name '*.deb' | wc -l) packages and is valid until $(day $((made + days * 86400)))."
