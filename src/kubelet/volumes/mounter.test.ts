import { describe, expect, it } from 'vitest';
import { encodeText, FileError, type FileSystem, type Process, type RunResult } from '../../lib/index.ts';
import { systemFileSystem } from '../../lib/file-system.node.ts';
import { createManualClock, settle } from '../../lib/manual-clock.node.ts';
import { MOUNT_KILL_WAIT_MS, MOUNT_TIMEOUT_MS } from './limits.ts';
import { Mounter, UnmountError } from './mounter.ts';

const OK: RunResult = { code: 0, stdout: '', stderr: '' };

function machine(
  release: string | undefined,
  answer: (args: readonly string[]) => Promise<RunResult> = async () => OK,
) {
  const mounts: string[] = [];
  const commands: string[] = [];
  const fs: FileSystem = {
    ...systemFileSystem,
    readFile: async (path) => {
      if (path === '/proc/self/mountinfo')
        return encodeText(mounts.map((at) => `1 2 0:3 / ${at} rw - x x rw`).join('\n'));
      if (release === undefined) throw new FileError('ENOENT', path, 'none');
      return encodeText(`${release}\n`);
    },
  };
  const process: Process = {
    run: async (program, args) => {
      commands.push([program, ...args].join(' '));
      const result = await answer([program, ...args]);
      const point = args.at(-1) as string;
      if (result.code === 0 && program === 'umount') mounts.splice(mounts.lastIndexOf(point), 1);
      if (result.code === 0 && program === 'mount') mounts.push(point);
      return result;
    },
  };
  const clock = createManualClock();
  return { mounts, commands, clock, mounter: new Mounter({ fs, process, clock }) };
}

describe('a tmpfs', () => {
  it.each([
    ['6.4.0', 'size=5,noswap'],
    ['6.12.3-amd64', 'size=5,noswap'],
    ['7.0', 'size=5,noswap'],
    ['6.1.0-26-amd64', 'size=5'],
    ['5.15', 'size=5'],
    [undefined, 'size=5'],
  ])('of Linux %s: %s', async (release, wishes) => {
    const { mounter, commands } = machine(release);
    await mounter.ensureTmpfs('/v', { sizeBytes: 5 });
    await mounter.ensureTmpfs('/v', { sizeBytes: 5 });
    expect(commands).toEqual([`mount -t tmpfs -o ${wishes} tmpfs /v`]);
  });
});

describe('unmounting', () => {
  it('goes on past what cannot be unmounted, and names it', async () => {
    const busy = { code: 32, stdout: '', stderr: 'umount: /p/a: target is busy.\n' };
    const { mounter, mounts, commands } = machine(undefined, async (args) => (args.at(-1) === '/p/a' ? busy : OK));
    mounts.push('/p/a', '/p/b', '/p/b', '/elsewhere');
    const error = await mounter.unmountAll('/p').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UnmountError);
    expect(error).toMatchObject({ point: '/p/a', message: 'umount failed: umount: /p/a: target is busy.' });
    expect([mounts, commands.length]).toEqual([['/p/a', '/elsewhere'], 3]);
  });

  it('starts no second program where one hangs that cannot be killed', async () => {
    const { promise, resolve } = Promise.withResolvers<RunResult>();
    const { mounter, mounts, commands, clock } = machine(undefined, () => promise);
    mounts.push('/p/dead');
    const first = mounter.unmountAll('/p').catch((error: unknown) => error);
    await settle();
    await clock.advance(MOUNT_TIMEOUT_MS + MOUNT_KILL_WAIT_MS);
    expect(await first).toMatchObject({ message: 'umount of /p/dead hangs, and cannot be killed' });
    await expect(mounter.unmountAll('/p')).rejects.toThrow('an earlier mount or umount of /p/dead still hangs');
    expect(commands).toEqual(['umount /p/dead']);
    resolve(OK);
    await settle();
    await mounter.unmountAll('/p');
    expect(mounts).toEqual([]);
  });
});
