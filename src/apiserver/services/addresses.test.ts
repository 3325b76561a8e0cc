/** ServiceCIDRs and IPAddresses: who has which address, with one server and with two on one store. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Logger, silentLogger } from '../../lib/index.ts';
import { createManualClock, type ManualClock } from '../../lib/manual-clock.node.ts';
import { createMemoryStore, type Store } from '../../store/index.ts';
import { type Answer, type Loose, startTestServer, type TestServer } from '../test-server.ts';

const SERVICES = '/api/v1/namespaces/default/services';
const NETWORKING = '/apis/networking.k8s.io/v1';
const ADDRESSES = `${NETWORKING}/ipaddresses`;
const CIDRS = `${NETWORKING}/servicecidrs`;
const MERGE = { 'content-type': 'application/merge-patch+json' };

let clock: ManualClock;
let store: Store;
let api: TestServer;
beforeEach(async () => {
  clock = createManualClock();
  store = createMemoryStore({ clock });
  api = await startTestServer({ clock, store });
});
afterEach(() => api.close());

function post(name: string, spec: object = {}, server = api, query = ''): Promise<Answer> {
  const object = { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } };
  return server.call('POST', `${SERVICES}${query}`, object);
}

async function addresses(server = api): Promise<string[]> {
  const { body } = await server.call('GET', ADDRESSES);
  return body.items.map((item: Loose) => `${item.metadata.name} ${item.spec.parentRef.name}`);
}

function warnings(): { readonly logger: Logger; readonly texts: string[] } {
  const texts: string[] = [];
  return { logger: { ...silentLogger, warn: (text) => void texts.push(text) }, texts };
}

const SYSTEM = ['10.96.0.1 kubernetes', '10.96.0.10 kube-dns'];

describe('the range of the cluster', () => {
  it('is an object that is ready and held', async () => {
    const { body } = await api.call('GET', `${CIDRS}/kubernetes`);
    expect(body).toMatchObject({
      metadata: { finalizers: ['networking.k8s.io/service-cidr-finalizer'] },
      spec: { cidrs: ['10.96.0.0/16'] },
      status: { conditions: [{ type: 'Ready', status: 'True', reason: '' }] },
    });
    expect(body.metadata.generation).toBeUndefined();
  });

  it('stays what it is when the setting becomes another one', async () => {
    const other = createMemoryStore({ clock });
    const { logger, texts } = warnings();
    const first = await startTestServer({ clock, store: other, serviceCidr: '10.50.0.0/24' });
    await first.server.close();
    const second = await startTestServer({ clock, store: other, logger, serviceCidr: '10.60.0.0/24' });
    const { body } = await post('a', {}, second);
    expect(body.spec.clusterIP).toMatch(/^10\.50\.0\./);
    await clock.advance(200_000);
    expect(texts.filter((text) => text === 'service range kept')).toHaveLength(1);
    await second.close();
  });

  it('prints as upstream does', async () => {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const ranges = (await api.call('GET', CIDRS, undefined, { accept })).body;
    expect(ranges.rows[0].cells.slice(0, 2)).toEqual(['kubernetes', '10.96.0.0/16']);
    const given = (await api.call('GET', ADDRESSES, undefined, { accept })).body;
    expect(given.rows.map((row: Loose) => row.cells.slice(0, 2))).toEqual([
      ['10.96.0.1', 'services/default/kubernetes'],
      ['10.96.0.10', 'services/kube-system/kube-dns'],
    ]);
  });

  it.each<[string, object, string]>([
    ['none', { cidrs: [] }, 'spec.cidrs: Required value: at least one CIDR required'],
    ['three', { cidrs: ['10.0.0.0/24', '::/64', '10.0.1.0/24'] }, 'may only hold up to 2 values'],
    ['two of a family', { cidrs: ['10.0.0.0/24', '10.0.1.0/24'] }, 'no more than one IP for each IP family'],
    ['no range', { cidrs: ['10.0.0.0'] }, 'spec.cidrs[0]: Invalid value: "10.0.0.0": must be a valid CIDR value'],
    ['loose bits', { cidrs: ['10.0.0.1/24'] }, 'must not have bits set beyond the prefix length'],
  ])('is refused with %s', async (_, spec, text) => {
    const { status, body } = await api.call('POST', CIDRS, { metadata: { name: 'a' }, spec });
    expect([status, body.message]).toEqual([422, expect.stringContaining(text)]);
  });

  it('may get a second family, and never another range', async () => {
    await api.call('POST', CIDRS, { metadata: { name: 'a' }, spec: { cidrs: ['10.0.0.0/24'] } });
    const change = (cidrs: string[]) => api.call('PATCH', `${CIDRS}/a`, { spec: { cidrs } }, MERGE);
    expect((await change(['10.0.1.0/24'])).body.message).toContain(
      'spec.cidrs[0]: Invalid value: "10.0.1.0/24": field is immutable',
    );
    expect((await change(['10.0.0.0/24', 'fd00::/112'])).status).toBe(200);
    expect((await change(['10.0.0.0/24'])).status).toBe(422);
  });

  it('says nothing about itself: its status is for the controller', async () => {
    const status = {
      conditions: [{ type: 'Ready', status: 'True', reason: '', message: '', lastTransitionTime: null }],
    };
    await api.call('POST', CIDRS, { metadata: { name: 'a' }, spec: { cidrs: ['10.7.0.0/24'] }, status });
    expect((await api.call('GET', `${CIDRS}/a`)).body.status).toEqual({});
    expect((await post('a', { clusterIP: '10.7.0.9' })).body.message).toContain('not in the valid range');
  });
});

describe('an address', () => {
  it('is an object of its own while a service has it', async () => {
    const { clusterIP } = (await post('a')).body.spec;
    expect((await api.call('GET', `${ADDRESSES}/${clusterIP}`)).body).toMatchObject({
      metadata: {
        name: clusterIP,
        labels: {
          'ipaddress.kubernetes.io/ip-family': 'IPv4',
          'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
        },
      },
      spec: { parentRef: { resource: 'services', namespace: 'default', name: 'a' } },
    });
    await api.call('DELETE', `${SERVICES}/a`);
    expect(await addresses()).toEqual(SYSTEM);
  });

  it('comes and goes with what a service is', async () => {
    await post('a', { type: 'ExternalName', externalName: 'example.com', ports: [] });
    expect(await addresses()).toEqual(SYSTEM);
    const { body } = await api.call(
      'PATCH',
      `${SERVICES}/a`,
      { spec: { type: 'NodePort', externalName: null, ports: [{ port: 80 }] } },
      MERGE,
    );
    expect(await addresses()).toEqual([...SYSTEM, `${body.spec.clusterIP} a`].toSorted());
    await api.call('PATCH', `${SERVICES}/a`, { spec: { type: 'ExternalName', externalName: 'example.com' } }, MERGE);
    expect(await addresses()).toEqual(SYSTEM);
    await post('headless', { clusterIP: 'None' });
    expect(await addresses()).toEqual(SYSTEM);
  });

  it('is not given by a dry run, nor by a request that is refused', async () => {
    expect((await post('a', {}, api, '?dryRun=All')).body.spec.clusterIP).toMatch(/^10\.96\./);
    expect((await post('kubernetes')).status).toBe(409);
    expect((await post('b', { ports: [] })).status).toBe(422);
    await post('c');
    const before = await addresses();
    expect((await api.call('DELETE', `${SERVICES}/c?dryRun=All`)).status).toBe(200);
    expect(await addresses()).toEqual(before);
  });

  it('goes when the finalizer that held its service goes, and with a collection', async () => {
    await api.call('POST', SERVICES, {
      metadata: { name: 'a', finalizers: ['x.example/y'] },
      spec: { ports: [{ port: 1 }] },
    });
    await api.call('DELETE', `${SERVICES}/a`);
    expect(await addresses()).toHaveLength(3);
    await api.call('PATCH', `${SERVICES}/a`, { metadata: { finalizers: null } }, MERGE);
    expect(await addresses()).toEqual(SYSTEM);
    await api.call('POST', SERVICES, { metadata: { name: 'b', labels: { x: 'y' } }, spec: { ports: [{ port: 1 }] } });
    await api.call('DELETE', `${SERVICES}?labelSelector=x%3Dy`);
    expect(await addresses()).toEqual(SYSTEM);
  });

  it('that somebody keeps by hand is nobody’s', async () => {
    const object = { metadata: { name: '10.96.0.77' }, spec: { parentRef: { resource: 'machines', name: 'm' } } };
    expect((await api.call('POST', ADDRESSES, object)).status).toBe(201);
    expect((await post('a', { clusterIP: '10.96.0.77' })).body.message).toContain('provided IP is already allocated');
    await clock.advance(180_000);
    expect((await api.call('GET', `${ADDRESSES}/10.96.0.77`)).status).toBe(200);
  });

  it.each<[string, string, object, string]>([
    ['a name that is no address', 'x', { parentRef: { resource: 'a', name: 'b' } }, 'must be a valid IP address'],
    [
      'another spelling',
      'fd00:0::1',
      { parentRef: { resource: 'a', name: 'b' } },
      'must be in canonical form ("fd00::1")',
    ],
    ['nobody', '10.0.0.1', {}, 'spec.parentRef: Required value'],
    ['nothing', '10.0.0.1', { parentRef: { name: 'b' } }, 'spec.parentRef.resource: Required value'],
    ['no name', '10.0.0.1', { parentRef: { resource: 'a' } }, 'spec.parentRef.name: Required value'],
  ])('is refused with %s', async (_, name, spec, text) => {
    const { status, body } = await api.call('POST', ADDRESSES, { metadata: { name }, spec });
    expect([status, body.message]).toEqual([422, expect.stringContaining(text)]);
  });

  it('does not change hands', async () => {
    const { clusterIP } = (await post('a')).body.spec;
    const change = { spec: { parentRef: { name: 'b' } } };
    const { status, body } = await api.call('PATCH', `${ADDRESSES}/${clusterIP}`, change, MERGE);
    expect([status, body.message]).toEqual([422, expect.stringContaining('spec.parentRef: Invalid value')]);
  });
});

/** As clients do it that read a service, change its type and put all of it back (the conformance tests of type changes). */
describe('a service of another type', () => {
  const change = async (name: string, spec: object): Promise<Loose> => {
    const { body } = await api.call('GET', `${SERVICES}/${name}`);
    const answer = await api.call('PUT', `${SERVICES}/${name}`, { ...body, spec: { ...body.spec, ...spec } });
    expect([answer.status, answer.body.message]).toEqual([200, undefined]);
    return answer.body.spec;
  };
  const external = { type: 'ExternalName', externalName: 'example.com' };

  it('from ClusterIP to ExternalName loses its address', async () => {
    await post('a');
    const spec = await change('a', external);
    expect(spec).toEqual({
      ...external,
      ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
      sessionAffinity: 'None',
    });
    expect(await addresses()).toEqual(SYSTEM);
  });

  it('from ExternalName to ClusterIP gets one', async () => {
    await post('a', { ...external, ports: [] });
    const spec = await change('a', { type: 'ClusterIP', externalName: '', ports: [{ port: 80, protocol: 'TCP' }] });
    expect(spec.clusterIP).toMatch(/^10\.96\./);
    expect(spec.externalName).toBeUndefined();
    expect(await addresses()).toContain(`${spec.clusterIP} a`);
  });

  it('from ExternalName to NodePort gets a port of the nodes, too', async () => {
    await post('a', { ...external, ports: [] });
    const spec = await change('a', { type: 'NodePort', externalName: '', ports: [{ port: 80, protocol: 'TCP' }] });
    expect(spec.ports[0].nodePort).toBeGreaterThanOrEqual(30_000);
    expect(await addresses()).toContain(`${spec.clusterIP} a`);
  });

  it('from NodePort to ExternalName gives back both', async () => {
    const { nodePort } = (await post('a', { type: 'NodePort' })).body.spec.ports[0];
    const spec = await change('a', external);
    expect([spec.clusterIP, spec.ports[0].nodePort]).toEqual([undefined, undefined]);
    expect(await addresses()).toEqual(SYSTEM);
    expect((await post('b', { type: 'NodePort', ports: [{ port: 1, nodePort }] })).status).toBe(201);
  });
});

