import { beforeEach, expect, it } from 'vitest';
import { encodeText, silentLogger } from '../../../lib/index.ts';
import { createManualClock, settle } from '../../../lib/manual-clock.node.ts';
import { CONFIRM_MS, LOOK_MS, PROBE_MS, PROBE_REMOTE_MS, PROBE_TIMEOUT_MS } from './limits.ts';
import { VolumeHealth, type WatchedVolume } from './volume-health.ts';

const VOLUME: WatchedVolume = { uid: 'u', volume: 'data', path: '/k/data', isBlock: false };

let clock = createManualClock();
let mounts: string[] = [];
let volumes: WatchedVolume[] = [];
let answer: (path: string) => Promise<{ code: number; stdout: string; stderr: string }>;
let reads = 0;
let asked = 0;
let started: number | undefined;
const idle: string[] = [];
const told: string[] = [];

beforeEach(() => {
  clock = createManualClock();
  mounts = ['/k/data rw fuse.x'];
  volumes = [VOLUME];
  answer = async () => ({ code: 0, stdout: 'fuse', stderr: '' });
  reads = 0;
  asked = 0;
  started = 0;
  idle.length = 0;
  told.length = 0;
});

const line = (text: string): string => {
  const [path, options, type] = text.split(' ');
  return `1 2 0:1 / ${path} ${options} - ${type} src rw`;
};

function watch(): VolumeHealth {
  return new VolumeHealth(
    {
      clock,
      logger: silentLogger,
      fs: {
        readFile: async () => {
          reads += 1;
          return encodeText(mounts.map(line).join('\n'));
        },
      },
      process: {
        run: (_, args) => {
          asked += 1;
          return answer(args.at(-1) ?? '');
        },
      },
    },
    {
      volumes: async () => volumes,
      askDrivers: async () => {},
      oldestStart: () => started,
      onChange: (_, trouble) => told.push(trouble?.reason ?? 'well'),
      onIdle: ({ volume }) => idle.push(volume),
    },
  );
}

async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= CONFIRM_MS) {
    await clock.advance(Math.min(left, CONFIRM_MS));
    await settle();
  }
}

it('does nothing until it is woken, and nothing once no pod has a volume', async () => {
  const health = watch();
  await pass(LOOK_MS * 3);
  expect(reads).toBe(0);
  health.wake();
  await pass(LOOK_MS * 2);
  expect(reads).toBe(2);
  volumes = [];
  await pass(LOOK_MS * 3);
  expect(reads).toBe(2);
});

it('tells a mount that vanished, once it is confirmed, and one that is there again', async () => {
  const health = watch();
  health.wake();
  await pass(LOOK_MS);
  mounts = [];
  await pass(LOOK_MS);
  expect(told).toEqual([]);
  await pass(CONFIRM_MS);
  expect(told).toEqual(['MountLost']);
  // It is set up anew meanwhile; then its containers start anew.
  volumes = [{ ...VOLUME, path: undefined }];
  mounts = ['/k/data rw fuse.x'];
  await pass(LOOK_MS);
  expect(health.troubles('u')).toHaveLength(1);
  volumes = [VOLUME];
  started = undefined;
  await pass(LOOK_MS);
  expect(told).toEqual(['MountLost', 'well']);
  expect(health.troubles('u')).toEqual([]);
});

it('says nothing of a mount that is made anew at once', async () => {
  watch().wake();
  await pass(LOOK_MS);
  mounts = [];
  await pass(LOOK_MS);
  mounts = ['/k/data rw fuse.x'];
  await pass(LOOK_MS * 2);
  expect(told).toEqual([]);
});

it('asks what a process serves more often than a disk, and at once when a driver is gone', async () => {
  const health = watch();
  health.wake();
  await pass(LOOK_MS + PROBE_REMOTE_MS);
  expect(asked).toBe(2);
  answer = async () => ({ code: 1, stdout: '', stderr: "stat: '/k/data': Transport endpoint is not connected" });
  health.lookNow();
  await pass(CONFIRM_MS);
  expect(told).toEqual(['Stale']);
  expect(idle).toEqual([]);
  started = undefined;
  await pass(PROBE_REMOTE_MS + LOOK_MS);
  expect(idle).not.toEqual([]);
  mounts = ['/k/data rw ext4'];
  const before = asked;
  await pass(PROBE_MS - LOOK_MS);
  expect(asked).toBeLessThanOrEqual(before + 1);
});

it('concludes nothing from an answer that is about something else', async () => {
  answer = async () => ({ code: 1, stdout: '', stderr: 'stat: Permission denied' });
  watch().wake();
  await pass(LOOK_MS * 4);
  expect(told).toEqual([]);
});

