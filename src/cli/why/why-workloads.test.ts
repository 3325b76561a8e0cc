/** Tests `why` for workloads and what stands around them against the real API server; the tests write what controllers would. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createInMemoryApi, type InMemoryApi } from '../../../test/support/in-memory-api.ts';
import {
  CONFIG_MAPS,
  DEPLOYMENTS,
  HORIZONTAL_POD_AUTOSCALERS,
  type KubeObject,
  NAMESPACES,
  NODES,
  PODS,
  ROLE_BINDINGS,
  ROLES,
  type Resource,
  SERVICES,
} from '../../api/index.ts';
import { createKubeClient } from '../../client/index.ts';
import type { Diagnosis } from '../../diagnosis/index.ts';
import { settle } from '../../lib/manual-clock.node.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { whyOf } from './run-why.ts';
import type { WhyKind } from './target.ts';

let api: InMemoryApi;

beforeEach(async () => {
  api = await createInMemoryApi();
});

async function why(kind: WhyKind, name: string): Promise<Diagnosis> {
  const session: ClusterSession = {
    client: createKubeClient(api.connection, { clock: api.clock }),
    connection: api.connection,
    namespace: 'default',
    clock: api.clock,
    signal: new AbortController().signal,
    out: () => {},
    err: () => {},
    outRaw: () => {},
    isTerminal: false,
    columns: undefined,
  };
  const running = whyOf(session, { target: { kind, name }, namespaceGiven: false });
  const state = { ended: false };
  const end = (): void => {
    state.ended = true;
  };
  running.then(end, end);
  for (let turn = 0; turn < 100 && !state.ended; turn += 1) {
    await settle();
    if (!state.ended) await api.clock.advance(1000);
  }
  return (await running).diagnosis;
}

const headlines = async (kind: WhyKind, name: string): Promise<readonly string[]> =>
  (await why(kind, name)).findings.map(({ id, says }) => `${id}: ${says}`);

async function make<T extends KubeObject>(resource: Resource<T>, object: object, status?: object): Promise<T> {
  const made = await api.client.create(resource, object as T);
  return status === undefined ? made : await api.client.update(resource, { ...made, status }, 'status');
}

const at = (seconds: number): string => new Date(api.clock.now().wall - seconds * 1000).toISOString();

const template = (name: string, spec: object = {}): object => ({
  metadata: { labels: { app: name } },
  spec: { containers: [{ name, image: `registry.example/${name}:1` }], ...spec },
});

const deployment = (name: string, replicas: number): Promise<unknown> =>
  make(DEPLOYMENTS, {
    metadata: { name, namespace: 'default' },
    spec: { replicas, selector: { matchLabels: { app: name } }, template: template(name) },
  });

describe('an autoscaler', () => {
  const scaler = (name: string, target: string): Promise<unknown> =>
    make(
      HORIZONTAL_POD_AUTOSCALERS,
      {
        metadata: { name, namespace: 'default' },
        spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: target }, maxReplicas: 4 },
      },
      {
        desiredReplicas: 0,
        conditions: [
          {
            type: 'ScalingActive',
            status: 'False',
            reason: 'FailedGetResourceMetric',
            message:
              'the HPA was unable to compute the replica count: failed to get cpu utilization: missing request for cpu in container search of Pod search-1',
          },
        ],
      },
    );
  const cause = 'missing request for cpu in container search';

  it('that cannot scale is told of itself, of its workload, and of its namespace, once', async () => {
    await deployment('search', 1);
    await scaler('search', 'search');
    await api.clock.advance(90_000);
    const says = `autoscaler-inactive: HorizontalPodAutoscaler search cannot scale deployment/search: ${cause}`;
    expect(await headlines('HorizontalPodAutoscaler', 'search')).toEqual([says]);
    expect(await headlines('Deployment', 'search')).toContain(says);
    expect((await headlines('Namespace', 'default')).filter((one) => one.startsWith('autoscaler'))).toEqual([says]);
  });

  it('without its target', async () => {
    await scaler('search', 'serach');
    await api.clock.advance(90_000);
    const says =
      'autoscaler-target-missing: HorizontalPodAutoscaler search scales nothing: there is no deployment/serach; there is search';
    await deployment('search', 0);
    expect(await headlines('HorizontalPodAutoscaler', 'search')).toEqual([says]);
    expect(await headlines('Namespace', 'default')).toEqual([says]);
  });
});

describe('a service behind which nobody is', () => {
  const asker = (): Promise<unknown> =>
    make(
      PODS,
      {
        metadata: { name: 'worker', namespace: 'default' },
        spec: {
          containers: [{ name: 'main', image: 'w:1', env: [{ name: 'REDIS_URL', value: 'redis://jobs-redis:6379' }] }],
        },
      },
      {
        phase: 'Running',
        containerStatuses: [
          {
            name: 'main',
            ready: false,
            restartCount: 0,
            image: 'w:1',
            imageID: 'i',
            state: { running: { startedAt: at(300) } },
          },
        ],
      },
    );
  const service = (): Promise<unknown> =>
    make(SERVICES, {
      metadata: { name: 'jobs-redis', namespace: 'default' },
      spec: { selector: { app: 'redis' }, ports: [{ port: 6379 }] },
    });

  it.each<[string, number | undefined, RegExp]>([
    ['scaled to 0', 0, /which its variable REDIS_URL names, .* ready, because deployment\/redis is scaled to 0$/],
    ['absent', undefined, /which its variable REDIS_URL names, .* ready, because no pod has its labels app=redis$/],
    ['on its way', 1, /which its variable REDIS_URL names, has no endpoint that is ready$/],
  ])('for its workload is %s', async (_what, replicas, says) => {
    await service();
    if (replicas !== undefined) await deployment('redis', replicas);
    await asker();
    expect((await headlines('Pod', 'worker'))[0]).toMatch(says);
  });

  it('is told of the service itself', async () => {
    await service();
    await deployment('redis', 0);
    const says = 'it has no pods, because deployment/redis is scaled to 0';
    expect((await why('Service', 'jobs-redis')).findings).toMatchObject([
      { id: 'scaled-to-zero', severity: 'info', says: `${says}, and no pod names it in its specification` },
    ]);
    await make(NAMESPACES, { metadata: { name: 'other' } });
    const outside = { name: 'main', image: 'a:1', args: ['--redis=jobs-redis.default:6379'] };
    await make(PODS, { metadata: { name: 'far', namespace: 'other' }, spec: { containers: [outside] } });
    expect((await why('Service', 'jobs-redis')).findings).toMatchObject([{ severity: 'critical', says }]);
    await api.client.delete(PODS, 'other', 'far');
    await asker();
    expect((await why('Service', 'jobs-redis')).findings).toMatchObject([{ severity: 'critical', says }]);
  });
});

describe('a service that is named in a log', () => {
  const running = (name: string, labels: object, line: string, env: readonly object[] = []): Promise<unknown> =>
    make(
      PODS,
      {
        metadata: { name, namespace: 'default', labels },
        spec: { containers: [{ name: 'main', image: 'w:1', env }] },
      },
      {
        phase: 'Running',
        containerStatuses: [
          {
            name: 'main',
            ready: false,
            restartCount: 4,
            image: 'w:1',
            imageID: 'i',
            state: { waiting: { reason: 'CrashLoopBackOff' } },
            lastState: {
              terminated: { exitCode: 1, reason: 'Error', startedAt: at(40), finishedAt: at(35), message: line },
            },
          },
        ],
      },
    );
  const service = (name: string, namespace = 'default', selector: object = { app: name }): Promise<unknown> =>
    make(SERVICES, { metadata: { name, namespace }, spec: { selector, ports: [{ port: 80 }] } });
  const needs = (value: string): readonly object[] => [{ name: 'PEER_URL', value }];
  const asker = (value: string): Promise<unknown> =>
    make(
      PODS,
      {
        metadata: { name: 'worker', namespace: 'default' },
        spec: {
          initContainers: [
            { name: 'wait', image: 'w:1', command: ['sh', '-c', `until nc -z ${value} 80; do sleep 1; done`] },
          ],
          containers: [{ name: 'main', image: 'w:1', env: needs(`http://${value}`) }],
        },
      },
      {
        phase: 'Pending',
        initContainerStatuses: [
          {
            name: 'wait',
            ready: false,
            restartCount: 0,
            image: 'w:1',
            imageID: 'i',
            state: { running: { startedAt: at(300) } },
          },
        ],
      },
    );

  it('is offered where another namespace has it', async () => {
    await make(NAMESPACES, { metadata: { name: 'identity' } });
    await service('auth', 'identity');
    await asker('auth');
    expect((await headlines('Pod', 'worker'))[0]).toMatch(
      /there is no service auth in namespace default, but one in identity/,
    );
  });

  it('is offered by a similar name of its own namespace before a stranger’s', async () => {
    await make(NAMESPACES, { metadata: { name: 'tenant' } });
    await service('postgres', 'tenant');
    await service('postgresql');
    await asker('postgres');
    expect((await headlines('Pod', 'worker'))[0]).toMatch(/there is no service postgres; there is postgresql/);
  });

  it('is offered by a similar name', async () => {
    await service('orders-postgresql');
    await asker('orders-postgres');
    expect((await headlines('Pod', 'worker'))[0]).toMatch(
      /there is no service orders-postgres; there is orders-postgresql/,
    );
  });

  it('is told with what its worst pod suffers from', async () => {
    await service('orders');
    await running('orders-1', { app: 'orders' }, 'boom');
    await asker('orders');
    const [first] = await headlines('Pod', 'worker');
    expect(first).toMatch(
      /service orders has no endpoint that is ready: of its pod orders-1, container main ends: boom \(exit code 1\)/,
    );
  });

  const refusedBy = (peer: string): string => `connect to ${peer}:80: connection refused`;

  it('is told with what the pod at the end of a chain suffers from', async () => {
    for (const name of ['orders', 'prices', 'rates']) await service(name);
    await running('orders-1', { app: 'orders' }, refusedBy('prices'));
    await running('prices-1', { app: 'prices' }, refusedBy('rates'));
    await running('rates-1', { app: 'rates' }, 'boom');
    await asker('orders');
    expect((await headlines('Pod', 'worker'))[0]).toMatch(
      /service orders has no endpoint that is ready: its pod orders-1 needs service prices, whose pod prices-1 needs service rates, of whose pod rates-1, container main ends: boom \(exit code 1\)$/,
    );
    expect((await headlines('Service', 'orders'))[0]).toMatch(
      /none of its 1 pod is ready: .*its pod prices-1 needs service rates, of whose pod rates-1, container main ends: boom/,
    );
  });

  it('is told to wait in a circle', async () => {
    for (const name of ['orders', 'prices']) await service(name);
    await running('orders-1', { app: 'orders' }, refusedBy('prices'));
    await running('prices-1', { app: 'prices' }, refusedBy('orders'));
    await asker('orders');
    expect((await headlines('Pod', 'worker'))[0]).toMatch(
      /: its pod orders-1 needs service prices, whose pod prices-1 needs service orders: they wait for each other, and none gets ready first$/,
    );
    expect((await headlines('Pod', 'orders-1'))[0]).toMatch(
      /service prices has no endpoint that is ready: its pod prices-1 needs service orders: they wait for each other/,
    );
  });
});

describe('what is known of the peer, and of the right', () => {
  const ended = (line: string, spec: object = {}): Promise<unknown> =>
    make(
      PODS,
      {
        metadata: { name: 'worker', namespace: 'default' },
        spec: { nodeName: 'n1', containers: [{ name: 'main', image: 'w:1' }], ...spec },
      },
      {
        phase: 'Running',
        podIP: '10.244.0.5',
        podIPs: [{ ip: '10.244.0.5' }],
        containerStatuses: [
          {
            name: 'main',
            ready: false,
            restartCount: 4,
            image: 'w:1',
            imageID: 'i',
            state: { waiting: { reason: 'CrashLoopBackOff' } },
            lastState: {
              terminated: { exitCode: 1, reason: 'Error', startedAt: at(40), finishedAt: at(35), message: line },
            },
          },
        ],
      },
    );
  const at9 = (name: string, phase: string): Promise<unknown> =>
    make(
      PODS,
      { metadata: { name, namespace: 'default' }, spec: { containers: [{ name: 'a', image: 'a:1' }] } },
      { phase, podIP: '10.244.0.9', podIPs: [{ ip: '10.244.0.9' }] },
    );
  const node = (podCIDR?: string): Promise<unknown> =>
    make(NODES, { metadata: { name: 'n1' }, spec: podCIDR === undefined ? {} : { podCIDR, podCIDRs: [podCIDR] } });
  const REFUSED = 'dial tcp 10.244.0.9:3000: connect: connection refused';

  it('nobody has the address any more', async () => {
    await node('10.244.0.0/24');
    for (const name of ['old-1', 'old-2', 'old-3']) await at9(name, 'Succeeded');
    await ended(REFUSED);
    expect((await headlines('Pod', 'worker'))[0]).toMatch(
      /refused by 10\.244\.0\.9:3000 \(an address that no pod has now/,
    );
  });

  it('a pod has it, beside others that have ended', async () => {
    await node('10.244.0.0/24');
    for (const name of ['a-old', 'b-old']) await at9(name, 'Failed');
    await at9('z-now', 'Running');
    await ended(REFUSED);
    expect((await headlines('Pod', 'worker'))[0]).toMatch(/10\.244\.0\.9:3000 \(pod z-now, which is not ready\)/);
  });

  it.each<[string, string | undefined, object]>([
    ['pods may share their network with machines', undefined, {}],
    ['the pod is in its node’s network', '10.244.0.0/24', { hostNetwork: true }],
    ['the pods of its node have other addresses', '10.99.0.0/24', {}],
  ])('nothing is said where %s', async (_what, podCIDR, spec) => {
    await node(podCIDR);
    await ended(REFUSED, spec);
    const [first = ''] = await headlines('Pod', 'worker');
    expect(first).toContain('is refused by 10.244.0.9:3000 and ends');
  });

  it('a binding gives the right to somebody else', async () => {
    await node();
    await make(ROLE_BINDINGS, {
      metadata: { name: 'watch', namespace: 'default' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'watch' },
      subjects: [{ kind: 'ServiceAccount', name: 'web', namespace: 'other' }],
    });
    await ended(
      'pods is forbidden: User "system:serviceaccount:default:web" cannot list resource "pods" in API group "" in the namespace "default"',
    );
    expect((await headlines('Pod', 'worker'))[0]).toMatch(
      /may not list pods: .* \(RoleBinding watch gives Role watch to other\/web instead\)/,
    );
  });

  it('a role that is bound has the resource in another API group, which only the address of the request tells', async () => {
    await node();
    await make(ROLES, {
      metadata: { name: 'watch', namespace: 'default' },
      rules: [{ apiGroups: [''], resources: ['deployments'], verbs: ['list'] }],
    });
    await make(ROLE_BINDINGS, {
      metadata: { name: 'watch', namespace: 'default' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'watch' },
      subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: 'default' }],
    });
    await ended(
      'HTTPError: 403 Forbidden for url: https://kubernetes.default.svc/apis/apps/v1/namespaces/default/deployments',
    );
    expect((await headlines('Pod', 'worker'))[0]).toMatch(
      /may not list deployments: .* \(RoleBinding watch gives it Role watch, which names deployments in apiGroup "", and they are in "apps"\)/,
    );
  });
});

describe('a namespace that does not go', () => {
  it('names the objects that hold it', async () => {
    const tenant = await make(NAMESPACES, { metadata: { name: 'tenant' } });
    const metadata = { namespace: 'tenant', finalizers: ['acme.io/tenant-cleanup'] };
    await make(CONFIG_MAPS, { metadata: { ...metadata, name: 'tenant-state' } });
    await make(CONFIG_MAPS, { metadata: { namespace: 'tenant', name: 'other' } });
    await make(DEPLOYMENTS, {
      metadata: { ...metadata, name: 'web' },
      spec: { replicas: 0, selector: { matchLabels: { app: 'web' } }, template: template('web') },
    });
    await api.client.delete(NAMESPACES, undefined, 'tenant');
    const going = await api.client.get(NAMESPACES, undefined, 'tenant');
    const condition = (type: string, message: string) => ({ type, status: 'True', reason: 'x', message });
    const conditions = [
      condition(
        'NamespaceContentRemaining',
        'Some resources are remaining: configmaps. has 1 resource instances, deployments.apps has 1 resource instances',
      ),
      condition(
        'NamespaceFinalizersRemaining',
        'Some content in the namespace has finalizers remaining: acme.io/tenant-cleanup in 2 resource instances',
      ),
    ];
    expect(tenant.metadata?.uid).toBe(going.metadata?.uid);
    await api.client.update(NAMESPACES, { ...going, status: { ...going.status, conditions } }, 'status');
    await api.clock.advance(60_000);
    expect((await headlines('Namespace', 'tenant'))[0]).toMatch(
      /^namespace-terminating: namespace tenant has been going for 6\ds: ConfigMap tenant-state and Deployment web hold the namespace: their finalizer acme\.io\/tenant-cleanup is still there$/,
    );
  });
});
