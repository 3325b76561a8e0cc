import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../lib/index.ts';
import { dataPaths } from './data-dir-path.ts';
import { openVolumesFolder } from './volumes-folder.node.ts';

let root = '';
let stack = new AsyncDisposableStack();
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mendlet-volumes-folder-'));
  stack = new AsyncDisposableStack();
});
afterEach(async () => {
  await stack.disposeAsync();
  rmSync(root, { recursive: true, force: true });
});

function open(wanted: string | true | undefined, instanceId = 'me'): { readonly volumesDir?: string } {
  return openVolumesFolder(wanted, { paths: dataPaths(join(root, 'data')), instanceId }, silentLogger, stack);
}

/** A record, as an agent leaves it. */
function made(dir: string): void {
  const home = join(root, 'data/agent/local-volumes');
  mkdirSync(join(home, 'made'), { recursive: true });
  writeFileSync(join(home, 'folder.json'), JSON.stringify({ dir }));
  writeFileSync(join(home, 'made/pvc-1.json'), '{}');
}

describe('the folder of the volumes', () => {
  it('is in the data folder, where the user says, or nowhere', () => {
    expect(open(undefined)).toEqual({});
    expect(existsSync(join(root, 'data/volumes'))).toBe(false);
    expect(open(true)).toEqual({ volumesDir: join(root, 'data/volumes') });
    expect(open(join(root, 'other'))).toEqual({ volumesDir: join(root, 'other') });
  });

  it('has one mendlet at a time', async () => {
    open(true);
    expect(() => open(true)).toThrow('is in use by another mendlet');
    await stack.disposeAsync();
    stack = new AsyncDisposableStack();
    open(true);
  });

  it('belongs to the mendlet that made volumes in it', () => {
    mkdirSync(join(root, 'data/volumes'), { recursive: true });
    writeFileSync(join(root, 'data/volumes/.mendlet-volumes'), 'another\n');
    expect(() => open(true)).toThrow('belongs to another mendlet (another)');
    expect(open(true, 'another')).toEqual({ volumesDir: join(root, 'data/volumes') });
  });

  it('is no other one while there are volumes', () => {
    made(join(root, 'before'));
    expect(() => open(true)).toThrow(`this node has a volume in ${root}/before, not in ${root}/data/volumes`);
    expect(open(join(root, 'before'))).toEqual({ volumesDir: join(root, 'before') });
    rmSync(join(root, 'data/agent/local-volumes/made/pvc-1.json'));
    expect(open(true)).toEqual({ volumesDir: join(root, 'data/volumes') });
  });

  it('that cannot be made does not keep the node from starting', () => {
    writeFileSync(join(root, 'file'), '');
    expect(open(join(root, 'file/volumes'))).toEqual({ volumesDir: join(root, 'file/volumes') });
  });
});
