import { describe, expect, it } from 'vitest';
import { attachmentName, type PersistentVolume, type Pod } from '../../api/index.ts';
import type { NodeCapability } from '../../csi/index.ts';
import { accessModeOf, delegatedGroup, inlineHandle, ownGroup, policyOf } from './requests.ts';

const NONE: ReadonlySet<NodeCapability> = new Set();
const pod = (fsGroup?: number): Pod => ({
  metadata: { name: 'p', namespace: 'n', uid: 'u' },
  spec: { containers: [], ...(fsGroup !== undefined && { securityContext: { fsGroup } }) },
});
const volume = (accessModes: string[]): PersistentVolume => ({ metadata: { name: 'v' }, spec: { accessModes } });

describe('the access mode', () => {
  it.each([
    [['ReadWriteOnce'], false, 'single-node-writer'],
    [['ReadWriteOnce'], true, 'single-node-multi-writer'],
    [['ReadWriteOncePod'], false, 'single-node-writer'],
    [['ReadWriteOncePod'], true, 'single-node-single-writer'],
    [['ReadOnlyMany', 'ReadWriteOnce'], true, 'multi-node-reader-only'],
    [['ReadWriteMany'], true, 'multi-node-multi-writer'],
    [undefined, false, 'single-node-writer'],
  ])('%j of a driver that tells writers apart: %s is %s', (modes, tells, mode) => {
    expect(accessModeOf(modes, tells ? new Set(['single-node-multi-writer']) : NONE)).toBe(mode);
  });
});

describe('the group of the files', () => {
  const once = volume(['ReadWriteOnce']);
  it.each([
    ['ReadWriteOnceWithFSType', once, 'ext4', false, false, 7],
    ['ReadWriteOnceWithFSType', volume(['ReadWriteOncePod']), 'ext4', false, false, 7],
    ['ReadWriteOnceWithFSType', once, '', false, false, undefined],
    ['ReadWriteOnceWithFSType', volume(['ReadWriteMany']), 'ext4', false, false, undefined],
    ['ReadWriteOnceWithFSType', undefined, 'ext4', false, false, undefined],
    ['File', volume(['ReadWriteMany']), '', false, false, 7],
    ['File', undefined, '', false, false, 7],
    ['File', once, 'ext4', true, false, undefined],
    ['File', once, 'ext4', false, true, undefined],
    ['None', once, 'ext4', false, false, undefined],
  ] as const)(
    '%s, %j, type %j, read-only %s, delegated %s: %s',
    (fsGroupPolicy, of, fsType, readOnly, isDelegated, group) => {
      expect(ownGroup(pod(7), { fsGroupPolicy }, { volume: of, fsType, readOnly, isDelegated })).toBe(group);
    },
  );

  it('is nobody’s business when the pod names none', () => {
    expect(
      ownGroup(pod(), { fsGroupPolicy: 'File' }, { volume: once, fsType: '', readOnly: false, isDelegated: false }),
    ).toBe(undefined);
    expect(delegatedGroup(pod(), { fsGroupPolicy: 'File' }, new Set(['mount-group']))).toBe(undefined);
  });

  it('is the driver’s business where it says that it can', () => {
    expect(delegatedGroup(pod(7), { fsGroupPolicy: 'File' }, new Set(['mount-group']))).toBe('7');
    expect(delegatedGroup(pod(7), { fsGroupPolicy: 'File' }, NONE)).toBe(undefined);
    expect(delegatedGroup(pod(7), { fsGroupPolicy: 'None' }, new Set(['mount-group']))).toBe(undefined);
  });
});

it('a driver without an object is one that attaches, and mounts claims alone', () => {
  expect(policyOf(undefined)).toEqual({
    attachRequired: true,
    podInfoOnMount: false,
    lifecycleModes: ['Persistent'],
    fsGroupPolicy: 'ReadWriteOnceWithFSType',
    tokenRequests: [],
    requiresRepublish: false,
    tokensInSecrets: false,
  });
});

it('names are hashes of what upstream hashes', () => {
  const hash = (text: string): string => `#${text}`;
  expect(attachmentName(hash, { handle: 'h', driver: 'd' }, 'n')).toBe('csi-#hdn');
  expect(inlineHandle(hash, 'uid', 'vol')).toBe('csi-#uidvol');
});
