/** Tables of what is wrong with a service, and of what is not. */
import { describe, expect, it } from 'vitest';
import type { ContainerPort, EndpointSlice, NetworkPolicy, Pod, Service, ServiceSpec } from '../../api/index.ts';
import { diagnoseService } from '../diagnose-service.ts';
import { ago, crashed, evidence, NOW, pod } from '../evidence.fixtures.ts';
import type { PodEvidence } from '../evidence/pod-evidence.ts';
import type { ServiceBackends, ServiceSubjectEvidence } from '../evidence/service-evidence.ts';
import type { Diagnosis } from '../finding.ts';

const labels = { app: 'web', tier: 'front' };
const web = (name: string, more: Parameters<typeof pod>[0] = {}) =>
  pod({ name, metadata: { labels }, container: { ports: [{ name: 'http', containerPort: 8080 }] }, ...more });
const sick = { ready: false };

function service(spec: Partial<ServiceSpec> = {}): Service {
  return {
    metadata: { namespace: 'shop', name: 'web', uid: 'uid-web' },
    spec: {
      type: 'ClusterIP',
      clusterIP: '10.96.1.2',
      selector: labels,
      ports: [{ port: 80, targetPort: 8080 }],
      ...spec,
    },
  };
}

function sliceOf(...names: readonly string[]): EndpointSlice {
  const endpoints = names.map((name) => ({
    addresses: ['10.0.0.1'],
    conditions: { ready: true },
    targetRef: { kind: 'Pod', name },
  }));
  return { addressType: 'IPv4', endpoints };
}

function diagnose(
  given: Service | undefined,
  behind: Partial<ServiceBackends> = {},
  more: Partial<ServiceSubjectEvidence> = {},
): Diagnosis {
  return diagnoseService({
    now: NOW,
    name: 'web',
    namespace: 'shop',
    ...(given && { service: given }),
    elsewhere: [],
    ...(given &&
      given.spec?.type !== 'ExternalName' && {
        behind: { pods: [], slices: [], policies: [], looked: [], listening: {}, readyNodes: [], ...behind },
      }),
    events: [],
    notLookedAt: [],
    namespaceFlag: '',
    ...more,
  });
}

/** "ID severity: says" of each. */
function findings(diagnosis: Diagnosis): string[] {
  return diagnosis.findings.map(({ id, severity, says }) => `${id} ${severity}: ${says}`);
}

describe('nothing is wrong with', () => {
  it.each<[string, Service, Partial<ServiceBackends>]>([
    ['a service with a ready pod that listens', service(), { listening: { 'web-1': [{ port: 8080 }] } }],
    ['one whose pods were not asked', service(), {}],
    [
      'a named port that containers have',
      service({ ports: [{ port: 80, targetPort: 'http' }] }),
      { listening: { 'web-1': [{ port: 8080 }] } },
    ],
    [
      'UDP, which cannot be looked up',
      service({ ports: [{ port: 53, protocol: 'UDP' }] }),
      { listening: { 'web-1': [] } },
    ],
    [
      'UDP beside TCP at a port that the pods declare for one of them',
      service({
        ports: [
          { name: 'tcp', port: 53, targetPort: 8080 },
          { name: 'udp', port: 53, targetPort: 8080, protocol: 'UDP' },
        ],
      }),
      {},
    ],
    ['the policy Local with a pod on every node', service({ internalTrafficPolicy: 'Local' }), { readyNodes: ['n1'] }],
  ])('%s', (_, given, behind) => {
    const diagnosis = diagnose(given, { pods: [web('web-1')], slices: [sliceOf('web-1')], ...behind });
    expect(findings(diagnosis)).toEqual([]);
    expect(diagnosis.state).toBe('ClusterIP 10.96.1.2, 1 of 1 pod ready');
  });

  it('endpoints that somebody has written', () => {
    const { selector: _, ...spec } = service().spec ?? {};
    const diagnosis = diagnose({ ...service(), spec }, { slices: [sliceOf('a', 'b')] });
    expect([findings(diagnosis), diagnosis.state]).toEqual([[], 'ClusterIP 10.96.1.2, 2 endpoints of its own']);
  });
});

