import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseIpv4Range } from '../../api/index.ts';
import { seededRandom } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { type Answer, startTestServer, type TestServer } from '../test-server.ts';
import { allocateService } from './allocate-service.ts';
import { problemsOf } from './repair-services.ts';

let api: TestServer;
beforeEach(async () => {
  api = await startTestServer({ clock: createManualClock() });
});
afterEach(() => api.close());

const url = '/api/v1/namespaces/default/services';
const ports = [{ port: 80 }];

function post(name: string, spec: object): Promise<Answer> {
  return api.call('POST', url, { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec });
}

async function specOf(name: string, spec: object): Promise<Answer['body']> {
  const { status, body } = await post(name, spec);
  expect([status, body.message]).toEqual([201, undefined]);
  return body.spec;
}

describe('a new service', () => {
  it('gets its defaults and an address', async () => {
    const { body } = await post('web', { selector: { app: 'web' }, ports });
    expect(body.spec).toEqual({
      type: 'ClusterIP',
      selector: { app: 'web' },
      sessionAffinity: 'None',
      internalTrafficPolicy: 'Cluster',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
      clusterIP: expect.stringMatching(/^10\.96\.\d+\.\d+$/),
      clusterIPs: [body.spec.clusterIP],
    });
    expect(body.status).toEqual({ loadBalancer: {} });
  });

  it('keeps the address it asks for, which is nobody else’s then', async () => {
    expect((await specOf('a', { ports, clusterIP: '10.96.0.20' })).clusterIP).toBe('10.96.0.20');
    const { status, body } = await post('b', { ports, clusterIP: '10.96.0.20' });
    expect(status).toBe(422);
    expect(body.message).toContain('failed to allocate IP 10.96.0.20: provided IP is already allocated');
    await api.call('DELETE', `${url}/a`);
    expect((await post('b', { ports, clusterIP: '10.96.0.20' })).status).toBe(201);
  });

  it.each(['10.95.0.1', '10.96.0.0', '10.96.255.255', '10.96.0.1'])('may not have %s', async (clusterIP) => {
    expect((await post('a', { ports, clusterIP })).status).toBe(422);
  });

  it('has a port on every node when it is a NodePort', async () => {
    const { ports: given } = await specOf('a', { type: 'NodePort', ports });
    expect(given[0].nodePort).toBeGreaterThanOrEqual(30_000);
    expect(given[0].nodePort).toBeLessThanOrEqual(32_767);
    const taken = await post('b', { type: 'NodePort', ports: [{ port: 1, nodePort: given[0].nodePort }] });
    expect(taken.body.message).toContain('provided port is already allocated');
    const strange = await post('c', { type: 'NodePort', ports: [{ port: 1, nodePort: 80 }] });
    expect(strange.body.message).toContain('The range of valid ports is 30000-32767');
  });

  it('may use one node port for two protocols', async () => {
    const dns = [
      { name: 'udp', port: 53, protocol: 'UDP', nodePort: 30_053 },
      { name: 'tcp', port: 53, protocol: 'TCP' },
    ];
    expect((await specOf('dns', { type: 'NodePort', ports: dns })).ports[1].nodePort).toBe(30_053);
  });

  it('is headless when it says so', async () => {
    const spec = await specOf('a', { clusterIP: 'None', selector: { a: 'b' } });
    expect(spec).toMatchObject({ clusterIP: 'None', clusterIPs: ['None'], ipFamilyPolicy: 'SingleStack' });
    expect(await specOf('b', { clusterIP: 'None' })).toMatchObject({ ipFamilyPolicy: 'RequireDualStack' });
  });

  it('is a name alone', async () => {
    const spec = await specOf('a', { type: 'ExternalName', externalName: 'example.com.' });
    expect(spec).toEqual({ type: 'ExternalName', externalName: 'example.com.', sessionAffinity: 'None' });
  });

  it('asks for a load balancer', async () => {
    const spec = await specOf('a', { type: 'LoadBalancer', ports, externalTrafficPolicy: 'Local' });
    expect(spec).toMatchObject({ allocateLoadBalancerNodePorts: true, healthCheckNodePort: expect.any(Number) });
    expect(spec.healthCheckNodePort).not.toBe(spec.ports[0].nodePort);
    const without = await specOf('b', { type: 'LoadBalancer', ports, allocateLoadBalancerNodePorts: false });
    expect(without.ports[0].nodePort).toBeUndefined();
  });

  it('gets an address of its own, however many are made at once', async () => {
    const all = await Promise.all(Array.from({ length: 40 }, (_, each) => specOf(`s${each}`, { ports })));
    expect(new Set(all.map((spec) => spec.clusterIP)).size).toBe(40);
  });

  it.each<[string, object, string]>([
    ['no ports', {}, 'spec.ports: Required value'],
    ['a bad name of a port', { ports: [{ port: 80, name: 'A' }] }, 'spec.ports[0].name: Invalid value: "A"'],
    ['ports without names', { ports: [{ port: 80 }, { port: 81 }] }, 'spec.ports[0].name: Required value'],
    [
      'a port twice',
      {
        ports: [
          { port: 80, name: 'a' },
          { port: 80, name: 'b' },
        ],
      },
      'spec.ports[1]: Duplicate value',
    ],
    ['a node port', { ports: [{ port: 80, nodePort: 30_000 }] }, "may not be used when `type` is 'ClusterIP'"],
    ['an unknown type', { type: 'Magic', ports }, 'spec.type: Unsupported value: "Magic"'],
    ['no external name', { type: 'ExternalName' }, 'spec.externalName: Required value'],
    ['a headless NodePort', { type: 'NodePort', clusterIP: 'None', ports }, "may not be set to 'None' for NodePort"],
    ['no address', { ports, clusterIP: 'x' }, 'spec.clusterIPs[0]: Invalid value: "x": must be a valid IP address'],
    ['IPv6', { ports, ipFamilies: ['IPv6'] }, 'not configured on this cluster'],
    ['two families', { ports, ipFamilyPolicy: 'RequireDualStack' }, 'not configured for dual-stack services'],
    ['affinity', { ports, sessionAffinity: 'x' }, 'spec.sessionAffinity: Unsupported value'],
    ['a policy', { ports, externalTrafficPolicy: 'Local' }, 'may only be set for externally-accessible services'],
  ])('is refused with %s', async (_, spec, text) => {
    const { status, body } = await post('a', spec);
    expect(status).toBe(422);
    expect(body.message).toContain(text);
  });

  it('must have a name that DNS takes', async () => {
    expect((await post('1a', { ports })).body.message).toContain('DNS-1035 label');
  });
});

