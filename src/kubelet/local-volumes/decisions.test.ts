import { describe, expect, it } from 'vitest';
import { FileError } from '../../lib/index.ts';
import { spaceProblem } from './capacity.ts';
import { diskProblemOf, hangingDisk } from './disk-problem.ts';
import { fullDiskMessage, overuseBytes, type VolumeUsage } from './full-disk.ts';
import { parseEntry } from './ledger.ts';
import { isVolumeName, parseMakeRequest } from './volume-request.ts';
import { VolumeProblem } from './volume-problem.ts';

describe('whether a volume fits', () => {
  it.each<[number, readonly number[], number, boolean]>([
    [100, [], 100, true],
    [100, [], 101, false],
    [100, [60], 40, true],
    [100, [60, 1], 40, false],
    [0, [], 1, false],
    // An earlier agent had a larger disk.
    [100, [200], 1, false],
  ])('capacity %i, taken %j, wanted %i: %s', (capacityBytes, taken, wanted, fits) => {
    expect(spaceProblem({ capacityBytes, taken, wanted }) === undefined).toBe(fits);
  });

  it('is said with the numbers', () => {
    expect(spaceProblem({ capacityBytes: 100, taken: [60, 1], wanted: 40 })).toBe(
      'a volume of 40 bytes does not fit: volumes of this node may have 100 bytes together, and 61 are taken',
    );
  });
});

describe('a request to make a volume', () => {
  it.each<[unknown, boolean]>([
    [{ handle: 'a', capacityBytes: 1 }, true],
    [{ handle: '8c1fac17-0910-4e48-b982-85087d7892c7', capacityBytes: 2 ** 50 }, true],
    [{ handle: 'a', capacityBytes: 0 }, false],
    [{ handle: 'a', capacityBytes: -1 }, false],
    [{ handle: 'a', capacityBytes: 1.5 }, false],
    [{ handle: 'a', capacityBytes: '1' }, false],
    [{ handle: 'a', capacityBytes: 2 ** 60 }, false],
    [{ handle: 'a' }, false],
    [{ handle: '', capacityBytes: 1 }, false],
    [{ handle: '../a', capacityBytes: 1 }, false],
    [{ handle: 'a\n', capacityBytes: 1 }, false],
    [{ handle: 'a'.repeat(129), capacityBytes: 1 }, false],
    [{ handle: ['a'], capacityBytes: 1 }, false],
    [{ capacityBytes: 1 }, false],
    [null, false],
    [[], false],
    ['a', false],
  ])('%j: %s', (body, isGood) => {
    if (isGood) expect(parseMakeRequest(body)).toEqual(body);
    else expect(() => parseMakeRequest(body)).toThrow(VolumeProblem);
  });

  it.each<[string, boolean]>([
    ['pvc-8c1fac17', true],
    ['a.b', true],
    ['a..b', false],
    ['.a', false],
    ['a~b', false],
    ['', false],
    ['a/b', false],
    ['a'.repeat(200), true],
    ['a'.repeat(201), false],
  ])('for the name %j: %s', (name, isGood) => {
    expect(isVolumeName(name)).toBe(isGood);
  });
});

describe('the record of a volume', () => {
  const whole = { handle: 'a', capacityBytes: 1, state: 'ready', used: false } as const;
  it.each<[string, object | undefined]>([
    [JSON.stringify(whole), whole],
    [JSON.stringify({ ...whole, state: 'making' }), { ...whole, state: 'making' }],
    // What is not known to be unused may hold data.
    [JSON.stringify({ handle: 'a', capacityBytes: 1 }), { ...whole, used: true }],
    [JSON.stringify({ ...whole, handle: '../a' }), undefined],
    [JSON.stringify({ ...whole, capacityBytes: 'many' }), undefined],
    ['{"handle":"a","capa', undefined],
    ['null', undefined],
    ['', undefined],
  ])('%j', (text, entry) => {
    expect(parseEntry(text)).toEqual(entry);
  });
});

describe('an error of the disk', () => {
  it.each<[unknown, string | undefined]>([
    [new FileError('EROFS', '/v/.trial', 'EROFS'), 'VolumeDiskReadOnly'],
    [new FileError('EIO', '/v/.trial', 'EIO: i/o error'), 'VolumeDiskFailing'],
    [new FileError('ENOSPC', '/v/.trial', 'ENOSPC'), undefined],
    [new FileError('EDQUOT', '/v/.trial', 'EDQUOT'), undefined],
    [new Error('strange'), 'VolumeDiskFailing'],
    [new VolumeProblem('VolumesFolderAway', 'not mounted'), 'VolumesFolderAway'],
  ])('%s means %s', (error, reason) => {
    expect(diskProblemOf('/v', error)?.reason).toBe(reason);
  });

  it('is said with the place', () => {
    expect(diskProblemOf('/v', new FileError('EIO', '/v/x', 'EIO: i/o error'))?.message).toBe(
      'the disk of the volumes, at /v, has a fault: EIO: i/o error',
    );
    expect(hangingDisk('/v', 5000).message).toBe('the disk of the volumes, at /v, did not answer within 5s');
  });
});

describe('a full disk', () => {
  const usage = (name: string, usedMebibytes: number, capacityMebibytes = 10, claim?: string): VolumeUsage => ({
    name,
    usedBytes: usedMebibytes * 1024 ** 2,
    capacityBytes: capacityMebibytes * 1024 ** 2,
    ...(claim !== undefined && { claim }),
  });
  it.each<[readonly VolumeUsage[], string]>([
    [[], 'no volume has anything on it'],
    [[usage('a', 5)], 'the largest volumes: a has 5120Ki'],
    [
      [usage('a', 1), usage('b', 2000, 1000, 'default/db'), usage('c', 3), usage('d', 2)],
      'the largest volumes: b of claim default/db has 2000Mi, more than its 1000Mi; c has 3072Ki; d has 2048Ki',
    ],
  ])('%#', (usages, text) => {
    expect(fullDiskMessage('/v', usages)).toBe(`the disk of the volumes, at /v, is almost full; ${text}`);
  });

  it('is overused by what volumes have beyond their claims, and not by what others have left', () => {
    expect(overuseBytes([usage('a', 12), usage('b', 1), usage('c', 11)])).toBe(3 * 1024 ** 2);
  });
});
