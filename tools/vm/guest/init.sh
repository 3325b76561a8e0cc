#!/bin/busybox sh
# Process 1 of the guest's first moment: loads what its root needs (tools/vm/recipe.ts) and hands over to systemd there.
/bin/busybox mount -t devtmpfs dev /dev
for module in /modules/*.ko; do
  /bin/busybox insmod "$module"
done
/bin/busybox mount -t ext4 -o prjquota /dev/vda /root
exec /bin/busybox switch_root /root /sbin/init