it('nothing is wrong with the DNS that each node answers', () => {
  const { selector: _, ...spec } = service().spec ?? {};
  const given = { ...service(), spec, metadata: { name: 'web', annotations: { 'mendlet.dev/node-dns': 'true' } } };
  const diagnosis = diagnose(given);
  expect([findings(diagnosis), diagnosis.state]).toEqual([[], 'ClusterIP 10.96.1.2, answered by the DNS of each node']);
});

describe('the protocol of a port', () => {
  const found = (
    ports: ServiceSpec['ports'],
    declared: readonly ContainerPort[],
    listening: ServiceBackends['listening'] = {},
  ) =>
    findings(
      diagnose(service({ ports }), {
        pods: [web('web-1', { container: { ports: [...declared] } })],
        slices: [sliceOf('web-1')],
        listening,
      }),
    );

  it('is another than that of its pods at that number', () => {
    expect(found([{ name: 'http', port: 8125, targetPort: 3000, protocol: 'UDP' }], [{ containerPort: 3000 }])).toEqual(
      [
        'target-port-protocol warning: port http 8125/UDP leads to port 3000/UDP of its pods, which declare 3000/TCP only',
      ],
    );
    expect(found([{ port: 53 }], [{ containerPort: 53, protocol: 'UDP' }])).toEqual([
      'target-port-protocol warning: port 53/TCP leads to port 53/TCP of its pods, which declare 53/UDP only',
    ]);
  });

  it('is not judged where the pods declare both, nothing at that number, or are heard there', () => {
    const udp = { containerPort: 53, protocol: 'UDP' };
    expect(found([{ port: 53 }], [{ containerPort: 53 }, udp])).toEqual([]);
    expect(found([{ port: 54, protocol: 'UDP' }], [{ containerPort: 53 }])).toEqual([]);
    expect(found([{ port: 53 }], [udp], { 'web-1': [{ port: 53 }] })).toEqual([]);
  });
});

describe('the name', () => {
  it('is known in another namespace', () => {
    const diagnosis = diagnose(undefined, {}, { elsewhere: [{ namespace: 'prod', name: 'web' }] });
    expect(findings(diagnosis)).toEqual([
      'no-such-service critical: there is no service web in namespace shop; from there it is reached as web.prod',
    ]);
    expect(diagnosis.findings[0]?.try).toEqual(['mendlet why svc/web -n prod']);
  });

  it('is spelt otherwise, or is none', () => {
    expect(findings(diagnose(undefined, {}, { elsewhere: [{ namespace: 'shop', name: 'webs' }] }))[0]).toContain(
      'similar names: webs',
    );
    expect(findings(diagnose(undefined))[0]).toContain('nor in any other');
  });

  it('is another name alone', () => {
    const given: Service = {
      metadata: { name: 'web' },
      spec: { type: 'ExternalName', externalName: 'db.example.com' },
    };
    expect(findings(diagnose(given))).toEqual([
      'external-name info: it is only another name of db.example.com: it has no address and no pods',
    ]);
  });

  it('leads to a service of the cluster that is not there', () => {
    const given: Service = {
      metadata: { name: 'web' },
      spec: { type: 'ExternalName', externalName: 'redis.prod.svc.cluster.local' },
    };
    const named = { namespace: 'prod', name: 'redis', elsewhere: [{ namespace: 'production', name: 'redis' }] };
    expect(findings(diagnose(given, {}, { named: { ...named, missing: true } }))).toEqual([
      'external-name critical: it is only another name of redis.prod.svc.cluster.local, and there is no service redis in namespace prod; there is one in namespace production',
    ]);
    expect(findings(diagnose(given, {}, { named: { ...named, missing: false } }))).toEqual([
      'external-name info: it is only another name of redis.prod.svc.cluster.local: it has no address and no pods',
    ]);
  });

  it('is another name that is an address', () => {
    const given: Service = { metadata: { name: 'web' }, spec: { type: 'ExternalName', externalName: '10.1.2.3' } };
    expect(findings(diagnose(given))).toEqual([
      'external-name critical: its external name 10.1.2.3 is an address, for which endpoints are to be written, and no DNS server resolves it',
    ]);
  });
});

