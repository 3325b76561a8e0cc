/** Tests the verb against the real API server; the tests play the nodes. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createInMemoryApi, type InMemoryApi } from '../../../test/support/in-memory-api.ts';
import {
  CRON_JOBS,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  POD_DISRUPTION_BUDGETS,
  CONFIG_MAPS,
  ENDPOINT_SLICES,
  EVENTS,
  LEASES,
  NAMESPACES,
  NODES,
  type Pod,
  PODS,
  ROLE_BINDINGS,
  ROLES,
  SECRETS,
  SERVICES,
  STORAGE_CLASSES,
} from '../../api/index.ts';
import { createKubeClient } from '../../client/index.ts';
import { type Connection, ConnectionError, encodeText, type HttpResponse } from '../../lib/index.ts';
import { settle } from '../../lib/manual-clock.node.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { runWhy, type WhyOptions } from './run-why.ts';
import type { WhyKind, WhyTarget } from './target.ts';

let api: InMemoryApi;
/** Path without query → the node's answer. */
let nodeAnswers: Record<string, string>;
let asked: string[];

beforeEach(async () => {
  api = await createInMemoryApi();
  nodeAnswers = {};
  asked = [];
});

/** Answers paths of nodes from `nodeAnswers`, and passes all others to the server. */
function playing(connection: Connection): Connection {
  return {
    request: async (request): Promise<HttpResponse> => {
      asked.push(request.url);
      const path = request.url.split('?')[0] ?? '';
      const text = nodeAnswers[path];
      if (text === 'silence') return await new Promise<never>(() => {});
      if (text === 'broken') throw new ConnectionError('socket hang up');
      if (text !== undefined) return { status: 200, headers: {}, body: encodeText(text) };
      return await connection.request(request);
    },
    upgrade: (request) => connection.upgrade(request),
  };
}

interface Told {
  readonly code: number;
  readonly out: string;
}

async function why(kind: WhyKind, name: string, options: WhyWish = {}): Promise<Told> {
  return await ask({ kind, name }, options);
}

type WhyWish = Partial<WhyOptions> & { readonly connection?: Connection };

async function ask(target: WhyTarget, { connection = api.connection, ...options }: WhyWish = {}): Promise<Told> {
  let out = '';
  const played = playing(connection);
  const session: ClusterSession = {
    client: createKubeClient(played, { clock: api.clock }),
    connection: played,
    namespace: 'default',
    clock: api.clock,
    signal: new AbortController().signal,
    out: (text) => {
      out += text;
    },
    err: () => {},
    outRaw: (data) => {
      out += String(data);
    },
    isTerminal: false,
    columns: undefined,
  };
  const defaults = { output: 'text', exitCode: false, namespaceGiven: false } as const;
  const running = runWhy(session, { target, ...defaults, ...options });
  const state = { ended: false };
  const end = (): void => {
    state.ended = true;
  };
  running.then(end, end);
  for (let turn = 0; turn < 100 && !state.ended; turn += 1) {
    await settle();
    if (!state.ended) await api.clock.advance(1000);
  }
  return { code: await running, out };
}

const at = (seconds: number): string => new Date(api.clock.now().wall - seconds * 1000).toISOString();

async function pod(status: object, spec: object = {}, container: object = {}, metadata: object = {}): Promise<Pod> {
  const made = await api.client.create(PODS, {
    metadata: { name: 'web', namespace: 'default', ...metadata },
    spec: { nodeName: 'n1', ...spec, containers: [{ name: 'main', image: 'web:1', ...container }] },
  });
  return await api.client.update(PODS, { ...made, status }, 'status');
}

const crashed = (): object => ({
  phase: 'Running',
  containerStatuses: [
    {
      name: 'main',
      ready: false,
      restartCount: 3,
      image: 'web:1',
      imageID: 'i',
      state: {
        waiting: { reason: 'CrashLoopBackOff', message: 'back-off 40s restarting failed container=main pod=web' },
      },
      lastState: {
        terminated: {
          exitCode: 1,
          reason: 'Error',
          startedAt: at(20),
          finishedAt: at(10),
          containerID: 'containerd://c3',
        },
      },
    },
  ],
});

