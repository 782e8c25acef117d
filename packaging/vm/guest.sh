#!/bin/bash
# Runs in the virtual machine as root: a spoken request through a real sound driver,
# a clock that jumps, devices that are not sound. Tells each as a row on the console.
set -u
test=/opt/test
exec 2>&1

check() { # SECONDS NAME FUNCTION
	local begun=$SECONDS verdict=ok note took
	note=$(timeout --kill-after=5 "$1" bash -c "$(declare -f); test=$test; set -eu -o pipefail; $3" 2>&1) || verdict=FAILED
	took=$((SECONDS - begun))
	[ $took -ge 0 ] || took=- # the clock was set
	[ $verdict = ok ] || printf '%s\n' "$note"
	echo "@@row|$verdict|$took|$2|$(tail -n 1 <<<"$note" | cut -c 1-90)"
}

await() {
	local until=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $until ] || return 1
		sleep 0.3
	done
}

running() { [ "$(systemctl show -P ActiveState hearthd.service)" = active ] && hearthctl status; }
hears() { running && ! hearthctl status --json | grep '"code": "\(microphone\|speaker\)"'; }
condition() { hearthctl status --json | grep "\"code\": \"$1\""; }

# The card: what is played into the loopback's other end is what the microphone hears.
sound() {
	modprobe snd-aloop
	dpkg --install --force-confdef --force-confold $test/new.deb
	printf 'audio:\n  capture: "plughw:CARD=Loopback,DEV=1,SUBDEV=0"\n  playback: "plughw:CARD=Loopback,DEV=0,SUBDEV=1"\n' >/etc/hearthd/conf.d/50-card.yaml
	await 300 running
	systemctl restart hearthd.service
	await 60 hears
	local begun ready
	begun=$(systemctl show -P ExecMainStartTimestampMonotonic hearthd.service) ready=$(systemctl show -P ActiveEnterTimestampMonotonic hearthd.service)
	cat /proc/asound/cards
	echo "$(uname -m), Linux $(uname -r), READY after $(((ready - begun) / 1000)) ms of the machine's time"
}

spoken() {
	local try loud
	for try in 1 2 3; do
		arecord -q -D plughw:CARD=Loopback,DEV=1,SUBDEV=1 -f S16_LE -r 48000 -c 1 -d 60 $test/heard.wav &
		aplay -q -D plughw:CARD=Loopback,DEV=0,SUBDEV=0 $test/request.wav
		await 50 timed && break
		wait
		journalctl --unit hearthd --lines 5 --output cat
	done
	timed
	wait
	loud=$(tail -c +45 $test/heard.wav | tr -d '\0' | wc -c)
	[ "$loud" -gt 50000 ]
	echo "try $try: a timer was set, and $loud bytes of the answer are not silence"
}

timed() { hearthctl timers --json | grep '"id"'; }

devices() {
	local pid
	pid=$(systemctl show -P MainPID hearthd.service)
	[ -c /dev/vda ] || [ -b /dev/vda ]
	systemd-run --quiet --wait --pipe -p User=hearthd -p DevicePolicy=closed -p DeviceAllow='char-alsa rw' true
	ls -l "/proc/$pid/fd" | grep -c /dev/snd/
	systemctl show -P MemoryCurrent,TasksCurrent hearthd.service
	local group
	group=/sys/fs/cgroup$(systemctl show -P ControlGroup hearthd.service)
	grep -H . "$group"/memory.{current,peak,high,max,events} || true
	grep -E '^(anon|file|kernel) ' "$group/memory.stat"
	echo "the card is open; $(awk '/VmRSS/ { print $2 / 1024 " MB" }' "/proc/$pid/status") resident; with engines and files $(($(cat "$group/memory.peak" 2>/dev/null || echo 0) >> 20)) of $(($(cat "$group/memory.max") >> 20)) MB at most"
}

jump() {
	hearthctl ask "set a plum timer for two hours"
	local before
	before=$(systemctl show -P MainPID hearthd.service)
	date -s "+5 hours"
	sleep 3
	hearthctl timers | grep plum
	date -s "-30 hours"
	sleep 3
	hearthctl timers | grep 'plum: 1h59m'
	[ "$(systemctl show -P MainPID hearthd.service)" = "$before" ]
	echo "a running timer does not notice; the same process"
}

