/** The command lines of qemu: an emulated machine with Debian's cloud kernel, and the disk that it may spoil. Pure. */

/** Files and sizes of one guest. Paths are absolute. */
export interface GuestMachine {
  readonly kernel: string;
  /** The files that the kernel needs before it has its root: `guest/init.sh` and modules. */
  readonly initrd: string;
  /** Its own disk, qcow2: writes stay there, over a power cut too. */
  readonly disk: string;
  /** A disk for reading alone: the program under test. */
  readonly goods: string;
  /** The socket on which qemu listens for the test: the other end of the guest's virtio port. */
  readonly socket: string;
  /** The output of kernel and systemd on the serial console. */
  readonly console: string;
  readonly cpus: number;
  readonly memoryMiB: number;
  /** A port of this machine's 127.0.0.1 that leads to the guest's API server. */
  readonly apiPort: number;
  /** A port of this machine's 127.0.0.1 to which `OUTSIDE` leads in the guest. Default: it leads nowhere. */
  readonly outsidePort?: number | undefined;
}

/** What the guest reaches outside, if anything. */
export const OUTSIDE = { address: '10.0.2.100', port: 4000 } as const;

/** The name of the port in the guest: `/dev/virtio-ports/NAME`. */
export const AGENT_PORT = 'mendlet.agent';
/** The port on which the guest passes connections on to the API server of its own 127.0.0.1 (`recipe.ts`). */
export const GUEST_API_PORT = 16443;
/** `struct sockaddr_un` holds 108 bytes with the end mark. */
const MAX_SOCKET_PATH_BYTES = 107;

/**
 * Arguments of `qemu-system-x86_64`. The guest's network ends in qemu: it has an address and a gateway, and reaches nothing
 * else but `outsidePort`.
 * @throws when a path has a comma, which qemu takes for its end, or the socket's is too long
 */
export function qemuArguments(machine: GuestMachine): readonly string[] {
  const { kernel, initrd, disk, goods, socket, console, cpus, memoryMiB } = machine;
  const odd = [kernel, initrd, disk, goods, socket, console].find((path) => path.includes(','));
  if (odd !== undefined) throw new Error(`qemu takes no path with a comma: ${odd}`);
  if (Buffer.byteLength(socket) > MAX_SOCKET_PATH_BYTES) throw new Error(`too long for a socket: ${socket}`);
  return [
    ['-nodefaults', '-no-user-config', '-display', 'none'],
    // Emulation alone: KVM may be forbidden even where it exists, and all runs should be alike.
    ['-machine', 'q35', '-accel', 'tcg,thread=single', '-cpu', 'max,la57=off,cx16=off'],
    // The guest's clock counts its instructions, 2 ns each, while it works: a loaded machine makes it slow, but none of its clocks runs out.
    ['-icount', 'shift=1,align=off,sleep=on'],
    ['-smp', String(cpus), '-m', `${memoryMiB}M`],
    ['-kernel', kernel, '-initrd', initrd, '-append', kernelCommandLine()],
    ['-drive', `file=${disk},if=virtio,format=qcow2,cache=writeback`],
    ['-drive', `file=${goods},if=virtio,format=raw,readonly=on`],
    ['-nic', network(machine)],
    ['-chardev', `socket,id=agent,path=${socket},server=on,wait=off`],
    ['-device', 'virtio-serial-pci', '-device', `virtserialport,chardev=agent,name=${AGENT_PORT}`],
    ['-device', 'virtio-rng-pci'],
    ['-chardev', `file,id=console,path=${console},append=on`, '-serial', 'chardev:console'],
  ].flat();
}

function network({ apiPort, outsidePort }: GuestMachine): string {
  const inward = `user,model=virtio-net-pci,restrict=on,hostfwd=tcp:127.0.0.1:${apiPort}-:${GUEST_API_PORT}`;
  if (outsidePort === undefined) return inward;
  // qemu starts the program for each connection: one that it opened itself would be there once, from its own start.
  const { address, port } = OUTSIDE;
  return `${inward},guestfwd=tcp:${address}:${port}-cmd:/bin/busybox nc 127.0.0.1 ${outsidePort}`;
}

/** A panic ends in a new boot, as a machine with a watchdog has it; systemd says on the console what it does. */
function kernelCommandLine(): string {
  return ['console=ttyS0', 'loglevel=4', 'panic=1', 'net.ifnames=0', 'mitigations=off', 'nowatchdog'].join(' ');
}

/** Arguments of `qemu-img` that make `disk`, which begins as `base` and keeps what is changed. */
export function overlayArguments(base: string, disk: string): readonly string[] {
  return ['create', '-q', '-f', 'qcow2', '-F', 'raw', '-b', base, disk];
}
