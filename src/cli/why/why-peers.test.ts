/** Tests what `why` reads of peers that a container names, against the real API server; the tests write what controllers and nodes would. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createInMemoryApi, type InMemoryApi } from '../../../test/support/in-memory-api.ts';
import {
  DEPLOYMENTS,
  ENDPOINT_SLICES,
  EVENTS,
  JOBS,
  type KubeObject,
  PODS,
  REPLICA_SETS,
  type Resource,
  SERVICES,
  STATEFUL_SETS,
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

const headline = async (kind: WhyKind, name: string): Promise<string> => {
  const [first] = (await why(kind, name)).findings;
  return first === undefined ? '' : `${first.id} ${first.severity}: ${first.says}`;
};

async function make<T extends KubeObject>(resource: Resource<T>, object: object, status?: object): Promise<T> {
  const made = await api.client.create(resource, object as T);
  return status === undefined ? made : await api.client.update(resource, { ...made, status }, 'status');
}

const at = (seconds: number): string => new Date(api.clock.now().wall - seconds * 1000).toISOString();

/** A pod whose only container has this status. */
const podWith = (
  name: string,
  { env, labels, conditions }: { env: readonly object[]; labels: object; conditions?: readonly object[] },
  status: object,
): Promise<unknown> =>
  make(
    PODS,
    { metadata: { name, namespace: 'default', labels }, spec: { containers: [{ name: 'main', image: 'w:1', env }] } },
    {
      phase: 'Running',
      ...(conditions !== undefined && { conditions }),
      containerStatuses: [{ name: 'main', image: 'w:1', imageID: 'i', ...status }],
    },
  );

/** A pod that ended with this line, again and again. */
const ended = (
  name: string,
  line: string,
  env: readonly object[] = [],
  labels: Readonly<Record<string, string>> = {},
): Promise<unknown> =>
  podWith(
    name,
    { env, labels },
    {
      ready: false,
      restartCount: 4,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: {
        terminated: { exitCode: 1, reason: 'Error', startedAt: at(40), finishedAt: at(35), message: line },
      },
    },
  );

const service = (name: string, spec: object): Promise<unknown> =>
  make(SERVICES, { metadata: { name, namespace: 'default' }, spec });

const slice = (name: string, of: string, pod?: string): Promise<unknown> =>
  make(ENDPOINT_SLICES, {
    metadata: { name, namespace: 'default', labels: { 'kubernetes.io/service-name': of } },
    addressType: 'IPv4',
    endpoints: [
      {
        addresses: ['10.0.0.9'],
        conditions: { ready: true },
        ...(pod !== undefined && { targetRef: { kind: 'Pod', name: pod } }),
      },
    ],
    ports: [{ port: 6379 }],
  });

describe('a name of a pod below a headless service', () => {
  const set = (name: string, replicas: number, serviceName: string): Promise<unknown> =>
    make(STATEFUL_SETS, {
      metadata: { name, namespace: 'default' },
      spec: {
        replicas,
        serviceName,
        selector: { matchLabels: { app: name } },
        template: { metadata: { labels: { app: name } }, spec: { containers: [{ name, image: 'kv:1' }] } },
      },
    });
  const headless = (name: string, app: string): Promise<unknown> =>
    service(name, { clusterIP: 'None', selector: { app }, ports: [{ port: 6379 }] });

  it.each(['kv-1.kv', 'kv-1.kv.default.svc.cluster.local'])('of a set that was scaled down: %s', async (host) => {
    await headless('kv', 'kv');
    await slice('kv-x', 'kv');
    await set('kv', 1, 'kv');
    await ended('worker', `getaddrinfo ENOTFOUND ${host}`);
    expect(await headline('Pod', 'worker')).toMatch(
      /not-resolved critical: .* and ends: statefulset\/kv is scaled to 1, so that there is no pod kv-1$/,
    );
  });

  it('of a set with another service', async () => {
    await headless('postgres', 'db');
    await slice('postgres-x', 'postgres');
    await set('db', 1, 'db');
    await ended('api', 'could not translate host name "db-0.postgres" to address: Name or service not known');
    expect(await headline('Pod', 'api')).toMatch(
      /: statefulset\/db has the serviceName db, so that service postgres has no names of its pods$/,
    );
  });

  it('of a set with another name', async () => {
    await headless('redis', 'redis');
    await slice('redis-x', 'redis');
    await set('redis-master', 1, 'redis');
    await ended('api', 'getaddrinfo ENOTFOUND redis-0.redis');
    expect(await headline('Pod', 'api')).toMatch(
      /: there is no statefulset\/redis, of which redis-0 would be a pod; .*names such as redis-master-0$/,
    );
  });
});

