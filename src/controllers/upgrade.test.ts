/** What an older version stored in other words rolls nothing out, and neither does its owner who applies the same manifest again. */
import { afterEach, describe, expect, it } from 'vitest';
import { startWorkloads, type WorkloadCluster } from '../../test/support/workload-cluster.ts';
import {
  CONTROLLER_REVISIONS,
  DAEMON_SETS,
  DEPLOYMENTS,
  type KubeObject,
  nameOf,
  REPLICA_SETS,
  type Resource,
  STATEFUL_SETS,
} from '../api/index.ts';
import { equalVariant, equalVariantOf, type Saying } from '../api/schema/equal-variant.testing.ts';
import { decodeText, encodeText } from '../lib/index.ts';
import { daemonSetController } from './daemonset/daemon-set-controller.ts';
import { deploymentController } from './deployment/deployment-controller.ts';
import { replicaSetController } from './replicaset/replicaset-controller.ts';
import { statefulSetController } from './statefulset/stateful-set-controller.ts';

let cluster: WorkloadCluster;
afterEach(async () => {
  await cluster.stop();
});

/** As people write them: with words that say nothing. */
const MANIFEST = {
  selector: { matchLabels: { app: 'web' }, matchExpressions: [] },
  template: {
    metadata: { labels: { app: 'web' }, annotations: {}, creationTimestamp: null },
    spec: {
      hostNetwork: false,
      initContainers: [],
      containers: [
        {
          name: 'main',
          image: 'web:1',
          args: [],
          env: [
            { name: 'A', value: '' },
            { name: 'R', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
          ],
          resources: { limits: { cpu: '1000m', memory: '1024Mi' } },
          volumeMounts: [{ name: 'v', mountPath: '/v', readOnly: false }],
        },
      ],
      volumes: [
        { name: 'v', emptyDir: {} },
        { name: 'disk', iscsi: { targetPortal: '192.0.2.1', iqn: 'iqn.2001-04.com.example:x', lun: 1 } },
      ],
    },
  },
};

function sayingOf(seed: number): Saying {
  let state = seed;
  const chance = (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  return { chance, sameSpelling: true };
}

/** Puts all that is stored of workloads in other words, and takes the defaults away that older versions did not know. */
async function age(seed: number): Promise<number> {
  const saying = sayingOf(seed);
  const { entries } = await cluster.store.list('/registry/', {});
  let count = 0;
  for (const { key, value, revision } of entries) {
    if (!/^\/registry\/(deployments|replicasets|statefulsets|daemonsets|controllerrevisions)\//.test(key)) continue;
    const object = JSON.parse(decodeText(value)) as KubeObject & { data?: { spec: { template: object } } };
    const { apiVersion = '', kind = '' } = object;
    let old: object = equalVariant(apiVersion, kind, object, saying);
    if (object.data !== undefined) {
      const template = equalVariantOf('core.v1.PodTemplateSpec', object.data.spec.template, saying);
      old = { ...old, data: { spec: { template } } };
    }
    const text = JSON.stringify(old).replaceAll(/"iscsiInterface":"default",?/g, '');
    expect(text).not.toBe(decodeText(value));
    await cluster.store.put(key, encodeText(text.replaceAll(',}', '}')), revision);
    count += 1;
  }
  return count;
}

async function all(resource: Resource<KubeObject>): Promise<readonly KubeObject[]> {
  return (await cluster.client.list(resource, { namespace: 'team' })).items;
}

const kinds = [
  ['Deployment', DEPLOYMENTS, REPLICA_SETS, { replicas: 2, strategy: { rollingUpdate: null } }],
  ['StatefulSet', STATEFUL_SETS, CONTROLLER_REVISIONS, { replicas: 2, serviceName: 'web' }],
  ['DaemonSet', DAEMON_SETS, CONTROLLER_REVISIONS, {}],
] as const;

describe.each(kinds)('%s', (kind, itsResource, itsHistory, more) => {
  const resource = itsResource as Resource<KubeObject>;
  const history = itsHistory as Resource<KubeObject>;

  it.each([1, 2, 3])('stored in other words is not rolled out (%d)', async (seed) => {
    cluster = await startWorkloads((setup) => [
      deploymentController({ ...setup, events: setup.events('deployment-controller') }),
      replicaSetController({ ...setup, events: setup.events('replicaset-controller') }),
      statefulSetController({ ...setup, events: setup.events('statefulset-controller') }),
      daemonSetController({ ...setup, events: setup.events('daemonset-controller') }),
    ]);
    const manifest = {
      apiVersion: 'apps/v1',
      kind,
      metadata: { namespace: 'team', name: 'web' },
      spec: { ...MANIFEST, ...more },
    } as unknown as KubeObject;
    await cluster.client.create(resource, manifest);
    for (let round = 0; round < 5; round += 1) {
      await cluster.runPods();
      await cluster.clock.advance(1000);
      await cluster.rest();
    }
    const [before, recorded, pods] = [await all(resource), await all(history), await cluster.pods()];
    expect(recorded.length).toBeGreaterThan(0);
    expect(await age(seed)).toBeGreaterThan(1);
    await settle();
    await cluster.client.patch(resource, 'team', 'web', 'merge', {
      metadata: { annotations: { touched: 'x' } },
    });
    await settle();
    const again = await cluster.client.get(resource, 'team', 'web');
    await cluster.client.update(resource, {
      ...manifest,
      metadata: { ...manifest.metadata, resourceVersion: again.metadata?.resourceVersion ?? '' },
    });
    await settle();
    expect((await all(history)).map(nameOf)).toEqual(recorded.map(nameOf));
    expect((await cluster.pods()).map(nameOf)).toEqual(pods.map(nameOf));
    const [after] = await all(resource);
    const counted = kind === 'Deployment' ? 2 : 0; // Annotations of deployments count, each time they change.
    expect(after?.metadata?.generation).toBe((before[0]?.metadata?.generation ?? 0) + counted);
  });
});

async function settle(): Promise<void> {
  await cluster.runPods();
  await cluster.clock.advance(1000);
  await cluster.rest();
}
