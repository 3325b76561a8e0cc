/** Pauses of workloads and their pods: the controllers and the server together. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '../../../test/support/in-memory-api.ts';
import { type RunningControllers, startControllers } from '../../../test/support/running-controllers.ts';
import {
  DEPLOYMENTS,
  HEALING_PAUSED,
  HEALING_PAUSED_FROM,
  NAMESPACES,
  NODES,
  type Pod,
  PODS,
} from '../../api/index.ts';

let cluster: RunningControllers;
beforeEach(async () => {
  cluster = await startControllers(async ({ client }) => {
    await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
    await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } });
  });
  await cluster.client.create(DEPLOYMENTS, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'team', name: 'web' },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'x' }] } },
    },
  });
  await podsAre('there', (pods) => pods.length === 2);
});
afterEach(() => cluster.stop());

const podsOf = async (): Promise<readonly Pod[]> => (await cluster.client.list(PODS, { namespace: 'team' })).items;

async function podsAre(what: string, wanted: (pods: readonly Pod[]) => boolean): Promise<readonly Pod[]> {
  let pods: readonly Pod[] = [];
  await until(async () => {
    await cluster.clock.advance(100);
    pods = (await podsOf()).filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
    return wanted(pods);
  }, `pods are ${what}`);
  return pods;
}

const annotate = (
  name: string,
  annotations: Record<string, string | null>,
  resource: typeof PODS | typeof DEPLOYMENTS,
) => cluster.client.patch<object>(resource, 'team', name, 'merge', { metadata: { annotations } });

const isPaused =
  (text: string) =>
  ({ metadata }: Pod): boolean =>
    metadata?.annotations?.[HEALING_PAUSED] === text && metadata.annotations[HEALING_PAUSED_FROM] === 'Deployment/web';
const isFree = ({ metadata }: Pod): boolean =>
  metadata?.annotations?.[HEALING_PAUSED] === undefined && metadata?.annotations?.[HEALING_PAUSED_FROM] === undefined;

it('the pause of a deployment holds for its pods, and for those that it gets later', async () => {
  await annotate('web', { [HEALING_PAUSED]: 'a deadlock' }, DEPLOYMENTS);
  const [first] = await podsAre('paused', (pods) => pods.length === 2 && pods.every(isPaused('a deadlock')));
  const { name = '', uid } = first?.metadata ?? {};
  await cluster.client.delete(PODS, 'team', name, { gracePeriodSeconds: 0 });
  await podsAre(
    'paused again',
    (pods) => pods.length === 2 && pods.every((pod) => pod.metadata?.uid !== uid) && pods.every(isPaused('a deadlock')),
  );
  await cluster.client.patch(DEPLOYMENTS, 'team', 'web', 'merge', { spec: { replicas: 3 } });
  const three = await podsAre(
    'paused when there are more',
    (pods) => pods.length === 3 && pods.every(isPaused('a deadlock')),
  );
  // One of them is resumed by hand, and stays so.
  const one = three[0]?.metadata?.name ?? '';
  await annotate(one, { [HEALING_PAUSED]: null }, PODS);
  await annotate('web', { [HEALING_PAUSED]: 'true' }, DEPLOYMENTS);
  const after = await podsAre('paused but one', (pods) => pods.filter(isPaused('true')).length === 2);
  expect(after.find(({ metadata }) => metadata?.name === one)?.metadata?.annotations).not.toHaveProperty([
    HEALING_PAUSED,
  ]);
  await annotate('web', { [HEALING_PAUSED]: null }, DEPLOYMENTS);
  await podsAre('resumed', (pods) => pods.length === 3 && pods.every(isFree));
});
