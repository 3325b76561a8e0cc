import { afterEach, describe, expect, it } from 'vitest';
import { createInMemoryApi, type InMemoryApi, until } from '../../../test/support/in-memory-api.ts';
import { isOutOfService, NAMESPACES, type Node, NODES, type Pod, PODS } from '../../api/index.ts';
import { Informers } from '../../client/index.ts';
import { createMetrics, type MetricsRegistry, seededRandom, silentLogger } from '../../lib/index.ts';
import { settle } from '../../lib/manual-clock.node.ts';
import { CONTROLLER_INDEXES } from '../indexes.ts';
import { runController } from '../run-controller.ts';
import { endPod, surplusOf } from './plan-pod-gc.ts';
import { podGcController } from './pod-gc-controller.ts';

const NOW = '2026-01-01T00:00:00Z';

function pod(name: string, status: Pod['status'] = {}, minute = 0): Pod {
  const creationTimestamp = `2026-01-01T00:${String(minute).padStart(2, '0')}:00Z`;
  return { metadata: { namespace: 'team', name, uid: name, creationTimestamp }, status };
}

describe('what ends a pod', () => {
  const deleted = (name: string) => ({
    verb: 'delete',
    namespace: 'team',
    name,
    options: { gracePeriodSeconds: 0, uid: name },
  });
  it('one that runs says first that it failed', () => {
    expect(endPod(pod('a', { phase: 'Running' }), 'orphaned', NOW)).toMatchObject([
      {
        verb: 'patch',
        subresource: 'status',
        patch: {
          metadata: { uid: 'a' },
          status: { phase: 'Failed', conditions: [{ type: 'DisruptionTarget', reason: 'DeletionByPodGC' }] },
        },
      },
      deleted('a'),
    ]);
    const [patch] = endPod(pod('a', { phase: 'Running' }), 'out-of-service', NOW);
    expect(patch).toMatchObject({ patch: { status: { phase: 'Failed' } } });
    expect(JSON.stringify(patch)).not.toContain('DisruptionTarget');
  });

  it('one that is over only goes', () => {
    expect(endPod(pod('a', { phase: 'Succeeded' }), 'orphaned', NOW)).toMatchObject([deleted('a')]);
  });
});

it('of too many, evicted ones go first, then the oldest', () => {
  const all = [
    pod('new', { phase: 'Failed' }, 9),
    pod('b', { phase: 'Succeeded' }, 1),
    pod('a', { phase: 'Succeeded' }, 1),
    pod('evicted', { phase: 'Failed', reason: 'Evicted' }, 8),
  ];
  const names = (threshold: number) => surplusOf(all, threshold).map(({ metadata }) => metadata?.name);
  expect(names(4)).toEqual([]);
  expect(names(3)).toEqual(['evicted']);
  expect(names(1)).toEqual(['evicted', 'a', 'b']);
});

it.each([
  { ready: 'True', taint: true, expected: false },
  { ready: 'False', taint: true, expected: true },
  { ready: 'Unknown', taint: true, expected: true },
  { ready: 'Unknown', taint: false, expected: false },
  { ready: undefined, taint: true, expected: true },
])('Ready $ready, tainted $taint: out of service $expected', ({ ready, taint, expected }) => {
  const node: Node = {
    spec: { taints: taint ? [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] : [] },
    status: { conditions: ready === undefined ? [] : [{ type: 'Ready', status: ready }] },
  };
  expect(isOutOfService(node)).toBe(expected);
});

describe('the controller', () => {
  let api: InMemoryApi;
  let metrics: MetricsRegistry;
  const stop = { controller: new AbortController(), done: Promise.resolve() as Promise<unknown> };
  afterEach(async () => {
    stop.controller.abort(new Error('enough'));
    await stop.done;
  });

  async function start(terminatedPodThreshold: number): Promise<void> {
    api = await createInMemoryApi();
    const { client, clock } = api;
    await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
    await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } });
    metrics = createMetrics();
    const options = { client, clock, random: seededRandom(1), logger: silentLogger, metrics };
    const informers = new Informers({ ...options, indexes: CONTROLLER_INDEXES });
    const controller = podGcController({ informers, client, clock, metrics, terminatedPodThreshold });
    stop.controller = new AbortController();
    const { signal } = stop.controller;
    stop.done = Promise.all([informers.run(signal), runController(controller, { ...options, informers }, signal)]);
    await settle();
  }

  async function create(name: string, phase: string, finalizers: string[] = []): Promise<void> {
    await api.client.create(PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'team', name, finalizers },
      spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'busybox' }] },
    });
    await api.client.patch(PODS, 'team', name, 'merge', { status: { phase } }, 'status');
  }

  async function names(): Promise<string[]> {
    return (await api.client.list(PODS)).items.map(({ metadata }) => metadata?.name ?? '').toSorted();
  }

  it('keeps so many ended pods', async () => {
    await start(2);
    for (const name of ['a', 'b', 'c', 'd']) {
      await create(name, name === 'b' ? 'Running' : 'Succeeded');
      await api.clock.advance(1000);
    }
    await until(async () => (await names()).join('') === 'bcd', 'the oldest of three gone');
    await create('e', 'Failed');
    await until(async () => (await names()).join('') === 'bde', 'the next');
    expect(metrics.text()).toContain(
      'pod_gc_collector_force_delete_pods_total{namespace="team",reason="terminated"} 2',
    );
  });

  it('ends what is being deleted on a node that is out of service', async () => {
    await start(0);
    await create('going', 'Running');
    await create('staying', 'Running');
    await api.client.delete(PODS, 'team', 'going');
    const taints = [{ key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' }];
    await api.client.patch(NODES, undefined, 'n1', 'merge', { spec: { taints } });
    const ready = (status: string) => ({ status: { conditions: [{ type: 'Ready', status }] } });
    await api.client.patch(NODES, undefined, 'n1', 'merge', ready('True'), 'status');
    await api.client.patch(NODES, undefined, 'n1', 'merge', ready('Unknown'), 'status');
    await until(async () => (await names()).join() === 'staying', 'its end');
    await api.client.delete(PODS, 'team', 'staying');
    await until(async () => (await names()).length === 0, 'the end of the other');
  });
});
