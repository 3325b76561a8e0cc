import { describe, expect, it } from 'vitest';
import type { ContainerStatus, PodStatus } from '../../api/index.ts';
import { guardStatus, sameValue, statusPatch } from './status-patch.ts';

const OLD = '2026-01-01T00:00:00Z';
const NEW = '2026-01-02T00:00:00Z';
const app = (restartCount: number): ContainerStatus => ({
  name: 'app',
  ready: true,
  restartCount,
  image: 'i',
  imageID: '',
});

describe('statusPatch', () => {
  it.each<[string, PodStatus, PodStatus, object | undefined]>([
    ['nothing', { phase: 'Running' }, { phase: 'Running' }, undefined],
    ['an empty list for none', {}, { initContainerStatuses: [] }, undefined],
    ['a changed field', { phase: 'Pending' }, { phase: 'Running' }, { phase: 'Running' }],
    ['a field that went', { phase: 'Failed', reason: 'Evicted' }, { phase: 'Failed' }, { reason: null }],
    ['QoS class and start time stay', { qosClass: 'Burstable', startTime: OLD }, {}, undefined],
    ['a whole list', { containerStatuses: [app(0)] }, { containerStatuses: [app(1)] }, { containerStatuses: [app(1)] }],
    [
      'a new address',
      { podIPs: [{ ip: '10.0.0.1' }] },
      { podIPs: [{ ip: '10.0.0.2' }] },
      { podIPs: [{ ip: '10.0.0.2' }, { $patch: 'delete', ip: '10.0.0.1' }] },
    ],
    [
      'own conditions only',
      {
        conditions: [
          { type: 'Ready', status: 'False' },
          { type: 'my/gate', status: 'True' },
        ],
      },
      {
        conditions: [
          { type: 'Ready', status: 'True' },
          { type: 'my/gate', status: 'False' },
        ],
      },
      { conditions: [{ type: 'Ready', status: 'True' }] },
    ],
    [
      'an own condition that went, others stay',
      {
        conditions: [
          { type: 'AllContainersRestarting', status: 'True' },
          { type: 'DisruptionTarget', status: 'True' },
        ],
      },
      { conditions: [] },
      { conditions: [{ $patch: 'delete', type: 'AllContainersRestarting' }] },
    ],
    ['nothing of what others set', { nominatedNodeName: 'n', phase: 'Running' }, { phase: 'Running' }, undefined],
  ])('%s', (_, base, desired, expected) => {
    expect(statusPatch(base, desired)).toEqual(expected);
  });
});

describe('guardStatus', () => {
  it('keeps a terminal phase and restart counts, and says what was wrong', () => {
    const { status, violations } = guardStatus(
      { phase: 'Failed', containerStatuses: [app(5)] },
      { phase: 'Running', containerStatuses: [app(4)] },
    );
    expect(status).toEqual({ phase: 'Failed', containerStatuses: [app(5)] });
    expect(violations).toEqual(['phase Failed to Running', 'restart count of app from 5 to 4']);
  });

  it('keeps the start and the transition times of what stays', () => {
    const base = { startTime: OLD, conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: OLD }] };
    const same = { startTime: NEW, conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: NEW }] };
    expect(guardStatus(base, same).status).toEqual(base);
    const other = { startTime: OLD, conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: NEW }] };
    expect(guardStatus(base, other).status).toEqual(other);
  });
});

describe('sameValue', () => {
  it.each<[unknown, unknown, boolean]>([
    [{ a: 1, b: [1, { c: 2 }] }, { b: [1, { c: 2 }], a: 1 }, true],
    [{ a: undefined }, {}, true],
    [{ a: [] }, { a: null }, true],
    [[1], [1, 2], false],
    [[], {}, false],
    [{ a: {} }, {}, false],
    ['1', 1, false],
  ])('%j and %j: %s', (a, b, same) => {
    expect(sameValue(a, b)).toBe(same);
    expect(sameValue(b, a)).toBe(same);
  });
});