describe('its clients', () => {
  const client = (name: string, line: string): PodEvidence =>
    evidence({
      pod: pod({ name, status: crashed({ exitCode: 1 }) }),
      logs: { web: { previous: [line] } },
      namespaceFlag: '',
    });

  it('fail, although it looks well', () => {
    const clients = ['crm', 'fx'].map((name) =>
      client(name, 'connection to server at "web", port 5432 failed: FATAL: sorry, too many clients already'),
    );
    expect(findings(diagnose(service(), { pods: [web('web-1')], slices: [sliceOf('web-1')] }, { clients }))).toEqual([
      expect.stringMatching(
        /^clients-fail warning: its pods are ready, but 2 pods that need it fail \(crm and fx\): web:5432 gives no connection any more: sorry, too many clients already$/,
      ),
    ]);
  });

  it('fail for something else', () => {
    const clients = [client('crm', 'Error: connect ECONNREFUSED mq:5672'), client('fx', "KeyError: 'DB_HOST'")];
    expect(findings(diagnose(service(), { pods: [web('web-1')], slices: [sliceOf('web-1')] }, { clients }))).toEqual(
      [],
    );
  });
});

describe('its selector matches nothing', () => {
  it.each<[string, Record<string, string>[], string]>([
    [
      'a wrong value',
      [{ app: 'web', tier: 'front-end' }],
      'its selector matches no pod; the nearest, pod p0, has tier=front-end instead of front',
    ],
    [
      'a label too few',
      [{ app: 'other' }, { app: 'web' }],
      'its selector matches no pod; the nearest, pod p1, has no label tier (wanted: front)',
    ],
    [
      'a value that is alike',
      [{ app: 'webapp' }],
      'pod p0, has app=webapp instead of web and has no label tier (wanted: front)',
    ],
    ['labels of others alone', [{ app: 'db' }], 'no pod in namespace shop has the labels app=web,tier=front'],
    ['no pods at all', [], 'no pod in namespace shop has the labels app=web,tier=front'],
  ])('%s', (_, all, text) => {
    const pods = all.map((each, at) => pod({ name: `p${at}`, metadata: { labels: each } }));
    const [first, ...rest] = findings(diagnose(service(), { pods }));
    expect(first).toContain('selector-matches-nothing critical: ');
    expect(first).toContain(text);
    expect(rest).toEqual([]);
  });
});