describe('a peer that answers with errors of its own', () => {
  const FRONT = 'requests.exceptions.HTTPError: 503 Server Error: Service Unavailable for url: http://api:6379/orders';
  const behind = async (name: string): Promise<void> => {
    await service(name, { selector: { app: name }, ports: [{ port: 6379 }] });
    await slice(`${name}-x`, name);
  };

  it('is told with what it suffers from, and those behind it', async () => {
    await behind('api');
    await behind('stock');
    await service('ledger', { selector: { app: 'ledger' }, ports: [{ port: 5432 }] });
    await ended('front', FRONT);
    await ended('api-1', 'HTTPError: 500 Server Error for url: http://stock:6379/items', [], { app: 'api' });
    await ended('stock-1', 'could not connect to ledger:5432: Connection refused', [], { app: 'stock' });
    const { findings } = await why('Pod', 'front');
    expect(findings[0]?.says).toMatch(
      /^front needs api-1, that needs stock-1, and there container main is refused by ledger:5432 and ends: service ledger has no endpoint that is ready/,
    );
    expect(findings[0]).toMatchObject({ id: 'dependency-refused', severity: 'critical' });
    expect(findings[1]?.says).toMatch(
      /^container main is answered by its peer with an error of its own: .*503 Server Error/,
    );
    expect(JSON.stringify(findings[0]?.evidence)).toContain('http://api:6379/orders');
  });

  it('is told alone when nothing is known of it', async () => {
    await behind('api');
    await ended('front', FRONT);
    expect((await why('Pod', 'front')).findings[0]?.says).not.toContain('front needs');
  });

  it('is followed once where two need each other', async () => {
    await behind('api');
    await behind('stock');
    await ended('api-1', 'HTTPError: 500 Server Error for url: http://stock:6379/items', [], { app: 'api' });
    await ended('stock-1', 'HTTPError: 500 Server Error for url: http://api:6379/orders', [], { app: 'stock' });
    expect((await why('Pod', 'api-1')).findings[0]?.says).toMatch(/^api-1 needs stock-1, and there container main /);
  });
});

