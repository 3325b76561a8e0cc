import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createInMemoryApi, type InMemoryApi, until } from '../../../test/support/in-memory-api.ts';
import { EVENTS, type Node, NODES, type Pod, PODS, type Taint, type Toleration } from '../../api/index.ts';
import { createMetrics, seededRandom, silentLogger } from '../../lib/index.ts';
import { settle } from '../../lib/manual-clock.node.ts';
import { runControllers } from '../run-controllers.ts';
import { planTaintEviction } from './plan-taint-eviction.ts';

const taint = (key: string, value = ''): Taint => ({ key, value, effect: 'NoExecute' });
const exists = (key: string, tolerationSeconds?: number): Toleration => ({
  key,
  operator: 'Exists',
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds, effect: 'NoExecute' }),
});

describe('planTaintEviction', () => {
  it.each<[string, Toleration[], Taint[], ReturnType<typeof planTaintEviction>]>([
    ['no taints', [], [], 'stay'],
    ['no toleration', [], [taint('a')], { afterSeconds: 0 }],
    ['another key', [exists('b')], [taint('a')], { afterSeconds: 0 }],
    ['one of two', [exists('a', 9)], [taint('a'), taint('b')], { afterSeconds: 0 }],
    ['for ever', [exists('a')], [taint('a')], 'stay'],
    ['for a while', [exists('a', 9)], [taint('a')], { afterSeconds: 9 }],
    ['the shorter of two', [exists('a', 9), exists('b', 5)], [taint('a'), taint('b')], { afterSeconds: 5 }],
    ['an unused one does not count', [exists('a', 9), exists('b', 5)], [taint('a')], { afterSeconds: 9 }],
    ['below zero', [exists('a', -3)], [taint('a')], { afterSeconds: 0 }],
    ['all', [{ operator: 'Exists' }], [taint('a'), taint('b')], 'stay'],
    ['equal', [{ key: 'a', operator: 'Equal', value: 'x' }], [taint('a', 'x')], 'stay'],
    ['unequal', [{ key: 'a', operator: 'Equal', value: 'x' }], [taint('a', 'y')], { afterSeconds: 0 }],
    ['another effect', [{ ...exists('a'), effect: 'NoSchedule' }], [taint('a')], { afterSeconds: 0 }],
  ])('%s', (_, tolerations, taints, expected) => {
    expect(planTaintEviction({ spec: { containers: [], tolerations } }, taints)).toEqual(expected);
  });

  it('leaves static pods alone', () => {
    const pod: Pod = { metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } }, spec: { containers: [] } };
    expect(planTaintEviction(pod, [taint('a')])).toBe('stay');
  });
});

describe('the controller', () => {
  let api: InMemoryApi;
  let stop: AbortController;
  let running: Promise<void>;
  beforeEach(async () => {
    api = await createInMemoryApi();
    stop = new AbortController();
    const { client, clock } = api;
    const metrics = createMetrics();
    const options = { client, clock, random: seededRandom(1), logger: silentLogger, metrics };
    running = runControllers(options, { caCertificate: 'PEM' }, stop.signal);
    await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } });
  });
  afterEach(async () => {
    stop.abort(new Error('enough'));
    await running;
  });

  const pod = (name: string, tolerations: Toleration[] = []): Promise<Pod> =>
    api.client.create(PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'default', name },
      spec: { nodeName: 'n1', tolerations, containers: [{ name: 'c', image: 'x' }] },
    });
  const taintNode = (taints: Taint[]): Promise<Node> =>
    api.client.patch(NODES, undefined, 'n1', 'merge', { spec: { taints } });
  const read = (name: string): Promise<Pod> => api.client.get(PODS, 'default', name);
  const isEnding = async (name: string): Promise<boolean> =>
    (await read(name)).metadata?.deletionTimestamp !== undefined;
  const calm = async (): Promise<void> => {
    for (let turn = 0; turn < 50; turn++) await settle();
  };

  it('sends away at once who does not tolerate, and says why', async () => {
    await pod('p');
    await pod('q', [exists('a')]);
    await taintNode([taint('a')]);
    await until(() => isEnding('p'), 'the eviction');
    expect((await read('p')).status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager' }),
    );
    expect(await isEnding('q')).toBe(false);
    const told = async (): Promise<boolean> =>
      (await api.client.list(EVENTS)).items.some(
        (event) => event.reason === 'TaintManagerEviction' && event.message === 'Marking for deletion Pod default/p',
      );
    await until(told, 'the event');
  });

  it('waits as long as is tolerated', async () => {
    await pod('p', [exists('a', 60)]);
    await taintNode([taint('a')]);
    await calm();
    await api.clock.advance(59_000);
    await calm();
    expect(await isEnding('p')).toBe(false);
    await api.clock.advance(1_000);
    await until(() => isEnding('p'), 'the eviction');
  });

  it('lets it stay when the taint goes in time', async () => {
    await pod('p', [exists('a', 60)]);
    await taintNode([taint('a')]);
    await calm();
    await api.clock.advance(30_000);
    await taintNode([]);
    await calm();
    await api.clock.advance(60_000);
    await calm();
    expect(await isEnding('p')).toBe(false);
    await taintNode([taint('a')]);
    await calm();
    await api.clock.advance(59_000);
    await calm();
    expect(await isEnding('p')).toBe(false);
  });

  it('looks at pods that come later', async () => {
    await taintNode([taint('a')]);
    await calm();
    await pod('late');
    await until(() => isEnding('late'), 'the eviction');
  });
});
