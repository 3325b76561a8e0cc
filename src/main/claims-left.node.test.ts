import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refuseToLose, removeVolumesFolder, volumesWithData } from './claims-left.node.ts';
import { dataPaths } from './data-dir-path.ts';
import { UserError } from './user-error.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mendlet-claims-left-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const place = () => ({ paths: dataPaths(join(root, 'data')), instanceId: 'me' });

/** As an agent leaves them. */
function made(
  volumes: Readonly<Record<string, 'used' | 'unused' | 'lost' | 'unrecorded' | 'torn'>>,
  owner = 'me',
): string {
  const home = join(root, 'data/agent/local-volumes');
  const dir = join(root, 'volumes');
  mkdirSync(join(home, 'made'), { recursive: true });
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(home, 'folder.json'), JSON.stringify({ dir }));
  if (owner !== '') writeFileSync(join(dir, '.mendlet-volumes'), `${owner}\n`);
  for (const [name, state] of Object.entries(volumes)) {
    const entry = JSON.stringify({ handle: 'h', capacityBytes: 1, state: 'ready', used: state !== 'unused' });
    const text = state === 'torn' ? entry.slice(0, 9) : entry;
    if (state !== 'unrecorded') writeFileSync(join(home, 'made', `${name}.json`), text);
    if (state !== 'lost') mkdirSync(join(dir, name, 'data'), { recursive: true });
  }
  return dir;
}

describe('the data of claims', () => {
  it.each<[Parameters<typeof made>[0], readonly string[]]>([
    [{}, []],
    [{ a: 'used', b: 'unused' }, ['a']],
    [{ a: 'lost', b: 'unrecorded', c: 'torn' }, ['b', 'c']],
  ])('of %j is in %j', (volumes, names) => {
    made(volumes);
    expect(volumesWithData(place())).toEqual(names);
  });

  it('is not taken for lost while its disk is not mounted', () => {
    made({ a: 'lost', b: 'unused' }, '');
    expect(volumesWithData(place())).toEqual(['a']);
  });

  it.each<[true | number | undefined, string | undefined]>([
    [undefined, '2 claims have data in'],
    [1, ', and not 1 (a, b); nothing was removed'],
    [3, ', and not 3 (a, b); nothing was removed'],
    [2, undefined],
    [true, undefined],
  ])('goes for --with-claims %s: %s', (wanted, refusal) => {
    made({ a: 'used', b: 'used', c: 'unused' });
    const refuse = (): void => refuseToLose(place(), wanted);
    if (refusal === undefined) expect(refuse).not.toThrow();
    else expect(refuse).toThrow(refusal);
  });

  it('that nobody has needs no word, and a wrong number is said', () => {
    expect(() => refuseToLose(place(), undefined)).not.toThrow();
    expect(() => refuseToLose(place(), 1)).toThrow('no claim has data');
  });

  it('is removed from our own folder alone, and what is not ours stays there', async () => {
    const dir = made({ a: 'used' });
    mkdirSync(join(dir, '.removing~b/data'), { recursive: true });
    writeFileSync(join(dir, 'Notes of the admin'), '');
    await removeVolumesFolder(place());
    expect(['a', '.removing~b', '.mendlet-volumes'].map((name) => existsSync(join(dir, name)))).toEqual([
      false,
      false,
      false,
    ]);
    expect(existsSync(join(dir, 'Notes of the admin'))).toBe(true);
    made({ a: 'used' }, 'another');
    await removeVolumesFolder(place());
    expect(existsSync(join(dir, 'a'))).toBe(true);
  });

  it('that cannot be removed is told with what to do, in place of the error of the disk alone', async () => {
    const dir = made({ a: 'used' });
    // Whatever is refused is told the same: a test has no failing disk.
    mkdirSync(join(dir, '.trial/child'), { recursive: true });
    const removal = removeVolumesFolder(place());
    await expect(removal).rejects.toThrow(`the volumes in ${dir} cannot be removed:`);
    await expect(removal).rejects.toThrow(/unmount it .* and repeat the command/);
    await expect(removal).rejects.toBeInstanceOf(UserError);
  });

  it('on a disk that cannot be read counts, and is not taken for removed', async () => {
    const dir = made({ a: 'used', b: 'unused' }, '');
    mkdirSync(join(dir, '.mendlet-volumes'));
    expect(volumesWithData(place())).toEqual(['a']);
    await expect(removeVolumesFolder(place())).rejects.toThrow(`the volumes in ${dir} cannot be removed: EISDIR`);
  });

  it('is said to stay where its disk is not mounted', async () => {
    const dir = made({ a: 'used', b: 'unused' }, '');
    expect(await removeVolumesFolder(place())).toBe(
      `${dir} is not mendlet's folder of volumes now; data of 1 claim may be on a disk that is not mounted there, and stays (a)`,
    );
    made({ a: 'used' });
    expect(await removeVolumesFolder(place())).toBeUndefined();
  });
});