describe('a pod that seems well', () => {
  const well = (
    name: string,
    env: readonly object[],
    labels: Readonly<Record<string, string>> = {},
  ): Promise<unknown> =>
    podWith(
      name,
      { env, labels, conditions: [{ type: 'Ready', status: 'True' }] },
      { ready: true, restartCount: 0, state: { running: { startedAt: at(300) } } },
    );
  const CACHE = [{ name: 'CACHE_URL', value: 'redis://cache:6379/0' }];
  const cache = async (): Promise<void> => {
    await service('cache', { selector: { app: 'cache' }, ports: [{ port: 6379 }] });
    await slice('cache-x', 'cache');
    await well('cache-1', [], { app: 'cache' });
  };

  it('is told of whom it uses, and what is wrong there', async () => {
    await service('api', { selector: { app: 'api' }, ports: [{ port: 6379 }] });
    await slice('api-x', 'api');
    await well('front', [{ name: 'API_URL', value: 'http://api:6379' }]);
    await ended('api-1', 'ValueError: no rates for EUR', [], { app: 'api' });
    const [first, ...more] = (await why('Pod', 'front')).findings;
    expect(first).toMatchObject({ severity: 'info', id: 'exit-code' });
    expect(first?.says).toMatch(
      /^front seems well, but uses api-1, and there container main ends: ValueError: no rates/,
    );
    expect(more).toEqual([]);
  });

  it('is told of another one that fails and uses the same server', async () => {
    await cache();
    await well('front', CACHE);
    await ended('worker', 'ValueError: could not convert 1.249,50', CACHE);
    const [first] = (await why('Pod', 'front')).findings;
    expect(first?.severity).toBe('info');
    expect(first?.says).toMatch(
      /^front seems well, but pod\/worker, which uses cache as well, has a trouble: container main ends: ValueError/,
    );
  });

  it('is told of that one before what it has got over itself', async () => {
    await cache();
    await podWith(
      'front',
      { env: CACHE, labels: {}, conditions: [{ type: 'Ready', status: 'True' }] },
      {
        ready: true,
        restartCount: 1,
        state: { running: { startedAt: at(120) } },
        lastState: {
          terminated: {
            exitCode: 1,
            reason: 'Error',
            startedAt: at(124),
            finishedAt: at(122),
            message: 'ConnectionError: Error 111 connecting to cache:6379. Connection refused.',
          },
        },
      },
    );
    await ended('worker', 'ValueError: could not convert 1.249,50', CACHE);
    const [first, second] = (await why('Pod', 'front')).findings;
    expect(first?.says).toMatch(/^front seems well, but pod\/worker, which uses cache as well, has a trouble/);
    expect(second).toMatchObject({
      severity: 'info',
      says: expect.stringMatching(/it has run well since, for 2m$/) as string,
    });
  });

  it('is told of none that has nothing to do with it', async () => {
    await cache();
    await well('front', CACHE);
    await ended('worker', 'ValueError: could not convert 1.249,50');
    expect((await why('Pod', 'front')).findings).toEqual([]);
  });
});

describe('a service for which endpoints are written by hand', () => {
  const alone = (name: string): Promise<unknown> => service(name, { ports: [{ port: 6379 }] });
  const LABELLED =
    'endpointslice/legacydb-1 is labelled for service legacy-db (kubernetes.io/service-name), which does not exist';

  it('has them below another name', async () => {
    await alone('legacydb');
    await slice('legacydb-1', 'legacy-db');
    await ended('worker', 'Could not connect to Redis at legacydb:6379: Connection refused');
    expect(await headline('Service', 'legacydb')).toBe(
      `no-endpoints critical: it has no selector, and no endpoints of its own; ${LABELLED}`,
    );
    expect((await why('Service', 'legacydb')).findings[0]?.try[0]).toBe(
      'kubectl label endpointslice/legacydb-1 kubernetes.io/service-name=legacydb --overwrite',
    );
    expect(await headline('Pod', 'worker')).toBe(
      `dependency-refused critical: container main is refused by legacydb:6379 and ends: service legacydb has no selector, and nobody has written endpoints for it; ${LABELLED}`,
    );
    expect((await why('Namespace', 'default')).findings.map(({ says }) => says).join('\n')).toContain(LABELLED);
  });

  it('has them without the label', async () => {
    await alone('legacydb');
    await make(ENDPOINT_SLICES, {
      metadata: { name: 'legacydb-a', namespace: 'default' },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.0.0.9'] }],
      ports: [{ port: 6379 }],
    });
    expect(await headline('Service', 'legacydb')).toMatch(
      /endpointslice\/legacydb-a has no label kubernetes\.io\/service-name, which says of which service it is$/,
    );
  });

  it('has none at all, beside those of others', async () => {
    await alone('legacydb');
    await alone('other');
    await slice('other-1', 'other');
    expect(await headline('Service', 'legacydb')).toBe(
      'no-endpoints critical: it has no selector, and nobody has written endpoints for it',
    );
  });
});

