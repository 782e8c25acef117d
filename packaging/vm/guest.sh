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
	arecord -q -D plughw:CARD=Loopback,DEV=1,SUBDEV=1 -f S16_LE -r 48000 -c 1 -d 40 $test/heard.wav &
	aplay -q -D plughw:CARD=Loopback,DEV=0,SUBDEV=0 $test/request.wav
	await 90 sh -c 'hearthctl timers --json | grep "\"id\""'
	hearthctl timers
	wait
	local loud
	loud=$(tail -c +45 $test/heard.wav | tr -d '\0' | wc -c)
	[ "$loud" -gt 50000 ]
	echo "a timer was set, and $loud bytes of the answer are not silence"
}

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

# Seven days of twelve requests an hour. The machine's time leaps while it is idle, so
# that they pass in about an hour; without a card, which would keep it awake.
week() {
	systemctl stop hearthd.socket hearthd.service
	modprobe -r snd-aloop
	rm -f /etc/hearthd/conf.d/*.yaml
	systemctl start hearthd.service
	await 60 running
	hearthctl mute
	local hour pid first failed=0 before after most=0
	pid=$(systemctl show -P MainPID hearthd.service)
	for hour in $(seq 168); do
		for _ in 1 2; do
			hearthctl ask "set a timer for three minutes" || failed=$((failed + 1))
			hearthctl ask "add jam $((hour % 40)) to the shopping list" || failed=$((failed + 1))
			hearthctl ask "what time is it" || failed=$((failed + 1))
			hearthctl ask "how many grams are $hour ounces" || failed=$((failed + 1))
			hearthctl ask "remember that jar $hour is on the shelf" || failed=$((failed + 1))
			hearthctl ask "what is on the shopping list" || failed=$((failed + 1))
		done >/dev/null
		sleep 240
		hearthctl stop
		sleep 400 # what the last requests left is written
		before=$(awk '/^write_bytes/ { print $2 }' "/proc/$pid/io")
		sleep 2940
		after=$(awk '/^write_bytes/ { print $2 }' "/proc/$pid/io")
		[ $((after - before)) -le $most ] || most=$((after - before))
		[ "$hour" != 1 ] || first=$(resident "$pid")
		case $hour in
		1 | 2 | 12 | 24 | 48 | 72 | 96 | 120 | 144 | 168)
			echo "@@ hour $hour: $(resident "$pid") kB resident, $(grep RssAnon "/proc/$pid/status" | tr -s '\t ' ' '), state $(du -sb /var/lib/hearthd | cut -f 1) bytes, $(journalctl --disk-usage)"
			(cd /var/lib/hearthd && ls -l)
			;;
		esac
	done
	[ "$(systemctl show -P MainPID hearthd.service)" = "$pid" ]
	local last
	last=$(resident "$pid")
	echo "resident $first kB after an hour, $last kB after 7 days; $failed of 2016 turns failed; at most $most bytes written in 49 idle minutes"
	[ "$last" -le $((first * 11 / 10)) ]
	[ "$most" -le 856000 ]
	[ "$failed" = 0 ]
}
resident() { awk '/VmRSS/ { print $2 }' "/proc/$1/status"; }

if [ -e $test/week ]; then
	check 900 "real sound driver (snd-aloop)" sound
	check 700000 "seven simulated days" week
	systemctl poweroff --force
	exit
fi
check 900 "real sound driver (snd-aloop)" sound
check 300 "spoken request through the kernel" spoken
check 60 "only the card is open" devices
check 120 "clock jumps" jump
check 120 "keys of an input device" keys
check 180 "card that comes late" unplugged
systemctl poweroff --force
