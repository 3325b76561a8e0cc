import { describe, expect, it } from 'vitest';
import { AGENT_PORT, type GuestMachine, overlayArguments, qemuArguments } from './qemu.ts';

const machine: GuestMachine = {
  kernel: '/c/vmlinuz',
  initrd: '/c/initrd',
  disk: '/g/disk',
  goods: '/c/goods.img',
  socket: '/g/agent',
  console: '/g/console',
  cpus: 2,
  memoryMiB: 2048,
  apiPort: 40001,
};
const valuesOf = (args: readonly string[], flag: string): string[] =>
  args.flatMap((arg, index) => (arg === flag ? [args[index + 1] ?? ''] : []));

describe('qemuArguments', () => {
  const args = qemuArguments(machine);

  it('asks for no hardware, no window, and nothing of its user', () => {
    expect(valuesOf(args, '-accel')).toEqual([expect.stringMatching(/^tcg\b/)]);
    expect(valuesOf(args, '-display')).toEqual(['none']);
    expect(args).toEqual(expect.arrayContaining(['-nodefaults', '-no-user-config']));
    expect(args.join(' ')).not.toMatch(/kvm|-enable/);
  });

  it('has a clock that a loaded machine does not make run out', () =>
    expect(valuesOf(args, '-icount')).toEqual([expect.stringMatching(/^shift=\d+,.*sleep=on/)]));

  it('gives what it was told', () => {
    expect(valuesOf(args, '-smp')).toEqual(['2']);
    expect(valuesOf(args, '-m')).toEqual(['2048M']);
    expect(valuesOf(args, '-kernel')).toEqual(['/c/vmlinuz']);
    expect(valuesOf(args, '-initrd')).toEqual(['/c/initrd']);
  });

  it('writes to its own disk alone', () => {
    const [disk, goods, ...more] = valuesOf(args, '-drive');
    expect(more).toEqual([]);
    expect(disk).toMatch(/^file=\/g\/disk,.*format=qcow2/);
    expect(goods).toMatch(/^file=\/c\/goods\.img,.*readonly=on/);
  });

  it('lets the guest reach nobody', () =>
    expect(valuesOf(args, '-nic')).toEqual([expect.stringMatching(/restrict=on(?!.*guestfwd)/)]));

  it('or reaches one port outside, if it is given', () =>
    expect(valuesOf(qemuArguments({ ...machine, outsidePort: 5 }), '-nic')).toEqual([
      expect.stringMatching(/restrict=on.*guestfwd=tcp:10\.0\.2\.100:4000-cmd:\S+ nc 127\.0\.0\.1 5$/),
    ]));

  it('lets the test alone reach its API server', () =>
    expect(valuesOf(args, '-nic')).toEqual([expect.stringMatching(/,hostfwd=tcp:127\.0\.0\.1:40001-:\d+$/)]));

  it('lets the test speak to the agent', () => {
    expect(valuesOf(args, '-chardev')).toContainEqual('socket,id=agent,path=/g/agent,server=on,wait=off');
    expect(valuesOf(args, '-device')).toContainEqual(`virtserialport,chardev=agent,name=${AGENT_PORT}`);
  });

  it.each(['kernel', 'initrd', 'disk', 'goods', 'socket', 'console'] as const)('refuses a comma in %s', (field) =>
    expect(() => qemuArguments({ ...machine, [field]: '/a,readonly=off' })).toThrow('/a,readonly=off'),
  );

  it('refuses a socket that the kernel would', () => {
    expect(() => qemuArguments({ ...machine, socket: `/${'s'.repeat(106)}` })).not.toThrow();
    expect(() => qemuArguments({ ...machine, socket: `/${'s'.repeat(107)}` })).toThrow('too long');
    expect(() => qemuArguments({ ...machine, socket: `/${'ü'.repeat(54)}` })).toThrow('too long');
  });
});

it('a disk begins as its base and leaves that alone', () =>
  expect(overlayArguments('/c/root.img', '/g/disk').slice(-3)).toEqual(['-b', '/c/root.img', '/g/disk']));
