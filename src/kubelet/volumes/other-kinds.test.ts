import { describe, expect, it } from 'vitest';
import type { NFSVolumeSource } from '../../api/index.ts';
import { nfsOptions, nfsSource } from './nfs.ts';
import { parseNote, type Publication } from './publications.ts';
import { UNSERVED, unservedProblem } from './unserved-kinds.ts';
import { kindAt, kindOf } from './volume-kinds.ts';

describe('what mount.nfs is given', () => {
  it.each<[NFSVolumeSource, readonly string[], string, string]>([
    [{ server: 'nas', path: '/a' }, [], 'nas:/a', ''],
    [{ server: '10.0.0.1', path: '/', readOnly: true }, [], '10.0.0.1:/', 'ro'],
    [{ server: 'fd00::1', path: '/a' }, ['hard', 'nfsvers=4.1'], '[fd00::1]:/a', 'hard,nfsvers=4.1'],
    [{ server: 'nas', path: '/a', readOnly: true }, ['soft', 'ro'], 'nas:/a', 'ro,soft'],
  ])('%j with %j', (source, wanted, from, options) => {
    expect(nfsSource(source)).toBe(from);
    expect(nfsOptions(source, wanted).join(',')).toBe(options);
  });
});

describe('a kind that is not mounted here', () => {
  it.each<[string, string]>([
    ['awsElasticBlockStore', 'its CSI driver ebs.csi.aws.com serves them as volumes of kind csi'],
    ['gcePersistentDisk', 'its CSI driver pd.csi.storage.gke.io serves them as volumes of kind csi'],
    ['gitRepo', 'use an emptyDir that an init container fills with git clone'],
    ['flexVolume', 'use the CSI driver of its vendor'],
  ])('%s', (kind, advice) => {
    expect(unservedProblem({ [kind]: { driver: 'd' } })?.message).toBe(
      `no volume plugin matched: this node mounts no ${kind} volumes; ${advice}`,
    );
  });

  it('has words for each, and no row', () => {
    for (const kind of UNSERVED) {
      expect(unservedProblem({ [kind]: {} })?.message).toContain(kind);
      expect(kindOf({ name: 'v', [kind]: {} })).toBeUndefined();
    }
    expect(unservedProblem({ name: 'v' })).toBeUndefined();
  });
});

describe('the kind of a mount point', () => {
  it.each<[string, string | undefined]>([
    ['/d/pods/u/volumes/kubernetes.io~nfs/v', 'nfs'],
    ['/d/pods/u/volumes/kubernetes.io~secret/v', 'secret'],
    ['/d/pods/u/volumes/kubernetes.io~empty-dir/v', 'emptyDir'],
    ['/d/pods/u/volume-subpaths/v/c/0', undefined],
    ['/d', undefined],
  ])('%s is %s', (path, kind) => {
    expect(kindAt(path)?.name).toBe(kind);
  });
});

describe('the note of a volume that a pod has', () => {
  it.each<[string, Publication | undefined]>([
    ['{"path":"/a"}', { path: '/a' }],
    ['{"volume":"v","path":"/a","claim":"n/c"}', { volume: 'v', path: '/a', claim: 'n/c' }],
    ['{"volume":"v","path":"/a","isSettled":false}', { volume: 'v', path: '/a', isSettled: false }],
    ['{"volume":7,"path":"/a","isSettled":true}', { path: '/a' }],
    ['{"volume":"v"}', undefined],
    ['null', undefined],
    ['{"volume":"v","pa', undefined],
  ])('%s', (text, note) => {
    expect(parseNote(text)).toEqual(note);
  });
});