describe('its pods', () => {
  it('are not ready: why, each once', () => {
    const status = {
      ready: false,
      state: { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "x": not found' } },
    };
    const pods = [web('web-1', { status }), web('web-2', { status })];
    const looked = pods.map((each) => ({
      now: NOW,
      pod: each,
      events: [],
      owners: [],
      logs: {},
      claims: [],
      configs: [],
      services: [],
      throttling: {},
      siblings: [],
      siblingEvents: [],
      notLookedAt: [],
      namespaceFlag: '',
    }));
    const diagnosis = diagnose(service(), { pods, looked });
    expect(diagnosis.state).toBe('ClusterIP 10.96.1.2, 0 of 2 pods ready');
    expect(findings(diagnosis)[0]).toMatch(/critical: /);
    expect(diagnosis.findings.map(({ id }) => id)).toContain('no-pod-ready');
    expect(findings(diagnosis).some((text) => text.includes('2 of its 2 pods:'))).toBe(true);
  });

  it('are ready and in no slice', () => {
    expect(findings(diagnose(service(), { pods: [web('web-1')] }))).toEqual([
      'endpoints-behind warning: 1 ready pod of it is in no EndpointSlice',
    ]);
  });

  it('need not be ready where that is asked for', () => {
    const pods = [web('web-1', { status: sick })];
    expect(findings(diagnose(service({ publishNotReadyAddresses: true }), { pods }))).toEqual([]);
  });

  it('are nobody, where somebody was to write endpoints', () => {
    const { selector: _, ...spec } = service().spec ?? {};
    expect(findings(diagnose({ ...service(), spec }))).toEqual([
      'no-endpoints critical: it has no selector, and nobody has written endpoints for it',
    ]);
  });
});

describe('endpoints that somebody wrote', () => {
  const { selector: _, ...spec } = service({ ports: [{ name: 'amqp', port: 5672 }] }).spec ?? {};
  const own = { ...service(), spec };
  it.each<[string | undefined, string[]]>([
    ['amqp', []],
    [
      'rabbit',
      [
        'no-endpoints critical: port amqp 5672/TCP reaches nobody: the endpoints that were written for it have only port rabbit 5672/TCP, and the names must be equal',
      ],
    ],
    [
      undefined,
      [
        'no-endpoints critical: port amqp 5672/TCP reaches nobody: the endpoints that were written for it have only port 5672/TCP, and the names must be equal',
      ],
    ],
  ])('have the port %s', (name, told) => {
    const slices = [{ ...sliceOf('x'), ports: [{ ...(name !== undefined && { name }), port: 5672 }] }];
    expect(findings(diagnose(own, { slices }))).toEqual(told);
  });
});

describe('a load balancer', () => {
  const pods = [web('web-1')];
  const behind = { pods, slices: [sliceOf('web-1')] };
  const aged = (seconds: number, ingress: readonly object[] = []): Service => ({
    ...service({ type: 'LoadBalancer' }),
    metadata: { ...service().metadata, creationTimestamp: ago(seconds) },
    status: { loadBalancer: { ingress: [...ingress] } },
  });
  it('without an address is noted after its start', () => {
    expect(findings(diagnose(aged(600), behind))).toEqual([
      'no-load-balancer info: it is of type LoadBalancer, and nothing has given it an address outside',
    ]);
    expect(findings(diagnose(aged(5), behind))).toEqual([]);
    expect(findings(diagnose(aged(600, [{ ip: '192.0.2.7' }]), behind))).toEqual([]);
  });
});

describe('its port', () => {
  const pods = [web('web-1'), web('web-2')];
  const slices = [sliceOf('web-1', 'web-2')];
  it.each<[string, ServiceBackends['listening'], string]>([
    ['another one is open', { 'web-1': [{ port: 3000 }] }, 'pod web-1 listens on 3000 instead'],
    [
      'it is open inside alone',
      { 'web-1': [{ port: 8080, loopback: '127.0.0.1' }] },
      'pod web-1 listens on 127.0.0.1:8080 only, which no other pod reaches',
    ],
    ['none is open', { 'web-1': [{ port: 5, loopback: '::1' }] }, 'pod web-1 listens on no port that other pods reach'],
  ])('%s', (_, listening, text) => {
    const [first] = findings(diagnose(service(), { pods, slices, listening }));
    expect(first).toBe(
      `target-port-unheard critical: port 80/TCP leads to port 8080 of its pods, where nothing listens: ${text}`,
    );
  });

  it('is told with what a pod says that listens nowhere', () => {
    const deaf = evidence({
      pod: web('web-1'),
      logs: {
        web: { current: ['Traceback (most recent call last):', "ModuleNotFoundError: No module named 'tomlkit'"] },
      },
    });
    const [first] = findings(diagnose(service(), { pods, slices, listening: { 'web-1': [] }, deaf: [deaf] }));
    expect(first).toMatch(
      /listens on no port that other pods reach; its log says: ModuleNotFoundError: No module named/,
    );
  });

  it('is heard by some of the pods', () => {
    const listening = { 'web-1': [{ port: 8080 }], 'web-2': [] };
    expect(findings(diagnose(service(), { pods, slices, listening }))[0]).toContain('target-port-unheard warning');
  });

  it('has a name that no container has', () => {
    const given = service({ ports: [{ name: 'web', port: 80, targetPort: 'web' }] });
    const { findings: all } = diagnose(given, { pods, slices });
    expect(all[0]).toMatchObject({
      id: 'target-port-not-found',
      severity: 'critical',
      says: 'port web 80/TCP leads to the port "web", which no container of its pods has (they have http 8080/TCP)',
      evidence: [{}, { value: 'http 8080/TCP' }],
    });
  });
});

it('the policy Local leaves nodes without a pod', () => {
  const behind = { pods: [web('web-1')], slices: [sliceOf('web-1')], readyNodes: ['n1', 'n2'] };
  expect(findings(diagnose(service({ type: 'NodePort', externalTrafficPolicy: 'Local' }), behind))).toEqual([
    'local-without-pod warning: its policy is Local, and node n2 has no ready pod of it: what comes in there is dropped',
  ]);
});

it('a network policy is about its pods, and nobody enforces it', () => {
  const policies: NetworkPolicy[] = [
    { metadata: { name: 'deny' }, spec: { podSelector: {} } },
    { metadata: { name: 'other' }, spec: { podSelector: { matchLabels: { app: 'db' } } } },
  ];
  expect(findings(diagnose(service(), { pods: [web('web-1')], slices: [sliceOf('web-1')], policies }))).toEqual([
    'network-policy-not-enforced info: NetworkPolicy deny is about its pods, and mendlet enforces none: only a network plugin of the nodes can',
  ]);
});

it('its load balancer has no address, and the event says why', () => {
  const message = 'Error syncing load balancer: port 80/TCP of the nodes belongs to service shop/old';
  const event = { metadata: { name: 'e' }, involvedObject: {}, reason: 'SyncLoadBalancerFailed', message };
  const behind = { pods: [web('web-1')], slices: [sliceOf('web-1')] };
  expect(findings(diagnose(service({ type: 'LoadBalancer' }), behind, { events: [event] }))).toEqual([
    'no-load-balancer warning: it has no address outside: port 80/TCP of the nodes belongs to service shop/old',
  ]);
});

describe('a service whose workload is scaled to 0', () => {
  const behind = (pods: readonly Pod[] = []): Partial<ServiceBackends> => ({
    pods,
    nobody: { scaledToZero: ['deployment/web'] },
  });
  const asks = (container: object, namespace = 'shop'): Pod =>
    pod({ name: 'front', metadata: { namespace, labels: { app: 'front' } }, container });
  const url = (value: string): object => ({ env: [{ name: 'URL', value }] });
  const severity = (given: Partial<ServiceBackends>, spec: Partial<ServiceSpec> = {}): string | undefined =>
    diagnose(service(spec), given).findings[0]?.severity;

  it('matters where somebody asks for it', () => {
    expect(severity(behind())).toBe('info');
    expect(diagnose(service(), behind()).asWanted).toBe(true);
    for (const named of ['web', 'http://web:80/a', 'web.shop', 'redis://:pw@web.shop.svc.cluster.local:6379'])
      expect([named, severity(behind([asks(url(named))]))]).toEqual([named, 'critical']);
    expect(severity(behind([asks({ command: ['sh', '-c', 'until nc -z web 80; do sleep 1; done'] })]))).toBe(
      'critical',
    );
    for (const other of ['webhook', 'my-web', '/srv/web', 'web.other', 'web-2:80', 'example.web.shop'])
      expect([other, severity(behind([asks(url(other))]))]).toEqual([other, 'info']);
  });

  it('matters where a pod of another namespace asks for it by its full name', () => {
    const outside = (value: string) => ({ ...behind(), outside: [asks(url(value), 'other')] });
    expect(severity(outside('http://web.shop:80'))).toBe('critical');
    expect(severity(outside('http://web:80'))).toBe('info');
  });

  it('may matter where the outside reaches it', () => {
    expect(severity(behind(), { type: 'NodePort' })).toBe('warning');
  });
});