describe('a service whose selector or port is wrong', () => {
  const deployment = (name: string): Promise<unknown> =>
    make(DEPLOYMENTS, {
      metadata: { name, namespace: 'default' },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: name } },
        template: { metadata: { labels: { app: name } }, spec: { containers: [{ name, image: 'a:1' }] } },
      },
    });

  it('is told with the labels that the nearest pods have', async () => {
    await service('api', { selector: { app: 'api-v2' }, ports: [{ port: 80 }] });
    await deployment('api');
    await deployment('front');
    await ended('front', 'connect to api:80: connection refused');
    expect(await headline('Pod', 'front')).toMatch(
      /: service api has no endpoint that is ready, because no pod has its labels app=api-v2; the pods of deployment\/api have app=api$/,
    );
  });

  it.each<[string, string, string, RegExp]>([
    [
      'a quota that wants limits',
      'ReplicaSet',
      'Error creating: pods "api-5f-x" is forbidden: failed quota: team: must specify limits.memory for: api',
      /quota team wants its pods to name limits\.memory \(container api\)$/,
    ],
    [
      'a service account',
      'ReplicaSet',
      'Error creating: pods "api-5f-x" is forbidden: error looking up service account default/robot: serviceaccount "robot" not found',
      /there is no ServiceAccount robot$/,
    ],
    [
      'the level of pod security',
      'StatefulSet',
      'create Pod db-0 in StatefulSet db failed error: pods "db-0" is forbidden: violates PodSecurity "restricted:latest": x',
      /its namespace enforces pod security restricted:latest$/,
    ],
    [
      'a webhook',
      'ReplicaSet',
      'Error creating: Internal error occurred: failed calling webhook "check.example.com": failed to call webhook: no endpoints',
      /webhook check\.example\.com does not answer$/,
    ],
  ])('is told with what keeps the pods of its workload from being made: %s', async (_, kind, message, says) => {
    const name = kind === 'StatefulSet' ? 'db' : 'api';
    await service(name, { selector: { app: name }, ports: [{ port: 8000 }] });
    const spec = {
      replicas: 1,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name, image: 'a:1' }] } },
    };
    const owner =
      kind === 'StatefulSet'
        ? await make(STATEFUL_SETS, { metadata: { name, namespace: 'default' }, spec })
        : await make(DEPLOYMENTS, { metadata: { name, namespace: 'default' }, spec });
    const maker =
      kind === 'StatefulSet'
        ? owner
        : await make(REPLICA_SETS, {
            metadata: {
              name: `${name}-5f`,
              namespace: 'default',
              ownerReferences: [
                { apiVersion: 'apps/v1', kind: 'Deployment', name, uid: owner.metadata?.uid, controller: true },
              ],
            },
            spec,
          });
    await make(EVENTS, {
      metadata: { name: `${name}.1`, namespace: 'default' },
      involvedObject: { kind, name: maker.metadata?.name, namespace: 'default', uid: maker.metadata?.uid },
      reason: 'FailedCreate',
      type: 'Warning',
      message,
      lastTimestamp: at(5),
    });
    await ended('web', `connect to ${name}:8000: connection refused`);
    const told = await headline('Pod', 'web');
    expect(told).toMatch(
      /: service \w+ has no endpoint that is ready: (?:deployment|statefulset)\/\w+ lacks 1 of 1 pods, which cannot be made: /,
    );
    expect(told).toMatch(says);
    expect(await headline('Service', name)).toMatch(says);
  });

  it('is told without such a cause, where nothing refuses its pods', async () => {
    await service('api', { selector: { app: 'api' }, ports: [{ port: 80 }] });
    await deployment('api');
    await ended('front', 'connect to api:80: connection refused');
    expect(await headline('Pod', 'front')).toMatch(/: service api has no endpoint that is ready$/);
  });

  it('is told with the labels of a pod, where no workload has nearly those', async () => {
    await service('api', { selector: { app: 'api', tier: 'back' }, ports: [{ port: 80 }] });
    await make(PODS, {
      metadata: { name: 'api-x', namespace: 'default', labels: { app: 'api' } },
      spec: { containers: [{ name: 'a', image: 'a:1' }] },
    });
    await ended('front', 'connect to api:80: connection refused');
    expect(await headline('Pod', 'front')).toMatch(
      /no pod has its labels app=api,tier=back; pod api-x has no label tier$/,
    );
  });

  it('is told with the name of a port that nobody has', async () => {
    await service('shop', { selector: { app: 'shop' }, ports: [{ port: 80, targetPort: 'web' }] });
    await make(ENDPOINT_SLICES, {
      metadata: { name: 'shop-x', namespace: 'default', labels: { 'kubernetes.io/service-name': 'shop' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.0.0.9'], conditions: { ready: true } }],
      ports: [],
    });
    await ended('front', 'connect to shop:80: connection refused');
    expect(await headline('Pod', 'front')).toMatch(
      /: port 80 of service shop leads to the port "web", which none of its pods has$/,
    );
  });
});

