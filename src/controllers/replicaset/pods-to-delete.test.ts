import { describe, expect, it } from 'vitest';
import { nameOf, type Pod } from '../../api/index.ts';
import { POD_DELETION_COST, podsToDelete } from './pods-to-delete.ts';

const NOW = Date.UTC(2026, 0, 2);

interface Shape {
  readonly node?: string;
  readonly phase?: string;
  /** Seconds ago. */
  readonly ready?: number;
  readonly created?: number;
  readonly cost?: string;
  readonly restarts?: number;
  readonly sidecarRestarts?: number;
  readonly uid?: string;
}

function ago(seconds: number): string {
  return new Date(NOW - seconds * 1000).toISOString();
}

function pod(name: string, shape: Shape): Pod {
  const { node = 'n1', phase = 'Running', ready, created = 1000, cost, restarts = 0, sidecarRestarts = 0 } = shape;
  return {
    metadata: {
      name,
      uid: shape.uid ?? name,
      creationTimestamp: ago(created),
      ...(cost === undefined ? {} : { annotations: { [POD_DELETION_COST]: cost } }),
    },
    spec: { nodeName: node, containers: [], initContainers: [{ name: 's', restartPolicy: 'Always' }] },
    status: {
      phase,
      conditions: ready === undefined ? [] : [{ type: 'Ready', status: 'True', lastTransitionTime: ago(ready) }],
      containerStatuses: [{ name: 'c', restartCount: restarts, ready: true, image: '', imageID: '' }],
      initContainerStatuses: [{ name: 's', restartCount: sidecarRestarts, ready: true, image: '', imageID: '' }],
    },
  };
}

function order(pods: readonly Pod[], related = pods): string[] {
  // One more, which everything else goes before: deleting all of them needs no order.
  const last = pod('zz', { ready: 1e9, created: 1e9, cost: '99', uid: 'zzzz' });
  return podsToDelete([...pods, last], related, pods.length, NOW).map(nameOf);
}

describe('the first to go', () => {
  it.each<[string, Shape, Shape]>([
    ['is without a node', { node: '' }, { phase: 'Pending' }],
    ['is pending', { phase: 'Pending' }, { phase: 'Unknown' }],
    ['is unknown', { phase: 'Unknown' }, { phase: 'Running' }],
    ['is not ready', {}, { ready: 10, cost: '-100' }],
    ['costs less', { ready: 100, cost: '-5' }, { ready: 1 }],
    ['costs less, and the other is no number', { ready: 100, cost: '-5' }, { ready: 1, cost: '+7' }],
    ['has been ready for less time', { ready: 10, uid: 'z' }, { ready: 100, uid: 'a' }],
    ['is the first by UID when both have been ready about as long', { ready: 100, uid: 'a' }, { ready: 101, uid: 'b' }],
    ['restarted more often', { ready: 10, restarts: 3 }, { ready: 10, restarts: 2, sidecarRestarts: 9 }],
    ['has a sidecar that restarted more often', { ready: 10, sidecarRestarts: 3 }, { ready: 10, sidecarRestarts: 2 }],
    ['is younger', { created: 10, uid: 'z' }, { created: 1000, uid: 'a' }],
  ])('%s', (_, first, second) => {
    expect(order([pod('second', second), pod('first', first)])).toEqual(['first', 'second']);
    expect(order([pod('first', first), pod('second', second)])).toEqual(['first', 'second']);
  });

  it('is where most of its kind are', () => {
    const pods = [pod('a', { node: 'n1', ready: 10 }), pod('b', { node: 'n2', ready: 1000 })];
    const related = [...pods, pod('other', { node: 'n2' }), pod('ended', { node: 'n1', phase: 'Failed' })];
    expect(order(pods, related)).toEqual(['b', 'a']);
  });
});

it('all go when that many must', () => {
  const pods = [pod('a', {}), pod('b', { node: '' })];
  expect(podsToDelete(pods, pods, 2, NOW)).toEqual(pods);
});