describe('a change', () => {
  const put = (name: string, spec: object, resourceVersion?: string): Promise<Answer> =>
    api.call('PUT', `${url}/${name}`, { metadata: { name, ...(resourceVersion && { resourceVersion }) }, spec });
  const patch = (name: string, spec: object): Promise<Answer> =>
    api.call('PATCH', `${url}/${name}`, { spec }, { 'content-type': 'application/merge-patch+json' });

  it('leaves a service its address and node ports', async () => {
    const before = await specOf('a', { type: 'NodePort', ports });
    const { body } = await put('a', { type: 'NodePort', ports, selector: { app: 'new' } });
    expect(body.spec).toMatchObject({ clusterIP: before.clusterIP, ports: before.ports, selector: { app: 'new' } });
  });

  it('may not move it', async () => {
    await specOf('a', { ports });
    const { status, body } = await patch('a', { clusterIP: '10.96.0.77', clusterIPs: ['10.96.0.77'] });
    expect(status).toBe(422);
    expect(body.message).toContain('may not change once set');
  });

  it('may not move the port of its health check, which balancers know', async () => {
    const wanted = { type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports, healthCheckNodePort: 31_999 };
    expect((await specOf('a', wanted)).healthCheckNodePort).toBe(31_999);
    const { status, body } = await patch('a', { healthCheckNodePort: 31_998 });
    expect(status).toBe(422);
    expect(body.message).toContain('cannot change healthCheckNodePort');
    expect((await patch('a', { healthCheckNodePort: null })).body.spec).toMatchObject({ healthCheckNodePort: 31_999 });
  });

  it('gives and takes what its type needs', async () => {
    const { clusterIP } = await specOf('a', { ports });
    const opened = (await patch('a', { type: 'NodePort' })).body.spec;
    expect(opened).toMatchObject({ clusterIP, externalTrafficPolicy: 'Cluster' });
    expect(opened.ports[0].nodePort).toBeGreaterThan(0);
    const closed = (await patch('a', { type: 'ClusterIP' })).body.spec;
    expect(closed.ports).toEqual([{ port: 80, protocol: 'TCP', targetPort: 80 }]);
    expect(closed.externalTrafficPolicy).toBeUndefined();
    const named = (await patch('a', { type: 'ExternalName', externalName: 'example.com' })).body.spec;
    expect(named.clusterIP).toBeUndefined();
    expect((await patch('a', { type: 'ClusterIP' })).body.spec.clusterIP).toMatch(/^10\.96\./);
  });

  it('of its status is for whoever balances', async () => {
    await specOf('a', { type: 'LoadBalancer', ports });
    const body = { status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } };
    const answer = await api.call('PATCH', `${url}/a/status`, body, { 'content-type': 'application/merge-patch+json' });
    expect(answer.body.status).toEqual({ loadBalancer: { ingress: [{ ip: '192.0.2.1', ipMode: 'VIP' }] } });
    await specOf('b', { ports });
    const refused = await api.call('PATCH', `${url}/b/status`, body, {
      'content-type': 'application/merge-patch+json',
    });
    expect(refused.body.message).toContain('may only be used when `spec.type` is "LoadBalancer"');
  });
});

