import { describe, expect, it } from 'vitest';
import type { Pod, Service, ServicePort } from '../../api/index.ts';
import { isReachable, selectsLabels, selectsPods, servicesConcernedBy, targetPortOf } from './service-pods.ts';
import { TriggerTimes, withTriggerTime } from './trigger-times.ts';

const POD: Pod = {
  metadata: { namespace: 'n', name: 'p', labels: { app: 'web', tier: 'front' } },
  spec: {
    containers: [
      {
        name: 'c',
        ports: [
          { name: 'http', containerPort: 8080 },
          { name: 'dns', containerPort: 53, protocol: 'UDP' },
        ],
      },
    ],
    initContainers: [
      { name: 'init', ports: [{ name: 'never', containerPort: 1 }] },
      { name: 'side', restartPolicy: 'Always', ports: [{ name: 'proxy', containerPort: 15001 }] },
    ],
  },
  status: { phase: 'Running', podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }] },
};

function service(selector?: Record<string, string>, more: Service['spec'] = {}): Service {
  return { metadata: { namespace: 'n', name: 's' }, spec: { ...(selector && { selector }), ...more } };
}

describe('which pods', () => {
  it.each([
    ['none without a selector', service(), false],
    ['none with an empty one', service({}), false],
    ['those with its labels', service({ app: 'web' }), true],
    ['not those with some', service({ app: 'web', tier: 'back' }), false],
  ])('%s', (_, given, selects) => {
    expect(selectsLabels(given, POD.metadata?.labels)).toBe(selects);
  });

  it('an ExternalName has none', () => {
    expect(selectsPods(service({ app: 'web' }, { type: 'ExternalName' }))).toBe(false);
    expect(selectsPods(service({ app: 'web' }))).toBe(true);
  });

  it.each<[string, Pod, boolean, boolean]>([
    ['running', POD, true, true],
    ['over', { ...POD, status: { ...POD.status, phase: 'Succeeded' } }, false, false],
    ['without an address', { ...POD, status: { phase: 'Pending' } }, false, false],
    ['going', { ...POD, metadata: { deletionTimestamp: 'x' } }, true, false],
  ])('a pod that is %s', (_, given, whileTerminating, otherwise) => {
    expect(isReachable(given, { whileTerminating: true })).toBe(whileTerminating);
    expect(isReachable(given, { whileTerminating: false })).toBe(otherwise);
  });
});

it.each<[string, ServicePort, number | undefined]>([
  ['a number', { port: 80, targetPort: 8080 }, 8080],
  ['none: the port itself', { port: 80 }, 80],
  ['a name', { port: 80, targetPort: 'http' }, 8080],
  ['a name of the other protocol', { port: 80, targetPort: 'dns' }, undefined],
  ['a name of its protocol', { port: 53, targetPort: 'dns', protocol: 'UDP' }, 53],
  ['a name of a sidecar', { port: 80, targetPort: 'proxy' }, 15001],
  ['a name of an init container', { port: 80, targetPort: 'never' }, undefined],
])('target port: %s', (_, port, expected) => {
  expect(targetPortOf(POD, port)).toBe(expected);
});

describe('a change of a pod concerns', () => {
  const services = [service({ app: 'web' }), service({ app: 'other' }), service()];
  const concerned = (object: Pod, previous?: Pod, type: 'apply' | 'delete' = 'apply'): number =>
    servicesConcernedBy({ type, key: 'n/p', object, ...(previous === undefined ? {} : { previous }) }, services).length;
  it.each<[string, Pod, Pod | undefined, number]>([
    ['a new one: those that select it', POD, undefined, 1],
    ['an annotation: none', { ...POD, metadata: { ...POD.metadata, annotations: { a: 'b' } } }, POD, 0],
    ['other labels: the old and the new', { ...POD, metadata: { ...POD.metadata, labels: { app: 'other' } } }, POD, 2],
    [
      'readiness: those that select it',
      { ...POD, status: { ...POD.status, conditions: [{ type: 'Ready', status: 'True' }] } },
      POD,
      1,
    ],
  ])('%s', (_, object, previous, count) => {
    expect(concerned(object, previous)).toBe(count);
  });

  it('an end: those that selected it', () => {
    expect(concerned(POD, undefined, 'delete')).toBe(1);
  });
});

it('trigger times tell the first change since the last look', () => {
  const times = new TriggerTimes();
  const ready = (name: string, lastTransitionTime: string): Pod => ({
    metadata: { name },
    status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime }] },
  });
  const own = { metadata: { name: 's', creationTimestamp: '2026-01-01T00:00:00Z' } };
  expect(times.next('s', own, [])).toBe('2026-01-01T00:00:00Z');
  const [a, b] = [ready('a', '2026-01-01T00:00:05Z'), ready('b', '2026-01-01T00:00:07Z')];
  expect(times.next('s', own, [a, b])).toBe('2026-01-01T00:00:05Z');
  expect(times.next('s', own, [a, b])).toBeUndefined();
  expect(times.next('s', own, [a, ready('b', '2026-01-01T00:00:09Z')])).toBe('2026-01-01T00:00:09Z');
  const name = 'endpoints.kubernetes.io/last-change-trigger-time';
  expect(withTriggerTime({ x: 'y', [name]: 'old' }, undefined)).toEqual({ x: 'y' });
  expect(withTriggerTime({ x: 'y' }, 'new')).toEqual({ x: 'y', [name]: 'new' });
});