describe('two servers on one store', () => {
  it('never give one address twice', async () => {
    const other = await startTestServer({ clock, store, seed: 1 });
    // Both draw the same random numbers, and neither waits for the other's writes.
    const wanted = Array.from({ length: 20 }, (_, at) => at);
    const answers = await Promise.all(
      wanted.flatMap((at) => [
        post(`a${at}`, {}, api),
        post(`b${at}`, {}, other),
        post(`c${at}`, { clusterIP: `10.96.1.${at}` }, at % 2 ? api : other),
        post(`d${at}`, { clusterIP: `10.96.1.${at}` }, at % 2 ? other : api),
      ]),
    );
    const given = answers.filter(({ status }) => status === 201).map(({ body }) => body.spec.clusterIP);
    expect(new Set(given).size).toBe(given.length);
    expect(given).toHaveLength(60);
    expect(answers.filter(({ status }) => status !== 201).map(({ status }) => status)).toEqual(wanted.map(() => 422));
    expect(await addresses()).toHaveLength(62);
    await other.server.close();
  });
});

describe('ports of the nodes, with two servers on one store', () => {
  let other: TestServer;
  beforeEach(async () => {
    other = await startTestServer({ clock, store, seed: 1 });
  });
  afterEach(() => other.server.close());
  const portsOf = ({ body }: Answer): number[] => [
    ...body.spec.ports.map(({ nodePort }: Loose) => nodePort),
    ...(body.spec.healthCheckNodePort === undefined ? [] : [body.spec.healthCheckNodePort]),
  ];
  const records = async (): Promise<string[]> =>
    (await store.list('/registry/ranges/servicenodeports/', {})).entries.map(({ key }) => key.split('/').at(-1) ?? '');

  it('are never given twice', async () => {
    const wanted = Array.from({ length: 20 }, (_, at) => at);
    const both = [
      { port: 1, protocol: 'TCP' },
      { port: 1, protocol: 'UDP', name: 'u' },
    ];
    const answers = await Promise.all(
      wanted.flatMap((at) => [
        post(`a${at}`, { type: 'NodePort' }, api),
        post(`b${at}`, { type: 'LoadBalancer', externalTrafficPolicy: 'Local' }, other),
        post(`c${at}`, { type: 'NodePort', ports: [{ port: 1, nodePort: 30_500 + at }] }, at % 2 ? api : other),
        post(`d${at}`, { type: 'NodePort', ports: [{ port: 1, nodePort: 30_500 + at }] }, at % 2 ? other : api),
        post(
          `e${at}`,
          { type: 'NodePort', ports: both.map((each) => ({ ...each, name: each.protocol.toLowerCase() })) },
          other,
        ),
      ]),
    );
    const given = answers.filter(({ status }) => status === 201).flatMap((answer) => [...new Set(portsOf(answer))]);
    expect(answers.filter(({ status }) => status !== 201).map(({ status }) => status)).toEqual(wanted.map(() => 422));
    expect(new Set(given).size).toBe(given.length);
    expect((await records()).toSorted()).toEqual(given.map(String).toSorted());
  });

  it('are given back with the change, and with the service', async () => {
    await post('a', { type: 'NodePort', ports: [{ port: 1, nodePort: 30_600 }] });
    await api.call('PATCH', `${SERVICES}/a`, { spec: { ports: [{ port: 1, nodePort: 30_601 }] } }, MERGE);
    expect(await records()).toEqual(['30601']);
    expect((await post('b', { type: 'NodePort', ports: [{ port: 1, nodePort: 30_600 }] }, other)).status).toBe(201);
    await other.call('DELETE', `${SERVICES}/a`);
    await other.call('PATCH', `${SERVICES}/b`, { spec: { type: 'ClusterIP' } }, MERGE);
    expect(await records()).toEqual([]);
  });

  it('stay with whoever is refused nothing: a dry run and an invalid service take none', async () => {
    const spec = { type: 'NodePort', ports: [{ port: 1, nodePort: 30_600 }] };
    expect((await post('a', spec, api, '?dryRun=All')).status).toBe(201);
    expect((await post('A!', spec)).status).toBe(422);
    expect(await records()).toEqual([]);
  });

  it('are repaired: missing records are made, and those of no service go after a while', async () => {
    await post('a', { type: 'NodePort', ports: [{ port: 1, nodePort: 30_600 }] });
    const [entry] = (await store.list('/registry/ranges/servicenodeports/', {})).entries;
    if (entry === undefined) throw new Error('no record');
    const left = new TextDecoder().decode(entry.value).replaceAll('"a"', '"gone"').replaceAll('30600', '30700');
    await store.put('/registry/ranges/servicenodeports/30700', new TextEncoder().encode(left), 0);
    await store.delete(entry.key, entry.revision);
    await clock.advance(130_000);
    expect(await records()).toEqual(['30600']);
  });
});

