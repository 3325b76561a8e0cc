import { beforeEach, describe, expect, it } from 'vitest';
import { driverVolumeName } from '../../api/index.ts';
import { silentLogger } from '../../lib/index.ts';
import type { VolumeNote } from './volume-note.ts';
import { VolumesInUse } from './volumes-in-use.ts';

const A = { driver: 'd', handle: 'a' };
const B = { driver: 'd', handle: 'b' };
const [NAME_A, NAME_B] = [driverVolumeName(A), driverVolumeName(B)];
const note = (volume: typeof A, isAttached: boolean): VolumeNote => ({
  ...volume,
  boot: 'x',
  publications: [],
  ...(isAttached && { isAttached }),
});

let notes: VolumeNote[];
let damaged: string[];
let isAway: boolean;
let changes: number;
let inUse: VolumesInUse;
beforeEach(() => {
  notes = [];
  damaged = [];
  isAway = false;
  changes = 0;
  const store = {
    list: async () => {
      if (isAway) throw new Error('no disk');
      return notes;
    },
    isDamaged: async ({ handle }: { readonly handle: string }) => damaged.includes(handle),
  };
  inUse = new VolumesInUse(silentLogger, store, () => (changes += 1));
});

async function report(before: readonly string[] = []): Promise<readonly string[]> {
  const names = await inUse.toReport(before);
  inUse.reported(names);
  return names;
}

it('names a volume from the wish for it until it is unstaged and no pod has it', async () => {
  inUse.want('p', A);
  inUse.want('q', A);
  expect(changes).toBe(2);
  expect(inUse.isReported(A)).toBe(false);
  expect(await report()).toEqual([NAME_A]);
  expect(inUse.isReported(A)).toBe(true);
  notes = [note(A, true), note(B, false)];
  await inUse.release('p');
  await inUse.release('q');
  expect(changes).toBe(2);
  expect(await report()).toEqual([NAME_A]);
  notes = [];
  await inUse.release('q');
  expect(changes).toBe(3);
  expect(await report([NAME_A])).toEqual([]);
});

it('counts on no list while one without the volume is on its way', async () => {
  inUse.want('p', A);
  await report();
  await inUse.release('p');
  const names = await inUse.toReport([NAME_A]);
  expect(names).toEqual([]);
  // The server has the old list still, and the next pod must not mount by it.
  inUse.want('q', A);
  expect(inUse.isReported(A)).toBe(false);
  inUse.reported(names);
  expect(inUse.isReported(A)).toBe(false);
  await report();
  expect(inUse.isReported(A)).toBe(true);
});

describe('what cannot be read', () => {
  it('stays on the list: a damaged note', async () => {
    damaged = ['a'];
    expect(await report([NAME_A, NAME_B, 'kubernetes.io/nfs/x'])).toEqual([NAME_A]);
  });

  it('stays on the list: all, when no note can be read', async () => {
    isAway = true;
    inUse.want('p', B);
    expect(await report([NAME_A])).toEqual([NAME_A, NAME_B]);
  });
});