it('tells a file system that hangs when it hangs twice, and never asks it twice at once', async () => {
  answer = () => new Promise(() => {});
  watch().wake();
  await pass(LOOK_MS + PROBE_TIMEOUT_MS + 1000);
  expect(told).toEqual([]);
  await pass(LOOK_MS * 2);
  expect(told).toEqual(['Hangs']);
  await pass(PROBE_MS);
  expect(asked).toBe(1);
});

it.each([
  ['cannot be killed', () => new Promise<never>(() => {})],
  [
    'are killed in the end',
    () =>
      new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
        clock.setTimer(PROBE_TIMEOUT_MS, () => resolve({ code: 137, stdout: '', stderr: '' }));
      }),
  ],
])('asks volumes of others while a server with many volumes hangs, whose probes %s', async (_, hang) => {
  volumes = Array.from({ length: 40 }, (__, i) => ({ ...VOLUME, volume: `v${i}`, path: `/k/v${i}`, server: 'bad' }));
  volumes.push({ ...VOLUME, volume: 'good', server: 'other' });
  mounts = volumes.map(({ path }) => `${path} rw fuse.x`);
  let isGoodDead = false;
  let running = 0;
  let most = 0;
  answer = async (path) => {
    if (path === VOLUME.path) {
      return isGoodDead
        ? { code: 1, stdout: '', stderr: 'Transport endpoint is not connected' }
        : { code: 0, stdout: 'fuse', stderr: '' };
    }
    running += 1;
    most = Math.max(most, running);
    return await hang().finally(() => (running -= 1));
  };
  const health = watch();
  health.wake();
  await pass(PROBE_MS);
  isGoodDead = true;
  await pass(PROBE_REMOTE_MS + LOOK_MS);
  expect(health.troubles('u').find(({ volume }) => volume === 'good')?.reason).toBe('Stale');
  expect(most).toBeLessThanOrEqual(8);
});

it('tells a volume that turned read-only, but none that was so from the beginning', async () => {
  mounts = ['/k/data rw ext4', '/k/other ro ext4'];
  volumes = [VOLUME, { ...VOLUME, volume: 'other', path: '/k/other' }];
  watch().wake();
  await pass(LOOK_MS);
  mounts = ['/k/data ro ext4', '/k/other ro ext4'];
  await pass(LOOK_MS);
  expect(told).toEqual(['ReadOnly']);
});

it('knows from the note of the volume that it could be written to before the agent started', async () => {
  mounts = ['/k/data ro ext4'];
  volumes = [{ ...VOLUME, wasReadOnly: false }];
  watch().wake();
  await pass(LOOK_MS);
  expect(told).toEqual(['ReadOnly']);
});

it('keeps saying what is wrong until as much is known of the mount that was made anew', async () => {
  const health = watch();
  health.wake();
  await pass(LOOK_MS);
  health.heard('u', new Map([['data', { condition: { isAbnormal: true, message: 'bad' } }]]));
  const [first] = health.troubles('u');
  health.renewed('u', 'data');
  await pass(LOOK_MS * 2);
  expect(told).toEqual(['Abnormal']);
  health.heard('u', new Map([['data', { condition: { isAbnormal: true, message: 'bad' } }]]));
  // The same trouble of a new mount is another one: a policy may answer it once more.
  expect(told).toEqual(['Abnormal', 'Abnormal']);
  expect(health.troubles('u')[0]?.since).not.toBe(first?.since);
  health.heard('u', new Map([['data', {}]]));
  expect(told.at(-1)).toBe('well');
});

it('tells a mount that was made anew before it was missed, until its containers have gone', async () => {
  const health = watch();
  health.wake();
  await pass(LOOK_MS);
  const { path = '' } = VOLUME;
  health.setUp({ ...VOLUME, path }, await health.mountTable());
  expect(told).toEqual([]);
  health.setUp({ ...VOLUME, path }, line('/elsewhere rw ext4'));
  await pass(LOOK_MS * 2);
  expect(told).toEqual(['MountLost']);
  started = clock.now().wall + 1;
  await pass(LOOK_MS);
  expect(told).toEqual(['MountLost', 'well']);
});

it('says nothing of a mount that is made for containers to come, and tells one that vanished while the agent was away', () => {
  const health = watch();
  started = undefined;
  health.setUp({ ...VOLUME, path: '/k/data' }, '');
  expect(told).toEqual([]);
  started = 0;
  health.setUp({ ...VOLUME, path: '/k/data' }, '');
  expect(told).toEqual(['MountLost']);
});