it('tables say how to reach it', async () => {
  await specOf('a', {
    type: 'NodePort',
    ports: [{ port: 80, nodePort: 30_080 }],
    clusterIP: '10.96.0.9',
    selector: { a: 'b' },
  });
  await specOf('b', { type: 'ExternalName', externalName: 'example.com' });
  await specOf('c', { type: 'LoadBalancer', ports: [{ port: 1, nodePort: 30_001 }], clusterIP: '10.96.0.11' });
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const { body } = await api.call('GET', url, undefined, { accept });
  const cells = (body.rows as { cells: string[] }[]).map((row) => row.cells.filter((_, at) => at !== 5));
  expect(cells).toEqual([
    ['a', 'NodePort', '10.96.0.9', '<none>', '80:30080/TCP', 'a=b'],
    ['b', 'ExternalName', '<none>', 'example.com', '<none>', '<none>'],
    ['c', 'LoadBalancer', '10.96.0.11', '<pending>', '1:30001/TCP', '<none>'],
    ['kubernetes', 'ClusterIP', '10.96.0.1', '<none>', '443/TCP', '<none>'],
  ]);
});

describe('the kubernetes service', () => {
  it('has the first address, and endpoints once it is known where the server is', async () => {
    expect((await api.call('GET', `${url}/kubernetes`)).body.spec).toMatchObject({
      clusterIP: '10.96.0.1',
      ports: [{ name: 'https', port: 443, protocol: 'TCP' }],
    });
    const endpoints = '/api/v1/namespaces/default/endpoints/kubernetes';
    expect((await api.call('GET', endpoints)).status).toBe(404);
    await api.server.publish({ ip: '10.244.0.1', port: 6443 });
    await api.server.publish({ ip: '10.244.0.1', port: 7443 });
    const wanted = [{ addresses: [{ ip: '10.244.0.1' }], ports: [{ name: 'https', port: 7443, protocol: 'TCP' }] }];
    expect((await api.call('GET', endpoints)).body.subsets).toEqual(wanted);
    const slice = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes';
    expect((await api.call('GET', slice)).body).toMatchObject({
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.244.0.1'] }],
      ports: [{ port: 7443 }],
      metadata: { generation: 2 },
    });
  });

  it('comes back when somebody deletes it', async () => {
    await api.call('DELETE', `${url}/kubernetes`);
    await api.clock.advance(60_000);
    expect((await api.call('GET', `${url}/kubernetes`)).body.spec.clusterIP).toBe('10.96.0.1');
  });
});

it('addresses run out in the end, the lower part last', () => {
  const range = parseIpv4Range('10.0.0.0/27') ?? expect.fail();
  const random = seededRandom(7);
  const others = [];
  const taken = new Set<string>();
  for (;;) {
    const object = {
      metadata: { namespace: 'a', name: `s${others.length}` },
      spec: { type: 'ClusterIP', clusterIP: '' },
    };
    const { object: made, errors } = allocateService(object, {
      ranges: [range],
      isTaken: (address) => taken.has(address),
      takenNodePorts: () => new Set(),
      random: () => random.next(),
    });
    if (errors.length > 0) break;
    others.push(made);
    taken.add((made['spec'] as { clusterIP: string }).clusterIP);
  }
  const last = others.map((each) => Number((each['spec'] as { clusterIP: string }).clusterIP.split('.')[3]));
  // All but the network's own, the first (of the kubernetes service) and the last one.
  expect(new Set(last).size).toBe(29);
  expect(last.slice(0, 14).every((value) => value >= 17)).toBe(true);
});

it('a look at what is stored finds what is given twice or outside', () => {
  const service = (name: string, clusterIP: string) => ({ metadata: { namespace: 'n', name }, spec: { clusterIP } });
  const all = [service('a', '10.0.0.1'), service('b', '10.0.0.1'), service('c', '11.0.0.1'), service('d', 'None')];
  expect(problemsOf(all, (ip) => ip.startsWith('10.'))).toEqual([
    { service: 'n/b', text: '10.0.0.1 is also the address of n/a' },
    { service: 'n/c', text: '11.0.0.1 is not within the service range' },
  ]);
});
