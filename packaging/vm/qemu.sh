#!/usr/bin/env bash
# What a container cannot show: boots a root in QEMU with Debian's own kernel, whose
# snd-aloop is a real sound driver, and runs guest.sh in it. No KVM is needed; time in
# the machine follows its instructions, so that a slow host loses no sound.
#
# usage: packaging/vm/qemu.sh ROOT TABLE     (called by test.sh, which sets $work, $here, $arch)
set -euo pipefail
. "$here/machine.sh"
root=$1 work_table=$2
[ "$work_table" = "$work/table" ]
table "$(. "$root/etc/os-release" && echo "$VERSION_CODENAME")" "qemu, $arch"

case "$arch" in
amd64) qemu=qemu-system-x86_64 machine=q35 cpu=max console=ttyS0 ;;
arm64) qemu=qemu-system-aarch64 machine=virt cpu=cortex-a57 console=ttyAMA0 ;;
*)
	skip "real sound driver" "no QEMU machine known for this architecture"
	exit 0
	;;
esac
if ! command -v $qemu >/dev/null; then
	skip "real sound driver" "$qemu is not installed"
	exit 0
fi

disk=$work/disk.img
install -m 0755 "$here/guest.sh" "$root/opt/test/guest.sh"
install -m 0644 "$here/guest.service" "$root/etc/systemd/system/vm-test.service"
[ "${ONLY:-}" != speech ] || touch "$root/opt/test/only-speech"
ln -sf ../vm-test.service "$root/etc/systemd/system/multi-user.target.wants/vm-test.service"
rm -f "$root/etc/asound.conf" # a real card is there
# While the machine waits for its disk, its time leaps: a start from a cold disk takes
# longer than any service may.
printf '[Service]\nTimeoutStartSec=600\n' >"$root/etc/systemd/system/service.d/qemu.conf"
truncate -s 3G "$disk"
mke2fs -q -t ext4 -d "$root" "$disk"
console_log=$work/qemu.console
timeout --kill-after=5 "${QEMU_LIMIT:-1500}" $qemu -machine $machine -cpu $cpu -m 1024 -smp 1 -icount shift=1,sleep=off \
	-display none -monitor none -no-reboot -nic none -rtc base=utc \
	-drive "file=$disk,format=raw,if=virtio,cache=unsafe" \
	-kernel "$(ls "$root"/boot/vmlinuz-* | tail -n 1)" -initrd "$(ls "$root"/boot/initrd.img-* | tail -n 1)" \
	-append "root=/dev/vda rw console=$console quiet systemd.show_status=0 panic=-1" \
	-serial "file:$console_log" </dev/null >>"$work/console" 2>&1 || row FAILED - "the machine" "ended by itself or did not end in time"
rm -f "$disk"
# The guest writes one row per line: VERDICT SECONDS NAME | NOTE.
rows=0
while IFS='|' read -r verdict seconds name note; do
	row "$verdict" "$seconds" "$name" "$note"
	rows=$((rows + 1))
done < <(tr -d '\r' <"$console_log" | sed -n 's/^.*@@row|//p')
if [ $rows = 0 ] || grep -aq '@@row|FAILED' "$console_log"; then
	tr -d '\r' <"$console_log" | tail -n 60 | cut -c 1-300 | sed 's/^/    console | /'
fi
[ $rows -gt 0 ] || row FAILED - "the machine" "told nothing"
