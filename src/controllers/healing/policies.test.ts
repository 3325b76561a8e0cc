/** Policies and pods: the controllers and the server together. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/support/in-memory-api.ts';
import { type RunningControllers, startControllers } from '../../../test/support/running-controllers.ts';
import {
  HEALING_POLICIES,
  HEALING_POLICY,
  HEALING_POLICY_FROM,
  type HealingPolicy,
  type HealingPolicySpec,
  NAMESPACES,
  NODES,
  type Pod,
  PODS,
} from '../../api/index.ts';
import { settle } from '../../lib/manual-clock.node.ts';

let cluster: RunningControllers;
beforeEach(async () => {
  cluster = await startControllers(async ({ client }) => {
    await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
    await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } });
  });
});
afterEach(() => cluster.stop());

async function makePod(name: string, annotations: Record<string, string> = {}): Promise<void> {
  await cluster.client.create(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'team', name, labels: { app: 'web' }, annotations },
    spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'busybox' }] },
  });
}

async function makePolicy(name: string, spec: HealingPolicySpec = {}): Promise<void> {
  await cluster.client.create(HEALING_POLICIES, {
    apiVersion: 'mendlet.dev/v1alpha1',
    kind: 'HealingPolicy',
    metadata: { namespace: 'team', name },
    spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
  });
}

const read = (name: string): Promise<Pod> => cluster.client.get(PODS, 'team', name);
const policy = (name: string): Promise<HealingPolicy> => cluster.client.get(HEALING_POLICIES, 'team', name);

async function healsBy(pod: string, text: string | undefined): Promise<void> {
  await until(async () => {
    const annotations = (await read(pod)).metadata?.annotations ?? {};
    return (
      annotations[HEALING_POLICY] === text && (text === undefined) === (annotations[HEALING_POLICY_FROM] === undefined)
    );
  }, `${pod} heals by ${text}`);
}

async function counts(name: string, pods: number): Promise<void> {
  await until(async () => {
    await cluster.clock.advance(1000);
    return (await policy(name)).status?.pods === pods;
  }, `${pods} pods`);
}

const NEVER = '{"lateRecovery":"Never"}';

describe('a policy', () => {
  it('comes to the pods that it selects, changes with them, and goes', async () => {
    await makePod('before');
    await makePolicy('calm', { lateRecovery: 'Never' });
    await makePod('after');
    await makePod('mine', { [HEALING_POLICY]: '{}' });
    for (const name of ['before', 'after']) await healsBy(name, NEVER);
    await counts('calm', 2);
    expect((await policy('calm')).status).toMatchObject({
      observedGeneration: 1,
      conditions: [
        { type: 'Accepted', status: 'True' },
        { type: 'Overridden', status: 'True' },
      ],
    });

    await cluster.client.patch(HEALING_POLICIES, 'team', 'calm', 'merge', { spec: { maxPodRestarts: 3 } });
    await healsBy('before', '{"lateRecovery":"Never","maxPodRestarts":3}');
    expect((await read('before')).metadata?.annotations?.[HEALING_POLICY_FROM]).toMatch(/^calm\/[-\w]+\/2$/);

    await makePolicy('strong', { priority: 1 });
    await healsBy('before', '{}');
    await counts('calm', 0);
    await counts('strong', 2);

    await cluster.client.patch(PODS, 'team', 'after', 'merge', { metadata: { labels: { app: 'db' } } });
    await healsBy('after', undefined);
    await cluster.client.delete(HEALING_POLICIES, 'team', 'strong');
    await cluster.client.delete(HEALING_POLICIES, 'team', 'calm');
    await healsBy('before', undefined);
    expect((await read('mine')).metadata?.annotations).toEqual({ [HEALING_POLICY]: '{}' });
  });

  it('is counted, not told of, for each of a thousand pods', { timeout: 60_000 }, async () => {
    await makePolicy('many');
    let writes = 0;
    const patch = cluster.client.patch.bind(cluster.client);
    cluster.client.patch = (...call) => {
      writes += 1;
      return patch(...call);
    };
    for (let i = 0; i < 1000; i += 1) await makePod(`p${i}`);
    await healsBy('p999', '{}');
    await until(() => settle().then(() => writes >= 1000), 'all patches');
    await counts('many', 1000);
    expect(writes).toBeLessThan(1010);
  });
});
