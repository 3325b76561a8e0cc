import { describe, expect, it } from 'vitest';
import type { VolumeTrouble } from '../../types.ts';
import { judgeVolume, type VolumeKnowledge } from './judge-volume.ts';
import { isServed, mountStates } from './mount-states.ts';

const TABLE = [
  '22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,errors=remount-ro',
  '40 22 0:50 / /k/pods/a\\040b/mount rw,relatime shared:9 master:2 - fuse.sshfs host: rw,user_id=0',
  '41 22 8:16 / /k/pods/c/mount rw,relatime shared:10 - ext4 /dev/sdb ro',
  '42 22 8:32 / /k/pods/d/mount ro,relatime - xfs /dev/sdc rw',
].join('\n');

const known = (change: Partial<VolumeKnowledge> = {}): VolumeKnowledge => ({
  volume: 'data',
  path: '/k/mount',
  isBlock: false,
  wasReadOnly: false,
  mount: { readOnly: false, type: 'ext4' },
  ...change,
});
const judged = (change: Partial<VolumeKnowledge>, before?: VolumeTrouble): string | undefined =>
  judgeVolume(known(change), before, 1000)?.reason;

it('reads from the mount table what is read-only, by its mount or by its file system', () => {
  const paths = new Set(['/k/pods/a b/mount', '/k/pods/c/mount', '/k/pods/d/mount', '/k/pods/e/mount']);
  expect(mountStates(TABLE, paths)).toEqual(
    new Map([
      ['/k/pods/a b/mount', { readOnly: false, type: 'fuse.sshfs' }],
      ['/k/pods/c/mount', { readOnly: true, type: 'ext4' }],
      ['/k/pods/d/mount', { readOnly: true, type: 'xfs' }],
    ]),
  );
});

it.each([
  ['fuse', true],
  ['fuse.juicefs', true],
  ['nfs4', true],
  ['fusectl', false],
  ['ext4', false],
])('%s is served by somebody: %s', (type, expected) => expect(isServed(type)).toBe(expected));

describe('a volume', () => {
  const readOnly = { readOnly: true, type: 'ext4' };
  it.each<[string, Partial<VolumeKnowledge>, string | undefined]>([
    ['that is mounted', {}, undefined],
    ['that answers', { probe: { kind: 'answers' } }, undefined],
    ['whose mount is gone', { mount: undefined, probe: { kind: 'fails', error: 'x' } }, 'MountLost'],
    ['whose process was killed', { probe: { kind: 'fails', error: 'Transport endpoint is not connected' } }, 'Stale'],
    ['that hangs', { probe: { kind: 'hangs' } }, 'Hangs'],
    ['that turned read-only', { mount: readOnly }, 'ReadOnly'],
    ['that was read-only from the beginning', { mount: readOnly, wasReadOnly: true }, undefined],
    ['that is a device', { mount: readOnly, isBlock: true }, undefined],
    ['of an unhappy driver', { condition: { isAbnormal: true, message: 'the disk dies' } }, 'Abnormal'],
    ['of a happy driver', { condition: { isAbnormal: false, message: 'all well' } }, undefined],
  ])('%s', (_, change, expected) => expect(judged(change)).toBe(expected));

  it('keeps the time at which its trouble began, and has a new one for another trouble', () => {
    const first = judgeVolume(known({ mount: undefined }), undefined, 1000);
    expect(judgeVolume(known({ mount: undefined }), first, 2000)?.since).toBe(1000);
    expect(judgeVolume(known({ probe: { kind: 'hangs' } }), first, 2000)?.since).toBe(2000);
  });

  it('that was mounted anew is well when all containers that began before have gone', () => {
    const lost: VolumeTrouble = { volume: 'data', reason: 'MountLost', message: '', since: 500 };
    expect(judged({ oldestStart: 400 }, lost)).toBe('MountLost');
    expect(judged({ oldestStart: 600 }, lost)).toBeUndefined();
    expect(judged({}, lost)).toBeUndefined();
  });

  it('is told with a bounded text', () => {
    const condition = { isAbnormal: true, message: 'x'.repeat(100_000) };
    expect(judgeVolume(known({ condition }), undefined, 1)?.message.length).toBe(1024);
  });
});
