import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { silentLogger } from '../lib/index.ts';
import { dataPaths } from './data-dir-path.ts';
import { isOwnBind, kubeletFolderOf, openKubeletFolder, releaseKubeletFolder } from './kubelet-folder.node.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mendlet-kubelet-dir-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function mendlet(instanceId: string) {
  const paths = dataPaths(join(root, instanceId));
  mkdirSync(paths.dir, { recursive: true });
  writeFileSync(paths.instance, `${instanceId}\n`);
  return { paths, instanceId };
}

const dir = (): string => join(root, 'kubelet');
const open = (which: ReturnType<typeof mendlet>) => openKubeletFolder(dir(), which, silentLogger);

it('one mendlet has it, also after a restart, until it gives it back', () => {
  const [one, other] = [mendlet('one'), mendlet('other')];
  expect(open(one)).toEqual({ kubeletDir: dir() });
  expect(readdirSync(dir()).toSorted()).toEqual(['.mendlet', 'plugins', 'plugins_registry', 'pods']);
  expect(open(other)).toEqual({});
  expect(open(one)).toEqual({ kubeletDir: dir() });
  expect(kubeletFolderOf(one)).toBe(dir());
  expect(kubeletFolderOf(other)).toBe(undefined);
  releaseKubeletFolder(other);
  expect(kubeletFolderOf(one)).toBe(dir());
  releaseKubeletFolder(one);
  expect(existsSync(dir())).toBe(false);
});

it('that of a mendlet whose data folder is gone is free', () => {
  const gone = mendlet('gone');
  open(gone);
  rmSync(gone.paths.dir, { recursive: true });
  expect(open(mendlet('next'))).toEqual({ kubeletDir: dir() });
});

it('what drivers and pods wrote stays when it is given back; notes of volumes go', () => {
  const one = mendlet('one');
  open(one);
  const volume = join(dir(), 'pods/u/volumes/kubernetes.io~csi/v');
  mkdirSync(join(volume, 'mount'), { recursive: true });
  writeFileSync(join(volume, 'vol_data.json'), '{}');
  mkdirSync(join(dir(), 'plugins/d'));
  writeFileSync(join(dir(), 'plugins/d/state'), 'precious');
  releaseKubeletFolder(one);
  expect(readdirSync(dir())).toEqual(['plugins']);
  expect(existsSync(join(dir(), 'plugins/d/state'))).toBe(true);
});

it('what is still mounted is told, and not entered', () => {
  const one = mendlet('one');
  open(one);
  const data = join(dir(), 'pods/u/volumes/kubernetes.io~csi/v/mount');
  mkdirSync(join(data, 'empty'), { recursive: true });
  writeFileSync(join(data, 'vol_data.json'), 'of the user');
  const told = releaseKubeletFolder(one, `36 35 8:1 / ${data} rw - ext4 /dev/sdb rw`);
  expect(told).toContain(`${data} is still mounted`);
  expect(readdirSync(data)).toEqual(['empty', 'vol_data.json']);
});

it('a start that was cut off while it wrote its mark leaves the one of before', () => {
  const one = mendlet('one');
  open(one);
  writeFileSync(join(dir(), '.mendlet.new'), '');
  expect(open(one)).toEqual({ kubeletDir: dir() });
  expect(kubeletFolderOf(one)).toBe(dir());
});

it('the root of the machine is none', () => {
  expect(openKubeletFolder('/', mendlet('one'), silentLogger)).toEqual({});
});

it.each([
  ['36 35 8:1 /var/lib/kubelet /var/lib/kubelet rw shared:1 - ext4 /dev/sda rw', true],
  ['36 35 8:1 /lib/kubelet /var/lib/kubelet rw shared:1 - ext4 /dev/sda rw', true],
  ['36 35 8:1 / /var/lib/kubelet rw - ext4 /dev/sdb rw', false],
  ['36 35 8:1 /@kubelet /var/lib/kubelet rw - btrfs /dev/sdb rw', false],
  ['36 35 8:1 /var/lib/kubelet /elsewhere rw - ext4 /dev/sda rw', false],
])('%s is our own bind: %s', (line, isOurs) => {
  expect(isOwnBind(line, '/var/lib/kubelet')).toBe(isOurs);
});
