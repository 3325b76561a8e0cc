import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DataPaths, dataPaths, defaultDataDir, runDir } from './data-dir-path.ts';
import { nodeNameOf, readRecord, refuseChange, refuseOtherRole, type UpRecord, writeRecord } from './up-record.node.ts';

let paths: DataPaths;
beforeAll(() => {
  paths = dataPaths(mkdtempSync(join(tmpdir(), 'mendlet-record-')));
});
afterAll(() => rmSync(paths.dir, { recursive: true }));

const record: UpRecord = { nodeName: 'n', podCidr: '10.244.0.0/16', runtime: 'private', inUse: true };

describe('the record of the last up', () => {
  it('is read as it was written', () => {
    expect(readRecord(paths)).toBeUndefined();
    writeRecord(paths, record);
    expect(readRecord(paths)).toEqual(record);
  });

  it('is left alone when nothing is new: the disk may be full', () => {
    writeRecord(paths, record);
    const before = statSync(paths.record).ino;
    writeRecord(paths, record);
    expect(statSync(paths.record).ino).toBe(before);
    writeRecord(paths, { ...record, inUse: false });
    expect(readRecord(paths)?.inUse).toBe(false);
    writeRecord(paths, record);
  });

  it.each(['', '{', '[]', '{"nodeName":1}'])('says that %j is damaged', (text) => {
    writeFileSync(paths.record, text);
    expect(() => readRecord(paths)).toThrow('cannot be read');
  });

  it.each([
    [{ podCidr: '10.0.0.0/16' }, 'have their addresses from 10.244.0.0/16, not from 10.0.0.0/16'],
    [{ runtime: '/run/x.sock' }, 'run under a private containerd, not under unix:///run/x.sock'],
  ])('refuses %j while pods may be running', (change, message) => {
    expect(() => refuseChange(paths, record, { ...record, ...change })).toThrow(message);
    expect(() => refuseChange(paths, { ...record, inUse: false }, { ...record, ...change })).not.toThrow();
    expect(() => refuseChange(paths, undefined, { ...record, ...change })).not.toThrow();
  });
});

describe('nodeNameOf', () => {
  it.each([
    ['Laptop', 'laptop'],
    ['my_host.example.com', 'my-host.example.com'],
    ['-x-..y', 'x.y'],
    ['___', 'mendlet'],
  ])('%s', (hostname, name) => expect(nodeNameOf(hostname)).toBe(name));
});

describe('folders', () => {
  it.each([
    [0, {}, '/var/lib/mendlet', '/run/mendlet/x'],
    [1000, {}, '/home/me/.local/share/mendlet', '/tmp/mendlet-1000/mendlet/x'],
    [1000, { XDG_DATA_HOME: '/d', XDG_RUNTIME_DIR: '/r' }, '/d/mendlet', '/r/mendlet/x'],
    [1000, { XDG_DATA_HOME: 'relative' }, '/home/me/.local/share/mendlet', '/tmp/mendlet-1000/mendlet/x'],
  ])('of user %d with %j', (uid, env, data, run) => {
    const surroundings = { uid, env, home: '/home/me' };
    expect([defaultDataDir(surroundings), runDir(surroundings, 'x')]).toEqual([data, run]);
  });
});

describe('a folder of another role', () => {
  it('is left with its objects: nobody is told to purge a store', () => {
    const server = dataPaths(mkdtempSync(join(paths.dir, 'role-')));
    mkdirSync(server.store);
    expect(() => refuseOtherRole(server, undefined, 'agent')).toThrow(/server's data folder.*give another --data-dir$/);
    expect(() => refuseOtherRole(server, record, 'server')).toThrow(
      /first "mendlet down --data-dir \S+" \(objects stay\)/,
    );
    expect(() => refuseOtherRole(server, { ...record, inUse: false }, 'server')).not.toThrow();
    expect(() => refuseOtherRole(server, { ...record, role: 'agent' }, 'up')).toThrow(
      /node n of another server.*--purge"/,
    );
  });
});