describe('a service that looks well and has not what is asked of it', () => {
  const pods = async (): Promise<void> => {
    await make(
      PODS,
      {
        metadata: { name: 'kv-0', namespace: 'default', labels: { app: 'kv' } },
        spec: { containers: [{ name: 'kv', image: 'kv:1' }] },
      },
      { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    );
    await slice('kv-x', 'kv', 'kv-0');
  };

  it('is told with those that need it: a port', async () => {
    await service('kv', { selector: { app: 'kv' }, ports: [{ port: 6380, targetPort: 6379 }] });
    await pods();
    await ended('api', 'connect to kv:6379: connection refused');
    expect(await headline('Service', 'kv')).toBe(
      'clients-fail warning: its pods are ready, but 1 pod that needs it fails (api): service kv has no port 6379, but 6380',
    );
  });

  it('is told with those that need it: a protocol', async () => {
    await service('kv', { selector: { app: 'kv' }, ports: [{ port: 53 }] });
    await pods();
    await ended(
      'lookup',
      'ERROR: no address of ldap at kv:53: ;; communications error to 10.96.0.9#53: connection refused',
    );
    expect(await headline('Service', 'kv')).toBe(
      'clients-fail warning: its pods are ready, but 1 pod that needs it fails (lookup): service kv has port 53 with TCP only, and it is asked with UDP',
    );
  });
});

describe('an init container that waits for what a Job should make', () => {
  const waiting = (): Promise<unknown> =>
    make(
      PODS,
      {
        metadata: { name: 'web', namespace: 'default' },
        spec: {
          initContainers: [
            {
              name: 'wait-migration',
              image: 'w:1',
              command: ['sh', '-c', 'until psql -Atc "select max(v) from versions"; do sleep 3; done'],
              env: [{ name: 'PGHOST', value: 'pg' }],
            },
          ],
          containers: [{ name: 'main', image: 'w:1' }],
        },
      },
      {
        phase: 'Pending',
        initContainerStatuses: [
          {
            name: 'wait-migration',
            ready: false,
            restartCount: 0,
            image: 'w:1',
            imageID: 'i',
            state: { running: { startedAt: at(60) } },
          },
        ],
      },
    );
  const job = (status: object): Promise<unknown> =>
    make(
      JOBS,
      {
        metadata: { name: 'migrate', namespace: 'default' },
        spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'm', image: 'm:1' }] } } },
      },
      status,
    );

  it('is told with the one that has failed', async () => {
    await service('pg', { selector: { app: 'pg' }, ports: [{ port: 5432 }] });
    await slice('pg-1', 'pg');
    await waiting();
    await job({ startTime: at(50), failed: 1, active: 0 });
    expect(await headline('Pod', 'web')).toMatch(
      /^init-waits critical: init container wait-migration has waited for pg for .*; job\/migrate, which may be meant to make what it waits for, has failed$/,
    );
  });

  it('is told alone, where that is done', async () => {
    await waiting();
    await job({ startTime: at(50), succeeded: 1, active: 0 });
    expect(await headline('Pod', 'web')).not.toContain('migrate,');
  });
});
