import { describe, expect, it } from 'vitest';
import type { Container, Pod } from '../../api/index.ts';
import { fsUserOf, tokenMode } from './ownership.ts';

const container = (runAsUser?: number): Container => ({
  name: 'c',
  ...(runAsUser !== undefined && { securityContext: { runAsUser } }),
});

describe('the reader of a token', () => {
  it.each<[string, Pod['spec'], number | undefined, number]>([
    ['nobody says', { containers: [container()] }, undefined, 0o644],
    ['all the same', { containers: [container(7), container(7)], initContainers: [container(7)] }, 7, 0o600],
    ['the pod says', { containers: [container()], securityContext: { runAsUser: 9 } }, 9, 0o600],
    ['two', { containers: [container(7), container(8)] }, undefined, 0o644],
    ['one does not say', { containers: [container(7), container()] }, undefined, 0o644],
    ['a container says otherwise', { containers: [container(7)], securityContext: { runAsUser: 9 } }, 7, 0o600],
    ['root', { containers: [container(0)] }, 0, 0o600],
    ['a group', { containers: [container()], securityContext: { fsGroup: 5 } }, undefined, 0o600],
  ])('%s', (_, spec, user, mode) => {
    const pod: Pod = { ...(spec !== undefined && { spec }) };
    expect([fsUserOf(pod), tokenMode(pod, 0o644)]).toEqual([user, mode]);
  });
});