unplugged() {
	local before
	before=$(systemctl show -P NRestarts hearthd.service)
	systemctl stop hearthd.socket hearthd.service
	modprobe -r snd-aloop
	systemctl start hearthd.service
	await 30 running
	await 30 condition microphone
	hearthctl ask "what is two and two"
	modprobe snd-aloop
	await 60 hears
	echo "starts without a card, and takes it when it comes"
}

# A speakerphone's volume key, as the kernel gives it to whoever reads it.
keys() {
	modprobe uinput
	printf 'keys: {grab: true}\n' >/etc/hearthd/conf.d/60-keys.yaml
	systemctl restart hearthd.service
	await 60 running
	hearthctl volume 50
	perl -e '
		open my $f, ">", "/dev/uinput" or die $!;
		my %set = (0x40045564 => 1, 0x40045565 => 114); # UI_SET_EVBIT EV_KEY, UI_SET_KEYBIT KEY_VOLUMEDOWN
		ioctl($f, $_, $set{$_}) or die "$_: $!" for sort keys %set;
		syswrite $f, pack("a80 S4 L x1024", "vm-test phone", 3, 1, 1, 1, 0); # struct uinput_user_dev
		ioctl($f, 0x5501, 0) or die $!; # UI_DEV_CREATE
		sleep 8; # until it is found and taken
		my ($node) = glob "/sys/devices/virtual/input/*/event*";
		open my $other, "<", "/dev/input/" . ($node =~ s/.*\///r) or die $!;
		print "taken: ", ioctl($other, 0x40044590, 1) ? "no" : $!, "\n"; # EVIOCGRAB
		syswrite $f, pack("q q S S l", 0, 0, @$_) for [1, 114, 1], [0, 0, 0], [1, 114, 0], [0, 0, 0];
		sleep 3;
	' | tee $test/keys
	grep "taken: Device or resource busy" $test/keys
	hearthctl status --json | grep '"volume": 45'
	echo "a key of a real input device, which nobody else gets, lowers the volume"
}

speak() { # FILE: opens a window and says it
	await 60 idle
	hearthctl listen
	aplay -q -D plughw:CARD=Loopback,DEV=0,SUBDEV=0 $test/$1.wav
}

# heard says a sentence until the named recogniser has heard one more.
heard() { # FILE RECOGNISER
	local before try
	before=$(heard_by $2)
	for try in 1 2 3 4 5; do
		speak $1
		if await 20 heard_more $2 "$before"; then return 0; fi
	done
	return 1
}
heard_by() { hearthctl status --json | sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" | grep . || echo 0; }
heard_more() { [ "$(heard_by $1)" -gt "$2" ]; }
idle() { hearthctl status --json | grep '"state": "idle"'; }

limit() { # MEMORY
	systemctl stop hearth-speech.service
	systemctl set-property --runtime hearth-speech.service MemoryMax=$1
}

# The speech server reaches its limit while it loads a model. The order is answered in the same turn.
engine_grows() {
	local pid
	hearthctl speech install --yes --from $test/stick $test/stick/whisper-tiny.en
	await 60 hears
	pid=$(systemctl show -P MainPID hearthd.service)
	limit 120M
	heard order pocketsphinx
	condition recogniser || speak free # the built-in one was certain, and did not wait
	await 60 condition recogniser
	journalctl -u hearth-speech.service -o cat --no-pager | grep -E "oom-kill|status=9/KILL"
	limit 60%
	heard free wyoming
	if condition recogniser; then return 1; fi
	[ "$(systemctl show -P MainPID hearthd.service)" = "$pid" ]
	echo "ended at its limit, the order answered, and the condition ended"
}

removed() {
	dpkg --remove hearthd
	[ -z "$(pgrep -x hearthd)" ]
	[ -e /var/lib/hearthd/hearthd.db ]
	dpkg --purge hearthd
	[ ! -e /var/lib/hearthd ]
	[ ! -e /etc/hearthd ]
	getent passwd hearthd
	echo "nothing runs and the state is kept; then the account is left"
}

check 900 "real sound driver (snd-aloop)" sound
[ ! -d $test/stick ] || check 1200 "speech engine grows" engine_grows
if [ ! -e $test/only-speech ]; then
	check 300 "spoken request through the kernel" spoken
	check 60 "only the card is open" devices
	check 120 "clock jumps" jump
	check 120 "keys of an input device" keys
	check 180 "card that comes late" unplugged
	check 120 "remove, purge" removed
fi
systemctl poweroff --force