async function node(ready = 'True'): Promise<void> {
  const made = await api.client.create(NODES, { metadata: { name: 'n1' } });
  const conditions = [
    { type: 'Ready', status: ready, reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' },
  ];
  await api.client.update(NODES, { ...made, status: { conditions } }, 'status');
  const lease = {
    metadata: { name: 'n1', namespace: 'kube-node-lease' },
    spec: { renewTime: at(90).replace('Z', '000Z') },
  };
  await api.client.create(LEASES, lease);
}

const LOG = '/api/v1/namespaces/default/pods/web/log';
const HISTORY = '/api/v1/namespaces/default/pods/web/history';
const NODE_HISTORY = '/api/v1/nodes/n1/proxy/mendlet/v1/history';

function historyOf(uid: string | undefined, tail: string): string {
  const death = {
    number: 4,
    containerId: 'c3',
    restartCount: 3,
    startedAt: at(20),
    finishedAt: at(10),
    exitCode: 1,
    reason: 'Error',
  };
  const containers = [{ name: 'main', total: 4, deaths: [{ ...death, log: { tail, truncated: false } }] }];
  const metadata = { namespace: 'default', name: 'web', uid };
  return JSON.stringify({
    kind: 'PodHistoryList',
    items: [
      { metadata: { ...metadata, uid: 'older' }, containers: [] },
      { metadata, containers },
    ],
  });
}

describe('a pod', () => {
  it('from its status and the log of the life before', async () => {
    await node();
    await pod(crashed());
    nodeAnswers[LOG] = 'starting\nlisten tcp :8080: bind: address already in use\n';
    const { code, out } = await why('Pod', 'web', { exitCode: true });
    expect(code).toBe(1);
    expect(out.split('\n').slice(0, 4)).toEqual([
      'pod/web (default, node n1): CrashLoopBackOff, next start in 30s',
      ' 1. container main cannot listen on port 8080: something in its pod does already',
      '      last death of main, 10s ago after 10s: exit 1, Error',
      '      log of main: "listen tcp :8080: bind: address already in use"',
    ]);
    expect(out).toContain('not looked at: deaths before the last one: node/n1 keeps no history that can be read\n');
    expect(asked).toContain(`${LOG}?container=main&tailLines=400&previous=true`);
  });

  it('whose port another container has, as its node sees it', async () => {
    await node();
    const proxy = { name: 'auth-proxy', image: 'haproxy:3', restartPolicy: 'Always' };
    await pod(crashed(), { initContainers: [proxy] });
    nodeAnswers[LOG] = 'listen tcp :8080: bind: address already in use\n';
    const listening = '/api/v1/nodes/n1/proxy/mendlet/v1/listening';
    const ports = [{ port: 8080, container: 'auth-proxy', process: 'haproxy' }];
    nodeAnswers[listening] = JSON.stringify({ kind: 'ListeningPorts', ports });
    const { out } = await why('Pod', 'web');
    expect(out).toContain('on port 8080: sidecar auth-proxy of its pod (haproxy) listens there\n');
    expect(asked).toContain(`${listening}?namespace=default&pod=web`);
  });

  it('whose program is stopped below an init, as its node sees it', async () => {
    await node();
    const main = { name: 'main', ready: false, restartCount: 0, image: 'x', imageID: 'i' };
    await pod({ phase: 'Running', containerStatuses: [{ ...main, state: { running: { startedAt: at(60) } } }] });
    const stopped = [{ container: 'main', process: 'node', pid: 7 }];
    const held = '/api/v1/nodes/n1/proxy/mendlet/v1/held';
    nodeAnswers[held] = JSON.stringify({ kind: 'HeldContainers', containers: [], stopped });
    expect((await why('Pod', 'web')).out).toContain(
      'container main is paused: its process node (pid 7) is stopped (SIGSTOP) and waits for SIGCONT\n',
    );
    // An older node does not name it.
    nodeAnswers[held] = JSON.stringify({ kind: 'HeldContainers', containers: [{ name: 'main', hold: 'stopped' }] });
    expect((await why('Pod', 'web')).out).toContain('container main is paused: its main process is stopped');
  });

  it('that waits in vain for a peer which is paused, as the node of that sees it', async () => {
    await node();
    const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    const main = { name: 'main', ready: true, restartCount: 0, image: 'x', imageID: 'i' };
    const running = [{ ...main, state: { running: { startedAt: at(600) } } }];
    await pod({ ...ready, containerStatuses: running }, {}, {}, { name: 'cache-0', labels: { app: 'cache' } });
    const spec = { selector: { app: 'cache' }, ports: [{ port: 11_211 }] };
    await api.client.create(SERVICES, { metadata: { name: 'cache', namespace: 'default' }, spec });
    await api.client.create(ENDPOINT_SLICES, {
      metadata: { name: 'cache-1', namespace: 'default', labels: { 'kubernetes.io/service-name': 'cache' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.2.0.9'], conditions: { ready: true } }],
      ports: [{ port: 11_211 }],
    });
    await pod(crashed());
    nodeAnswers[LOG] = 'socket.timeout: cache:11211: timed out\n';
    const held = '/api/v1/nodes/n1/proxy/mendlet/v1/held';
    const stopped = [{ container: 'main', process: 'memcached', pid: 9 }];
    nodeAnswers[held] = JSON.stringify({ kind: 'HeldContainers', containers: [], stopped });
    const { out } = await why('Pod', 'web');
    expect(out).toContain(
      'container main of pod cache-0 behind service cache is paused: its process memcached (pid 9) is stopped (SIGSTOP)',
    );
    expect(asked).toContain(`${held}?namespace=default&pod=cache-0`);
  });

  it.each([HISTORY, NODE_HISTORY])('from what its node remembers, at %s', async (path) => {
    await node();
    const { metadata } = await pod(crashed());
    nodeAnswers[path] = historyOf(metadata?.uid, 'open /data/db: permission denied\n');
    const { out } = await why('Pod', 'web');
    expect(out).toContain('container main may not use /data/db: permission denied');
    expect(out).toContain('death 4 of main');
    expect(out).not.toContain('not looked at');
    // The record of the death contains the end of its log.
    expect(asked.some((url) => url.startsWith(LOG))).toBe(false);
  });

  it('names what does not answer, and concludes nothing from it', async () => {
    await node();
    await pod(crashed());
    nodeAnswers[LOG] = 'silence';
    nodeAnswers['/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1'] = 'broken';
    const { code, out } = await why('Pod', 'web');
    expect(code).toBe(0);
    expect(out).toContain(' 1. container main ends with exit code 1\n');
    expect(out).toContain('not looked at: lease of node/n1: socket hang up\n');
    expect(out).toContain('not looked at: log of container main of pod/web: no answer within 10s\n');
  });

  it('on a node that is lost', async () => {
    await node('Unknown');
    await pod({ phase: 'Running' });
    const { out } = await why('Pod', 'web', { output: 'json' });
    expect(JSON.parse(out)).toMatchObject({
      apiVersion: 'mendlet.dev/v1alpha1',
      kind: 'Diagnosis',
      subject: { kind: 'pod', namespace: 'default', name: 'web', nodeName: 'n1' },
      findings: [{ id: 'node-lost', severity: 'critical', try: ['mendlet why node/n1', 'kubectl describe node/n1'] }],
      notLookedAt: [],
    });
  });

  it('on a node that is gone', async () => {
    await pod({ phase: 'Running' });
    expect((await why('Pod', 'web')).out).toContain('node n1, where pod web is to run, does not exist any more');
  });

  it.each([HISTORY, NODE_HISTORY])('that refuses its probe and never died, by %s', async (path) => {
    await node();
    const readinessProbe = { tcpSocket: { port: 9090 }, periodSeconds: 1 };
    const main = { name: 'main', ready: false, restartCount: 0, image: 'web:1', imageID: 'i' };
    const status = { ...main, started: true, state: { running: { startedAt: at(300) } } };
    const { metadata } = await pod({ phase: 'Running', containerStatuses: [status] }, {}, { readinessProbe });
    const output = 'dial tcp 10.0.0.9:9090: connect: connection refused';
    await api.client.create(EVENTS, {
      metadata: { name: 'web.1', namespace: 'default' },
      involvedObject: { ...metadata, kind: 'Pod', fieldPath: 'spec.containers{main}' },
      type: 'Warning',
      reason: 'Unhealthy',
      message: `Readiness probe failed: ${output}`,
      count: 9,
      firstTimestamp: at(290),
      lastTimestamp: at(2),
    });
    const refused = [{ type: 'readiness', outputs: [{ at: at(2), output }], listening: [{ port: 8080, own: true }] }];
    const containers = [{ name: 'main', total: 0, deaths: [], refused }];
    nodeAnswers[path] = JSON.stringify({ kind: 'PodHistoryList', items: [{ metadata, containers }] });
    const { out } = await why('Pod', 'web');
    expect(out).toContain(
      'container main is not ready: its readiness probe fails: nothing listens on port 9090, but it listens on 8080\n',
    );
    expect(out).toContain('      ports listened on then: 8080\n');
  });

  it('whose service has nobody behind it', async () => {
    await node();
    await pod(crashed());
    nodeAnswers[LOG] = 'dial tcp: lookup: connect to db:5432: connection refused\n';
    await api.client.create(SERVICES, {
      metadata: { name: 'db', namespace: 'default' },
      spec: { selector: { app: 'db' }, ports: [{ port: 5432 }] },
    });
    expect((await why('Pod', 'web')).out).toContain(
      'is refused by db:5432 and ends: service db has no endpoint that is ready',
    );
    await api.client.create(ENDPOINT_SLICES, {
      metadata: { name: 'db-1', namespace: 'default', labels: { 'kubernetes.io/service-name': 'db' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.0.0.9'], conditions: { ready: true } }],
      ports: [{ port: 5432 }],
    });
    const { out } = await why('Pod', 'web');
    expect(out).toContain('is refused by db:5432 and ends\n');
    expect(out).toContain('service/db: 1 of 1 endpoints ready, port 5432');
  });

  const served = async (name: string, spec: object): Promise<void> => {
    await api.client.create(SERVICES, { metadata: { name, namespace: 'default' }, spec });
    await api.client.create(ENDPOINT_SLICES, {
      metadata: { name: `${name}-1`, namespace: 'default', labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.0.0.9'], conditions: { ready: true } }],
      ports: [{ port: 11_212 }],
    });
  };
  const withMap = async (data: Record<string, string>): Promise<void> => {
    await api.client.create(CONFIG_MAPS, { metadata: { name: 'app', namespace: 'default' }, data });
    await pod(crashed(), {}, { envFrom: [{ configMapRef: { name: 'app' } }] });
  };

  it('whose service leads to a port on which its pods do not listen', async () => {
    await node();
    await withMap({ CACHE: 'cache:11211' });
    nodeAnswers[LOG] = 'cache cache:11211 is marked dead: connection refused\n';
    await served('cache', { selector: { app: 'cache' }, ports: [{ port: 11_211, targetPort: 11_212 }] });
    const behind = await api.client.create(PODS, {
      metadata: { name: 'cache-1', namespace: 'default', labels: { app: 'cache' } },
      spec: { nodeName: 'n1', containers: [{ name: 'main', image: 'cache:1' }] },
    });
    const conditions = [{ type: 'Ready', status: 'True' }];
    await api.client.update(PODS, { ...behind, status: { phase: 'Running', conditions } }, 'status');
    nodeAnswers['/api/v1/nodes/n1/proxy/mendlet/v1/listening'] = JSON.stringify({
      kind: 'ListeningPorts',
      ports: [{ port: 11_211 }],
    });
    const { out } = await why('Pod', 'web');
    expect(out).toContain(
      ': service cache sends to port 11212, where its pods do not listen (pod cache-1 listens on 11211)',
    );
  });

  it('that says nothing, with a port that the service of its ConfigMap does not have', async () => {
    await node();
    await withMap({ DB_HOST: 'db', DB_PORT: '5433' });
    nodeAnswers[LOG] = 'startup failed\n';
    await served('db', { ports: [{ port: 5432 }] });
    expect((await why('Pod', 'web')).out).toContain(
      'startup failed; service db, which its variable DB_HOST of ConfigMap app, key DB_HOST names, has no port 5433 (its variable DB_PORT), but 5432\n',
    );
  });

  it('with a namespace that does not exist, and an address that no service has', async () => {
    await node();
    await api.client.create(NAMESPACES, { metadata: { name: 'data' } });
    await api.client.create(SERVICES, { metadata: { name: 'db', namespace: 'data' }, spec: { ports: [{ port: 80 }] } });
    await withMap({ DB_HOST: 'db.dta' });
    nodeAnswers[LOG] = 'Error: database is down\n';
    expect((await why('Pod', 'web')).out).toContain(
      '; there is no namespace dta, in which its variable DB_HOST of ConfigMap app, key DB_HOST names service db, but one in data\n',
    );
    await api.client.create(SERVICES, {
      metadata: { name: 'db', namespace: 'default' },
      spec: { ports: [{ port: 80 }] },
    });
    // A service of the pod's own namespace goes before those of strangers.
    expect((await why('Pod', 'web')).out).toContain(
      'names service db, but one in default, the namespace of the pod itself\n',
    );
    const made = await api.client.get(CONFIG_MAPS, 'default', 'app');
    const used = (await api.client.get(SERVICES, 'data', 'db')).spec?.clusterIP ?? '';
    const free = `${used.split('.').slice(0, 2).join('.')}.250.250`;
    await api.client.update(CONFIG_MAPS, { ...made, data: { DB_HOST: free } });
    expect((await why('Pod', 'web')).out).toContain(
      `; no service has the address ${free}, which its variable DB_HOST of ConfigMap app, key DB_HOST names\n`,
    );
  });

  const waiting = (message: string): object => ({
    phase: 'Pending',
    containerStatuses: [
      {
        name: 'main',
        ready: false,
        restartCount: 0,
        image: 'web:1',
        imageID: '',
        state: { waiting: { reason: 'CreateContainerConfigError', message } },
      },
    ],
  });
  const wantsKey = { env: [{ name: 'X', valueFrom: { secretKeyRef: { name: 'db', key: 'url' } } }] };

  it('keeps names of keys, and no values', async () => {
    await node();
    await api.client.create(SECRETS, {
      metadata: { name: 'db', namespace: 'default' },
      stringData: { token: 'S3CRET', url: 'V' },
    });
    await pod(waiting("couldn't find key uri in Secret default/db"), {}, wantsKey);
    const { out } = await why('Pod', 'web', { output: 'json' });
    expect(out).toContain('it has token and url');
    expect(out).not.toContain('S3CRET');
    expect(out).not.toContain(btoa('S3CRET'));
  });

  it('reads for which registries a pull secret is when a registry refuses the image, and keeps no credentials', async () => {
    await node();
    const auths = { 'https://ghcr.io/v2/': { username: 'ann', password: 'S3CRET', auth: btoa('ann:S3CRET') } };
    await api.client.create(SECRETS, {
      metadata: { name: 'regcred', namespace: 'default' },
      type: 'kubernetes.io/dockerconfigjson',
      stringData: { '.dockerconfigjson': JSON.stringify({ auths }) },
    });
    const message = 'Back-off pulling image "registry.example/web:1": ErrImagePull: 401 Unauthorized';
    const status = {
      phase: 'Pending',
      containerStatuses: [
        {
          name: 'main',
          ready: false,
          restartCount: 0,
          image: 'registry.example/web:1',
          imageID: '',
          state: { waiting: { reason: 'ImagePullBackOff', message } },
        },
      ],
    };
    await pod(status, { imagePullSecrets: [{ name: 'regcred' }] }, { image: 'registry.example/web:1' });
    const { out } = await why('Pod', 'web', { output: 'json' });
    expect(out).toContain('its pod has credentials for ghcr.io (Secret regcred) only');
    for (const hidden of ['S3CRET', btoa('ann:S3CRET'), '"ann"']) expect(out).not.toContain(hidden);
  });

  it('says what may not be read', async () => {
    await node();
    await pod(waiting('secret "db" not found'), {}, wantsKey);
    await api.client.create(ROLES, {
      metadata: { name: 'looks', namespace: 'default' },
      rules: [{ apiGroups: [''], resources: ['pods', 'events'], verbs: ['get', 'list'] }],
    });
    await api.client.create(ROLE_BINDINGS, {
      metadata: { name: 'v', namespace: 'default' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'looks' },
      subjects: [{ kind: 'User', name: 'ann', apiGroup: 'rbac.authorization.k8s.io' }],
    });
    await settle();
    const { out } = await why('Pod', 'web', { connection: api.as({ name: 'ann', groups: ['system:authenticated'] }) });
    expect(out).toContain('there is no Secret db in namespace default');
    expect(out).toContain('secret/db: may not be read\n');
    expect(out).toContain(
      'not looked at: lease of node/n1: may not be read\nnot looked at: node/n1: may not be read\n',
    );
  });

  it('reads no Secrets of a pod that crashes for another reason, and of its ConfigMaps those that it uses', async () => {
    await node();
    await api.client.create(CONFIG_MAPS, { metadata: { name: 'c', namespace: 'default' } });
    await pod(crashed(), {}, { envFrom: [{ configMapRef: { name: 'c' } }, { secretRef: { name: 's' } }] });
    nodeAnswers[LOG] = 'starting\nlisten tcp :8080: bind: address already in use\n';
    await why('Pod', 'web');
    expect(asked.filter((url) => /configmaps|secrets/.test(url))).toEqual([expect.stringMatching(/\/configmaps\/c$/)]);
  });

  it('reads where the variables of a Secret lead when the log speaks of a peer without its name, and quotes no more of it', async () => {
    await node();
    const data = { DATABASE_URL: btoa('postgres://ann:S3CRET@orders-pg:5432/shop'), KEY: btoa('T0KEN') };
    await api.client.create(SECRETS, { metadata: { name: 's', namespace: 'default' }, data });
    await pod(crashed(), {}, { envFrom: [{ secretRef: { name: 's' } }] });
    nodeAnswers[LOG] = 'starting\nFATAL cannot connect to the database: timeout expired\n';
    const { out } = await why('Pod', 'web');
    expect(out).toContain('there is no service orders-pg, which its variable DATABASE_URL of Secret s');
    for (const hidden of ['S3CRET', 'T0KEN', 'ann:', data.KEY, data.DATABASE_URL]) expect(out).not.toContain(hidden);
  });

  it('reads of a pod that is well only the ConfigMaps, which may name those whom it uses', async () => {
    await node();
    await api.client.create(CONFIG_MAPS, { metadata: { name: 'c', namespace: 'default' } });
    const state = { running: { startedAt: at(600) } };
    const well = { name: 'main', ready: true, started: true, restartCount: 0, image: 'web:1', imageID: 'i', state };
    const status = {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [well],
    };
    await pod(status, {}, { envFrom: [{ configMapRef: { name: 'c' } }, { secretRef: { name: 's' } }] });
    await why('Pod', 'web');
    expect(asked.filter((url) => /configmaps|secrets/.test(url))).toEqual(['/api/v1/namespaces/default/configmaps/c']);
  });

  it('names the namespace in commands when it was given', async () => {
    await node();
    await pod(crashed());
    expect((await why('Pod', 'web', { namespaceGiven: true })).out).toContain(
      'kubectl -n default logs web -c main --previous',
    );
  });

  it('that there is not', async () => {
    await expect(why('Pod', 'none')).rejects.toThrow('pods "none" not found');
    await expect(why('Deployment', 'none')).rejects.toThrow('deployments.apps "none" not found');
    await expect(why('Node', 'none')).rejects.toThrow('nodes "none" not found');
  });
});

describe('what is told', () => {
  it('does not claim that all is well when not all could be looked at', async () => {
    await node();
    await pod({ phase: 'Running' });
    nodeAnswers['/api/v1/nodes/n1'] = 'broken';
    expect((await why('Pod', 'web')).out).toBe(
      'found nothing wrong with pod/web, but not all could be looked at: Running, for 0s\nnot looked at: node/n1: socket hang up\n',
    );
  });

  it('obeys no control characters', async () => {
    await node();
    await pod(crashed());
    nodeAnswers[LOG] =
      `${String.fromCharCode(27)}[31mred${String.fromCharCode(27)}[0m ${String.fromCharCode(7)}bell${String.fromCharCode(0x9b)}2J\n`;
    const { out } = await why('Pod', 'web');
    expect(out).toContain('log of main: "red bell"');
    expect(out.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });

  it('tells a static pod by the UID that its node knows', async () => {
    await node();
    const annotations = { 'kubernetes.io/config.hash': 'static-1', 'kubernetes.io/config.mirror': 'static-1' };
    const { metadata } = await pod(crashed(), {}, {}, { annotations });
    nodeAnswers[HISTORY] = historyOf('static-1', 'last words');
    expect(metadata?.uid).not.toBe('static-1');
    expect((await why('Pod', 'web')).out).toContain('death 4 of main');
  });
});

describe('a node', () => {
  it('that is well, and one that is lost', async () => {
    await node();
    expect(await why('Node', 'n1', { exitCode: true })).toEqual({
      code: 0,
      out: 'nothing is wrong with node/n1: Ready, 0 pods\n',
    });
    const lost = await api.client.get(NODES, undefined, 'n1');
    const conditions = [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown', message: 'silence' }];
    await api.client.update(NODES, { ...lost, status: { conditions } }, 'status');
    const { out } = await why('Node', 'n1');
    expect(out).toContain(' 1. node n1 has not been heard of');
    expect(out).toContain('lease/n1: spec.renewTime: 90s ago');
  });
});

describe('a service', () => {
  const LISTENING = '/api/v1/nodes/n1/proxy/mendlet/v1/listening';
  const make = (name: string, spec: object, namespace = 'default') =>
    api.client.create(SERVICES, {
      metadata: { name, namespace },
      spec: { ports: [{ port: 80, targetPort: 8080 }], ...spec },
    });
  const running = {
    phase: 'Running',
    podIP: '10.0.0.1',
    podIPs: [{ ip: '10.0.0.1' }],
    conditions: [{ type: 'Ready', status: 'True' }],
  };

  it('that is not there, but elsewhere, or spelt otherwise', async () => {
    await api.client.create(NAMESPACES, { metadata: { name: 'shop' } });
    await make('db', {}, 'shop');
    await make('db-main', {});
    const { code, out } = await why('Service', 'db', { exitCode: true });
    expect(code).toBe(1);
    expect(out).toContain('there is no service db in namespace default; from there it is reached as db.shop');
    expect(out).toContain('mendlet why svc/db -n shop');
  });

  it('whose pod listens elsewhere, as its node sees it', async () => {
    await node();
    await make('web', { selector: { app: 'web' } });
    await pod(running, {}, {}, { labels: { app: 'web' } });
    nodeAnswers[LISTENING] = JSON.stringify({ kind: 'ListeningPorts', ports: [{ port: 3000 }] });
    const { out } = await why('Service', 'web');
    expect(out).toContain('leads to port 8080 of its pods, where nothing listens: pod web listens on 3000 instead');
    expect(asked.some((url) => url.startsWith(LISTENING))).toBe(true);
  });

  it('whose pod refuses another one, as it listens inside only', async () => {
    await node();
    await make('api', { selector: { app: 'api' }, clusterIP: '10.96.0.77' });
    await api.client.create(ENDPOINT_SLICES, {
      metadata: { name: 'api-1', namespace: 'default', labels: { 'kubernetes.io/service-name': 'api' } },
      addressType: 'IPv4',
      ports: [{ name: '', port: 8080 }],
      endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: true } }],
    });
    const listens = { env: [{ name: 'BIND', value: '127.0.0.1' }] };
    await pod(running, {}, listens, { name: 'api-1', labels: { app: 'api' } });
    await pod(crashed());
    nodeAnswers[LOG] = 'dial tcp 10.96.0.77:80: connect: connection refused\n';
    const ports = [{ port: 8080, loopback: '127.0.0.1', container: 'main' }];
    nodeAnswers[LISTENING] = JSON.stringify({ kind: 'ListeningPorts', ports });
    const { out } = await why('Pod', 'web');
    expect(out).toContain('leads to port 8080 of pod api-1, which listens on 127.0.0.1:8080 only');
    expect(out).toContain('(its variable BIND)');
    expect(asked).toContain(`${LISTENING}?namespace=default&pod=api-1`);
  });

  it('whose server told a pod of a limit, which stands in its ConfigMap', async () => {
    await node();
    await make('db', { selector: { app: 'db' } });
    await api.client.create(ENDPOINT_SLICES, {
      metadata: { name: 'db-1', namespace: 'default', labels: { 'kubernetes.io/service-name': 'db' } },
      addressType: 'IPv4',
      ports: [{ name: '', port: 8080 }],
      endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: true } }],
    });
    await api.client.create(CONFIG_MAPS, {
      metadata: { name: 'db-conf', namespace: 'default' },
      data: { 'server.conf': 'max_connections = 10\n' },
    });
    const mounted = { volumeMounts: [{ name: 'conf', mountPath: '/etc/db' }] };
    const volumes = { volumes: [{ name: 'conf', configMap: { name: 'db-conf' } }] };
    await pod(running, volumes, mounted, { name: 'db-0', labels: { app: 'db' } });
    await pod(crashed(), {}, { env: [{ name: 'DB_URL', value: 'postgres://db:80/app' }] });
    nodeAnswers[LOG] = 'FATAL: sorry, too many clients already\n';
    const { out } = await why('Pod', 'web');
    expect(out).toContain(
      '; pod/db-0 behind service db has max_connections 10 (ConfigMap db-conf, key server.conf, line 1)\n',
    );
  });

  it('whose selector is wrong, and whose policy nobody enforces', async () => {
    await make('web', { selector: { app: 'wbe' } });
    await pod(running, {}, {}, { labels: { app: 'wbe2' } });
    const { out } = await why('Service', 'web');
    expect(out).toContain('its selector matches no pod; the nearest, pod web, has app=wbe2 instead of wbe');
  });

  it('whose pod crashes: the finding of the pod is quoted', async () => {
    await node();
    await make('web', { selector: { app: 'web' } });
    await pod(crashed(), {}, {}, { labels: { app: 'web' } });
    nodeAnswers[LOG] = 'listen tcp :8080: bind: address already in use\n';
    const { out } = await why('Service', 'web', { output: 'json' });
    const { findings } = JSON.parse(out) as { findings: { id: string }[] };
    expect(findings.map(({ id }) => id)).toEqual(expect.arrayContaining(['no-pod-ready', 'port-in-use']));
  });
});

describe('a claim', () => {
  const claim = (spec: object = {}) =>
    api.client.create(PERSISTENT_VOLUME_CLAIMS, {
      metadata: { name: 'data', namespace: 'default' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
    });

  it('of a class that is not there', async () => {
    await claim({ storageClassName: 'fast' });
    const { code, out } = await why('PersistentVolumeClaim', 'data', { exitCode: true });
    expect(code).toBe(1);
    expect(out).toContain('there is no StorageClass fast, nor any other');
    await api.client.create(STORAGE_CLASSES, { metadata: { name: 'standard' }, provisioner: 'rancher.io/local-path' });
    expect((await why('PersistentVolumeClaim', 'data')).out).toContain(
      'there is no StorageClass fast; there is standard',
    );
  });

  it('whose volume is gone, with the pod that uses it', async () => {
    await node();
    const made = await claim({ volumeName: 'pv-1' });
    await api.client.update(PERSISTENT_VOLUME_CLAIMS, { ...made, status: { phase: 'Lost' } }, 'status');
    await pod({ phase: 'Pending' }, { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] });
    const { out } = await why('PersistentVolumeClaim', 'data');
    expect(out).toContain('the volume pv-1 of claim data is gone, and with it its data; 1 pod uses it: web');
  });

  it('that is bound, and used by nobody', async () => {
    const made = await claim({ volumeName: 'pv-1' });
    await api.client.create(PERSISTENT_VOLUMES, {
      metadata: { name: 'pv-1' },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        hostPath: { path: '/x' },
        claimRef: {
          namespace: 'default',
          name: 'data',
          ...(made.metadata?.uid === undefined ? {} : { uid: made.metadata.uid }),
        },
      },
    });
    const status = { phase: 'Bound', capacity: { storage: '1Gi' } };
    await api.client.update(PERSISTENT_VOLUME_CLAIMS, { ...made, status }, 'status');
    expect((await why('PersistentVolumeClaim', 'data', { exitCode: true })).out).toMatch(/^nothing is wrong with /);
  });
});

describe('a budget', () => {
  const budget = (spec: object, status: object) =>
    api.client
      .create(POD_DISRUPTION_BUDGETS, {
        metadata: { name: 'web', namespace: 'default' },
        spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
      })
      .then((made) => api.client.update(POD_DISRUPTION_BUDGETS, { ...made, status }, 'status'));

  it('that covers no pod', async () => {
    await budget({ minAvailable: 1 }, {});
    expect((await why('PodDisruptionBudget', 'web')).out).toContain('no pod has the labels that its selector wants');
  });

  it('of pods that another one covers, too', async () => {
    await node();
    await pod(
      { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
      {},
      {},
      { labels: { app: 'web', tier: 'front' } },
    );
    await api.client.create(POD_DISRUPTION_BUDGETS, {
      metadata: { name: 'front', namespace: 'default' },
      spec: { selector: { matchLabels: { tier: 'front' } }, minAvailable: 0 },
    });
    await budget({ minAvailable: 0 }, { disruptionsAllowed: 1, currentHealthy: 1, desiredHealthy: 0, expectedPods: 1 });
    const { out } = await why('PodDisruptionBudget', 'web');
    expect(out).toContain('none of the pods that budget web shares with budget front can be evicted');
  });

  it('of its pods alone, beside another one', async () => {
    await node();
    await pod(
      { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
      {},
      {},
      { labels: { app: 'web' } },
    );
    await api.client.create(POD_DISRUPTION_BUDGETS, {
      metadata: { name: 'front', namespace: 'default' },
      spec: { selector: { matchLabels: { tier: 'front' } }, minAvailable: 0 },
    });
    await budget({ minAvailable: 0 }, { disruptionsAllowed: 1, currentHealthy: 1, desiredHealthy: 0, expectedPods: 1 });
    expect((await why('PodDisruptionBudget', 'web')).out).toMatch(/^nothing is wrong with /);
  });

  it('that never lets a pod go', async () => {
    await node();
    await pod(
      { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
      {},
      {},
      { labels: { app: 'web' } },
    );
    await budget({ minAvailable: 1 }, { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 });
    const { out } = await why('PodDisruptionBudget', 'web');
    expect(out).toContain(
      'although all 1 are healthy: it wants 1 of 1 (minAvailable: 1), so a drain of their nodes never ends',
    );
    expect(out).toContain('spec.minAvailable');
  });
});

describe('a cron job', () => {
  it('whose schedule never comes', async () => {
    await api.client.create(CRON_JOBS, {
      metadata: { name: 'report', namespace: 'default' },
      spec: {
        schedule: '0 0 30 2 *',
        jobTemplate: {
          spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a:1' }] } } },
        },
      },
    });
    expect((await why('CronJob', 'report')).out).toContain('names no time that ever comes');
  });
});

describe('many at once', () => {
  const well = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };

  it('a cluster in which all is well', async () => {
    await node();
    await pod(well);
    expect(await ask({ kind: 'Cluster' }, { exitCode: true })).toEqual({
      code: 0,
      out: 'nothing is wrong with the cluster: 1 node, 1 pod\n',
    });
  });

  it('names what is wrong anywhere, with the question that has the rest', async () => {
    await node();
    await api.client.create(NAMESPACES, { metadata: { name: 'shop' } });
    await pod(well, {}, {}, { namespace: 'shop', name: 'fine' });
    await pod(crashed());
    const { code, out } = await ask({ kind: 'Cluster' }, { exitCode: true });
    expect(code).toBe(1);
    expect(out).toContain('the cluster: 1 node, 2 pods, 1 of them not as wanted');
    expect(out).toContain(' 1. default/pod/web: ');
    expect(out).toContain('try: mendlet why pod/web -n default');
    expect((await ask({ kind: 'Namespace', name: 'shop' })).out).toBe('nothing is wrong with namespace/shop: 1 pod\n');
  });

  it('looks at the pods of a selector alone', async () => {
    await node();
    await pod(well, {}, {}, { name: 'fine', labels: { app: 'fine' } });
    await pod(crashed(), {}, {}, { labels: { app: 'web' } });
    expect((await ask({ kind: 'Selector', selector: 'app=fine' })).out).toContain('nothing is wrong');
    expect((await ask({ kind: 'Selector', selector: 'app=web' })).out).toContain('pods -l app=web (default)');
  });

  it('reads whole lists once, and of each sick pod only what its node remembers', async () => {
    await node();
    const sick = 40;
    for (let n = 0; n < sick; n += 1) await pod(crashed(), {}, {}, { name: `sick-${n}` });
    for (let n = 0; n < 60; n += 1) await pod(well, {}, {}, { name: `fine-${n}` });
    asked = [];
    const { out } = await ask({ kind: 'Namespace', name: 'default' });
    expect(out).toContain('namespace/default: 100 pods, 40 of them not as wanted');
    // The history at the server, the history at the node, and the log of each sick pod; and the lists.
    expect(asked.length).toBeLessThan(3 * sick + 40);
    expect(asked.filter((url) => url.includes('fine-'))).toEqual([]);
  });

  it('says that a namespace is not there', async () => {
    await expect(ask({ kind: 'Namespace', name: 'none' })).rejects.toThrow('namespaces "none" not found');
  });
});
