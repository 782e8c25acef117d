# Sourced by test.sh: a Debian root, its sound card, how it boots, and how a step runs.
# $work is a folder of this run; what a step needs to know about the machine lies there
# in files, for each step is a process of its own.

# What a root holds beside the package: the engines that it recommends, and a broker.
guest=systemd,systemd-sysv,dbus,udev,alsa-utils,pocketsphinx,pocketsphinx-en-us,flite,mosquitto,procps,libstdc++6

make_root() { # RELEASE
	local tar=${ROOTS:-$work}/$1.$arch.tar sound=libasound2t64
	[ "$1" != bookworm ] || sound=libasound2
	echo "$1, $arch: making a root" >&2
	if [ ! -e "$tar" ]; then
		nice mmdebstrap --quiet --format=tar --variant=minbase --architectures="$arch" --include="$guest,linux-image-$arch,$sound" "$1" "$tar.half"
		mv "$tar.half" "$tar"
	fi
	mkdir "$work/root"
	tar -C "$work/root" -xf "$tar"
	rm -f "$work/root/etc/systemd/system/multi-user.target.wants/mosquitto.service"
	rm -f "$work/root/etc/apt/sources.list" "$work/root/etc/apt/sources.list.d"/* # out of reach there
	mkdir -p "$work/root/opt/test"
	cp "$PACKAGE" "$work/root/opt/test/new.deb"
	cp "$PREVIOUS" "$work/root/opt/test/previous.deb"
	# As it is built from now on: one of before does not know how to refuse.
	dpkg-deb -R "$PREVIOUS" "$work/older"
	cp packaging/scripts/preinst "$work/older/DEBIAN/preinst"
	chmod 0755 "$work/older/DEBIAN/preinst"
	dpkg-deb --root-owner-group -b "$work/older" "$work/root/opt/test/older.deb" >/dev/null
	rm -rf "$work/older"
	# The virtual card stands where a kernel's would: it is the system's default.
	cp -a "$work/card"/* "$work/root/opt/test/"
	chmod a+rwx "$work/root/opt/test"
	mv "$work/root/opt/test/asound.conf" "$work/root/etc/asound.conf"
	mkdir -p "$work/root/etc/systemd/system/service.d" # of every service, so that a purge leaves it
	printf '[Service]\nReadWritePaths=-/opt/test\n' >"$work/root/etc/systemd/system/service.d/test.conf"
}

# make_card compiles the plugin of rigs/testcard, and says a request.
make_card() { # DIR
	mkdir -p "$1"
	cc -O2 -fPIC -DPIC -shared -o "$1/testcard.so" rigs/testcard/plugin/testcard.c -lasound
	flite -voice slt -t "hey hearth, set a timer for ten minutes" -o "$1/request.wav"
	flite -voice slt -t "a" -o "$1/short.wav"
	tail -c +45 "$1/request.wav" >"$1/request.raw" # 16 kHz, 16 bits, mono
	for i in 1 2 3; do # a wake word is enrolled by three recordings
		flite -voice slt --setf duration_stretch=1.0$i -t "good morning kitchen" -o "$1/word$i.wav"
		tail -c +45 "$1/word$i.wav" >"$1/word$i.raw"
	done
	flite -voice slt -t "what time is it" -o "$1/order.wav"
	flite -voice slt -t "the neighbours painted their old fence yesterday" -o "$1/free.wav"
	tail -c +45 "$1/order.wav" >"$1/order.raw"
	tail -c +45 "$1/free.wav" >"$1/free.raw"
	printf '%-40s\n' ok >"$1/capture.fault"
	cp "$1/capture.fault" "$1/playback.fault"
	mkfifo "$1/microphone"
	cat >"$1/asound.conf" <<-'EOF'
		pcm_type.testcard.lib "/opt/test/testcard.so"
		pcm.testcard {
			type testcard
			rate 16000
			channels 1
			infile "/opt/test/microphone"
			outfile "/opt/test/speaker.raw"
			capture_fault "/opt/test/capture.fault"
			playback_fault "/opt/test/playback.fault"
		}
		pcm.!default {
			type plug
			slave.pcm "testcard"
		}
	EOF
	chmod -R a+rwX "$1"
}

# boot starts the container and waits until its systemd is done. Where the host has no
# systemd, or cgroups of version 1, nspawn has to be told; UNIFIED=0 gives the container those, too.
boot() { # [OPTION OF NSPAWN]...
	local options=(--quiet --private-network --directory="$work/root" --console=read-only)
	[ -d /run/systemd/system ] || options+=(--register=no --keep-unit)
	UNIFIED_CGROUP_HIERARCHY=${UNIFIED:-1} systemd-nspawn "${options[@]}" "$@" --boot systemd.show_status=0 \
		</dev/null >>"$work/console" 2>&1 &
	echo $! >"$work/nspawn"
	await 30 has_init
	await 60 inside sh -c 'systemctl is-system-running | grep -qE "running|degraded"'
}

has_init() {
	local init
	init=$(pgrep -x -P "$(cat "$work/nspawn")" systemd) && echo "$init" >"$work/init"
}

# halt ends the container, however it is, and waits until nothing of it is left.
halt() {
	[ -s "$work/nspawn" ] || return 0
	if [ -s "$work/init" ]; then
		kill -KILL "$(cat "$work/init")" 2>/dev/null || true
		await 20 gone "$work/init" || true
	fi
	await 20 gone "$work/nspawn" || kill -KILL "$(cat "$work/nspawn")" 2>/dev/null || true
	rm -f "$work/nspawn" "$work/init"
}

gone() { ! kill -0 "$(cat "$1")" 2>/dev/null || grep -q ' Z ' "/proc/$(cat "$1")/stat"; }

# inside runs a program in the container.
inside() {
	nsenter --target "$(cat "$work/init")" --mount --uts --ipc --net --pid --cgroup \
		env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "$@"
}

# A host that does other things too is slow: nothing is given up before this many times
# what it takes on one that does not.
patience=3

await() { # SECONDS COMMAND...
	local until=$((SECONDS + $1 * patience))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt "$until" ] || return 1
		sleep 0.3
	done
}

table() { # RELEASE MACHINE
	printf '\n%s under %s\n' "$1" "$2" | tee -a "$work/table"
}

row() { # VERDICT SECONDS NAME NOTE
	printf '  %-8s%5s s  %-34s %s\n' "$1" "$2" "$3" "$4" | tee -a "$work/table"
}

skip() { row skipped - "$1" "$2"; }

# step runs a function in a shell of its own, for so many seconds at most; the last line
# of its output stands in the table, and all of it is shown when it fails.
step() { # SECONDS NAME FUNCTION
	local begun=$SECONDS verdict=ok
	timeout --kill-after=5 $(($1 * patience)) bash -c "set -euo pipefail; . $here/machine.sh; . $here/steps.sh; . $here/upgrade.sh; . $here/speech.sh; $3" >"$work/log" 2>&1 </dev/null || verdict=FAILED
	row $verdict $((SECONDS - begun)) "$2" "$(tail -n 1 "$work/log" | cut -c 1-90)"
	if [ $verdict = FAILED ]; then
		sed 's/^/    | /' "$work/log"
		inside journalctl -u hearthd -n 25 -o cat --no-pager 2>/dev/null | cut -c 1-300 | sed 's/^/    journal | /' || true
	fi
}
