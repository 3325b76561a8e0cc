/** The guest's content: Debian's packages and the few files that make it a test's machine. Pure. */
import { join, resolve } from 'node:path';
import { GUEST_API_PORT } from './qemu.ts';

/** Debian's stable release: the kernel, systemd, nft and containerd that most machines have. */
export const SUITE = 'trixie';

/** The folder of everything about guests: their first disk, the kernel, and the disks of running ones. */
export const vmCache = join(resolve(import.meta.dirname, '..', '..'), '.cache', 'vm');

/**
 * The packages of a machine that runs mendlet from its package: what containers need, and nothing that would provide it for
 * them.
 */
export const PACKAGES: readonly string[] = [
  'linux-image-cloud-amd64',
  'systemd-sysv',
  'udev',
  'dbus',
  'iproute2',
  'containerd',
  'runc',
  'containernetworking-plugins',
  'iptables',
  'nftables',
  'busybox-static',
  'e2fsprogs',
  'nfs-common',
  'nfs-kernel-server',
  'quota',
  'procps',
  'kmod',
  'curl',
];

/** The modules that the kernel needs before it has its root, in the order in which they are loaded; `guest/init.sh` does. */
export const EARLY_MODULES: readonly string[] = [
  'drivers/block/virtio_blk',
  'fs/quota/quota_tree',
  'fs/quota/quota_v2',
];

/** Manuals are not needed there, and every byte is written to an image. */
export const LEFT_OUT: readonly string[] = [
  '/usr/share/doc/*',
  '/usr/share/man/*',
  '/usr/share/locale/*',
  '/usr/share/info/*',
];

/** Services that a machine without a user in front of it does not need. An emulated CPU is a tenth of a real one. */
const MASKED: readonly string[] = [
  'containerd.service',
  'getty@tty1.service',
  'serial-getty@ttyS0.service',
  'systemd-logind.service',
  'apt-daily.timer',
  'apt-daily-upgrade.timer',
  'dpkg-db-backup.timer',
  'e2scrub_all.timer',
  'e2scrub_reap.service',
  'fstrim.timer',
  'kmod-static-nodes.service',
  'systemd-hwdb-update.service',
  'systemd-pstore.service',
  'ldconfig.service',
];

/** What packages enable, and only the suite that needs it starts. */
const DISABLED: readonly string[] = [
  'nfs-server.service',
  'nfs-client.target',
  'nfs-blkmap.service',
  'rpcbind.service',
  'rpcbind.socket',
];

const ENABLED: readonly string[] = [
  'mendlet-agent.service',
  'api-proxy.socket',
  'systemd-networkd.service',
  'systemd-networkd-wait-online.service',
];

/** Files of the guest: path → text. `/usr/local/sbin/mendlet-agent` is `guest/agent.sh`. */
export const FILES: Readonly<Record<string, string>> = {
  '/etc/hostname': 'vm\n',
  '/etc/hosts': '127.0.0.1 localhost\n127.0.1.1 vm\n',
  // A machine without an id would take each boot for its first.
  '/etc/machine-id': '6d656e646c65742076697274756c2121\n',
  '/etc/fstab': 'LABEL=mendlet-goods /usr/lib/node_modules/mendlet ext4 ro,nofail 0 0\n',
  '/etc/systemd/network/80-vm.network': '[Match]\nName=eth0\n\n[Network]\nDHCP=ipv4\nLinkLocalAddressing=no\n',
  '/etc/systemd/journald.conf.d/vm.conf': '[Journal]\nStorage=persistent\nSystemMaxUse=64M\nRateLimitBurst=0\n',
  // mendlet listens on 127.0.0.1 alone, and qemu leads to the guest's other address.
  '/etc/systemd/system/api-proxy.socket': `[Socket]\nListenStream=0.0.0.0:${GUEST_API_PORT}\n\n[Install]\nWantedBy=sockets.target\n`,
  '/etc/systemd/system/api-proxy.service':
    '[Service]\nExecStart=/usr/lib/systemd/systemd-socket-proxyd 127.0.0.1:6443\n',
  '/etc/systemd/system/mendlet-agent.service': `[Unit]
Description=The hand of a test
DefaultDependencies=no
After=systemd-udevd.service local-fs.target
Wants=systemd-udevd.service

[Service]
ExecStart=/usr/local/sbin/mendlet-agent
Restart=always
# What a test starts by hand goes on when the hand is gone.
KillMode=process

[Install]
WantedBy=sysinit.target
`,
};

/** Run in the new root once all packages and files are there. */
export function finishScript(): string {
  return [
    'set -e',
    `systemctl enable ${ENABLED.join(' ')}`,
    `systemctl disable ${DISABLED.join(' ')}`,
    `systemctl mask ${MASKED.join(' ')}`,
    'ln -sf /usr/lib/node_modules/mendlet/dist/mendlet.js /usr/bin/mendlet',
    'mkdir -p /usr/lib/node_modules/mendlet',
    'rm -rf /boot/initrd.img* /var/lib/apt/lists/* /var/cache/apt/*',
    // systemd takes older stamps for an upgrade, after which all caches are rebuilt.
    'touch /etc/.updated /var/.updated',
    '',
  ].join('\n');
}
