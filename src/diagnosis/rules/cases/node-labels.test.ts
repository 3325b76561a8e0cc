/** Tests what is told of labels that no node has, and the advice beside it. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { evidence } from '../../evidence.fixtures.ts';
import type { Node } from '../../evidence/kinds.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';
import { placementWanted } from '../../wanted.ts';
import { unscheduled } from './cases.fixtures.ts';

const REFUSED = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.";
const node = (name: string, labels: Readonly<Record<string, string>>): Node => ({ metadata: { name, labels } });
const first = (nodeSelector: Readonly<Record<string, string>>, nodes?: readonly Node[]) => {
  const given: Partial<PodEvidence> = unscheduled(REFUSED, { nodeSelector });
  return diagnosePod(evidence({ ...given, ...(nodes && { placement: { nodes } }) })).findings[0];
};

describe('labels that no node has', () => {
  it.each<[string, Readonly<Record<string, string>>, readonly Node[] | undefined, RegExp]>([
    [
      'and has with another value',
      { 'kubernetes.io/arch': 'arm64' },
      [node('vm', { 'kubernetes.io/arch': 'amd64' })],
      /: 1 node has not the labels that it asks for \(kubernetes\.io\/arch=arm64\): vm has amd64$/,
    ],
    [
      'and has by another name',
      { disktype: 'ssd', tier: 'a' },
      [node('n1', { 'disk-type': 'ssd', tier: 'a' }), node('n2', { tier: 'a' })],
      /\(disktype=ssd and tier=a\): n1 has disk-type=ssd$/,
    ],
    ['and of which nothing is known', { disktype: 'ssd' }, undefined, /\(disktype=ssd\)$/],
    ['and has nothing like it', { gpu: 'yes' }, [node('vm', { tier: 'a' })], /\(gpu=yes\)$/],
  ])('%s', (_what, selector, nodes, says) => {
    expect(first(selector, nodes)?.says).toMatch(says);
  });

  it('are given to a node, unless they say what it is', () => {
    expect(first({ disktype: 'ssd' })?.try).toContain('kubectl label node NODE disktype=ssd');
    for (const key of [
      'kubernetes.io/arch',
      'kubernetes.io/os',
      'node.kubernetes.io/instance-type',
      'kubernetes.io/hostname',
    ]) {
      expect(first({ [key]: 'x' })?.try.join()).not.toContain('label node');
    }
  });

  it('have the nodes read', () => {
    expect(placementWanted(evidence(unscheduled(REFUSED))).nodes).toBe(true);
  });
});