describe('the repair', () => {
  it('makes addresses of services that a server without them left, and changes no service', async () => {
    await post('a', { clusterIP: '10.96.0.42' });
    const { body: before } = await api.call('GET', SERVICES);
    await api.server.close();
    for (const { key, revision } of (await store.list('/registry/ipaddresses/', {})).entries)
      await store.delete(key, revision);
    for (const { key, revision } of (await store.list('/registry/servicecidrs/', {})).entries)
      await store.delete(key, revision);
    api = await startTestServer({ clock, store });
    expect(await addresses()).toEqual([...SYSTEM, '10.96.0.42 a']);
    expect((await api.call('GET', SERVICES)).body.items).toEqual(before.items);
    expect((await post('b', { clusterIP: '10.96.0.42' })).status).toBe(422);
  });

  it('brings back an address that somebody deleted, and removes one of no service after a while', async () => {
    const { clusterIP } = (await post('a')).body.spec;
    await api.call('DELETE', `${ADDRESSES}/${clusterIP}`);
    const labels = { 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' };
    const orphan = {
      metadata: { name: '10.96.0.99', labels },
      spec: { parentRef: { resource: 'services', namespace: 'default', name: 'gone' } },
    };
    await api.call('POST', ADDRESSES, orphan);
    expect(await addresses()).toContain('10.96.0.99 gone');
    await clock.advance(130_000);
    expect(await addresses()).toEqual([...SYSTEM, `${clusterIP} a`].toSorted());
  });
});

describe('the service of the DNS', () => {
  const url = '/api/v1/namespaces/kube-system/services/kube-dns';
  it('has the tenth address, both protocols and no selector', async () => {
    const { body } = await api.call('GET', url);
    expect(body.metadata).toMatchObject({
      labels: { 'k8s-app': 'kube-dns', 'kubernetes.io/cluster-service': 'true' },
      annotations: { 'mendlet.dev/node-dns': 'true' },
    });
    expect(body.spec).toMatchObject({
      clusterIP: '10.96.0.10',
      ports: [
        { name: 'dns', port: 53, protocol: 'UDP' },
        { name: 'dns-tcp', port: 53, protocol: 'TCP' },
      ],
    });
    expect(body.spec.selector).toBeUndefined();
  });

  it('comes back, unless somebody has one of his own', async () => {
    await api.call('PATCH', url, { spec: { selector: { 'k8s-app': 'kube-dns' } } }, MERGE);
    await clock.advance(61_000);
    expect((await api.call('GET', url)).body.spec.selector).toEqual({ 'k8s-app': 'kube-dns' });
    await api.call('DELETE', url);
    await clock.advance(61_000);
    expect((await api.call('GET', url)).body.spec.selector).toBeUndefined();
  });

  it('is not made where another service has its address, and that is told once', async () => {
    await api.call('DELETE', url);
    await post('mine', { clusterIP: '10.96.0.10' });
    await api.server.close();
    const { logger, texts } = warnings();
    api = await startTestServer({ clock, store, logger });
    await clock.advance(200_000);
    expect((await api.call('GET', url)).status).toBe(404);
    expect(texts.filter((text) => text === 'no service for the DNS of the cluster')).toHaveLength(1);
  });
});
