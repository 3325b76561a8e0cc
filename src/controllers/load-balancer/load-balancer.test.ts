import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/support/in-memory-api.ts';
import { type RunningControllers, startControllers } from '../../../test/support/running-controllers.ts';
import {
  type EndpointSlice,
  EVENTS,
  type Node,
  NODES,
  type Service,
  SERVICES,
  type ServiceSpec,
} from '../../api/index.ts';
import { externalIpProblems } from './external-ips.ts';
import { BALANCER_ANNOTATION, BALANCER_VALUE } from '../../network/index.ts';
import { type BalancerFacts, planBalancers } from './plan-balancers.ts';

function node(
  name: string,
  internal: string,
  more: { external?: string; ready?: boolean; labels?: Record<string, string> } = {},
): Node {
  const { external, ready = true, labels } = more;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, ...(labels && { labels }) },
    spec: { podCIDRs: ['10.244.0.0/24'] },
    status: {
      addresses: [
        { type: 'InternalIP', address: internal },
        ...(external === undefined ? [] : [{ type: 'ExternalIP', address: external }]),
        { type: 'Hostname', address: name },
      ],
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'Unknown' }],
    },
  };
}

function balancer(name: string, port: number, more: Partial<ServiceSpec> = {}, age = '2026-01-01T00:00:00Z'): Service {
  return {
    metadata: { namespace: 'default', name, creationTimestamp: age },
    spec: { type: 'LoadBalancer', ports: [{ port, protocol: 'TCP', nodePort: 30_000 + port }], ...more },
  };
}

const NODES_OF_TWO = [node('n1', '192.0.2.1', { external: '203.0.113.1' }), node('n2', '192.0.2.2')];

function decide(services: readonly Service[], more: Partial<BalancerFacts> = {}): Record<string, string> {
  const decisions = planBalancers({ services, nodes: NODES_OF_TWO, slicesOf: () => [], ...more });
  const text = decisions.map(({ service, ingress, problem }) => [
    service.metadata?.name ?? '',
    [...ingress.map(({ ip }) => ip), ...(problem === undefined ? [] : [problem])].join(' '),
  ]);
  return Object.fromEntries(text);
}

describe('the plan', () => {
  const all = '203.0.113.1 192.0.2.1 192.0.2.2';

  it('gives the addresses of all ready nodes, outer ones first', () => {
    expect(decide([balancer('a', 80)])).toEqual({ a: all });
    const nodes = [...NODES_OF_TWO, node('n3', '192.0.2.3', { ready: false })];
    const label = { 'node.kubernetes.io/exclude-from-external-load-balancers': '' };
    expect(decide([balancer('a', 80)], { nodes: [...nodes, node('n4', '192.0.2.4', { labels: label })] })).toEqual({
      a: all,
    });
  });

  it('leaves services of other classes, of other types and of other givers alone', () => {
    const given = { ...balancer('c', 82), status: { loadBalancer: { ingress: [{ ip: '198.51.100.1' }] } } };
    const others = [
      balancer('a', 80, { loadBalancerClass: 'x.example/y' }),
      balancer('b', 81, { type: 'NodePort' }),
      given,
    ];
    expect(decide(others)).toEqual({});
  });

  it('gives a port to the oldest service that wants it, and says so to the others', () => {
    const young = balancer('young', 80, {}, '2026-01-02T00:00:00Z');
    const old = balancer('zold', 80);
    expect(decide([young, old])).toEqual({
      zold: all,
      young: 'port 80/TCP of the nodes belongs to service default/zold',
    });
    const udp = balancer('udp', 80, { ports: [{ port: 80, protocol: 'UDP' }] });
    expect(decide([young, udp])).toEqual({ young: all, udp: all });
  });

  it.each([
    [53, 'port 53/TCP of the nodes belongs to the DNS of the cluster'],
    [6443, 'port 6443/TCP of the nodes belongs to the API server'],
    [10_250, 'port 10250/TCP of the nodes belongs to the kubelet'],
  ])('gives no address for port %d', (port, text) => {
    expect(decide([balancer('a', port, { ports: [{ port }] })])).toEqual({ a: text });
  });

  it('gives no address for the node port of a service', () => {
    const other = balancer('other', 80, { type: 'NodePort' });
    const ports = [{ port: 30_080, protocol: 'TCP' }];
    expect(decide([other, balancer('a', 1, { ports })])).toEqual({
      a: 'port 30080/TCP of the nodes belongs to service default/other as a node port',
    });
  });

  it('gives no address of a node whose machine has the port itself', () => {
    const [first, second] = NODES_OF_TWO as [Node, Node];
    const busy = (each: Node, ports: string): Node => ({
      ...each,
      metadata: { ...each.metadata, annotations: { 'mendlet.dev/taken-ports': ports } },
    });
    const nodes = [busy(first, '443/TCP,80/TCP'), second];
    expect(decide([balancer('a', 80)], { nodes })).toEqual({ a: '192.0.2.2' });
    expect(decide([balancer('a', 8080)], { nodes })).toEqual({ a: all });
    expect(decide([balancer('a', 80)], { nodes: [busy(first, '80/TCP'), busy(second, '80/TCP')] })).toEqual({
      a: 'port 80/TCP of node n1 is in use by a program or a pod of that machine; other nodes: 1',
    });
  });

  it.each<[string, EndpointSlice['endpoints'], string]>([
    ['one with an endpoint', [{ addresses: ['10.0.0.1'], nodeName: 'n2', conditions: { ready: true } }], '192.0.2.2'],
    [
      'those with one that is not ready when none is, and it serves',
      [{ addresses: ['10.0.0.1'], nodeName: 'n2', conditions: { ready: false, serving: true, terminating: true } }],
      '192.0.2.2',
    ],
    [
      'none without an endpoint',
      [{ addresses: ['10.0.0.1'], nodeName: 'n2', conditions: { ready: false } }],
      'no ready node has an endpoint of it, and its external traffic policy is Local',
    ],
  ])('under the policy Local the nodes are %s', (_, endpoints, text) => {
    const slice: EndpointSlice = { addressType: 'IPv4', endpoints };
    expect(decide([balancer('a', 80, { externalTrafficPolicy: 'Local' })], { slicesOf: () => [slice] })).toEqual({
      a: text,
    });
  });

  it('keeps what it gave while no node is ready, and takes it when the type changes', () => {
    const given = (service: Service): Service => ({
      ...service,
      metadata: { ...service.metadata, annotations: { [BALANCER_ANNOTATION]: BALANCER_VALUE } },
      status: { loadBalancer: { ingress: [{ ip: '192.0.2.9', ipMode: 'VIP' }] } },
    });
    expect(decide([given(balancer('a', 80))], { nodes: [] })).toEqual({ a: '192.0.2.9 no node is ready' });
    expect(decide([given(balancer('a', 80, { type: 'ClusterIP' }))])).toEqual({ a: '' });
  });
});

it.each<[string, string | undefined]>([
  ['192.0.2.2', 'is an address of node n2'],
  ['10.96.3.4', 'is in the range of service addresses'],
  ['10.244.0.9', 'is in the range of pod addresses of node n1'],
  ['198.51.100.7', undefined],
])('external address %s', (address, problem) => {
  const problems = externalIpProblems(
    { spec: { externalIPs: [address] } },
    { nodes: NODES_OF_TWO, serviceCidrs: ['10.96.0.0/16'] },
  );
  expect(problems).toEqual(problem === undefined ? [] : [`external address ${address} is not routed: it ${problem}`]);
});

describe('with a server', () => {
  let cluster: RunningControllers;
  beforeEach(async () => {
    cluster = await startControllers(async ({ client }) => {
      for (const [name, ip] of [
        ['n1', '192.0.2.1'],
        ['n2', '192.0.2.2'],
      ] as const) {
        const made = node(name, ip);
        await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name } });
        await client.patch(NODES, undefined, name, 'merge', { status: made.status }, 'status');
      }
    });
  });
  afterEach(() => cluster.stop());

  const make = (name: string, spec: Partial<ServiceSpec> = {}): Promise<Service> =>
    cluster.client.create(SERVICES, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { namespace: 'default', name },
      spec: { type: 'LoadBalancer', ports: [{ port: 80 }], ...spec },
    });
  const ips = async (name: string): Promise<string> => {
    const { status } = await cluster.client.get(SERVICES, 'default', name);
    return (status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip).join(' ');
  };

  it('a service is told where it is, the next one of its port why not, and gets it when the first is gone', async () => {
    await make('a');
    await until(async () => (await ips('a')) === '192.0.2.1 192.0.2.2', 'addresses');
    await make('b');
    const told = async (): Promise<boolean> => {
      const { items } = await cluster.client.list(EVENTS, { namespace: 'default' });
      return items.some(
        ({ reason, message = '' }) => reason === 'SyncLoadBalancerFailed' && message.includes('default/a'),
      );
    };
    await until(told, 'an event');
    expect(await ips('b')).toBe('');
    await cluster.client.patch(SERVICES, 'default', 'a', 'merge', { spec: { type: 'ClusterIP' } });
    await until(async () => (await ips('b')) === '192.0.2.1 192.0.2.2', 'the port of the first');
    expect(await ips('a')).toBe('');
  });

  it('a node whose machine takes the port is left out, and is back when the port is free', async () => {
    await make('a');
    await until(async () => (await ips('a')) === '192.0.2.1 192.0.2.2', 'addresses');
    const say = (ports: string | null): Promise<unknown> => {
      const metadata = { annotations: { 'mendlet.dev/taken-ports': ports } };
      return cluster.client.patch(NODES, undefined, 'n1', 'merge', { metadata });
    };
    await say('80/TCP');
    await until(async () => (await ips('a')) === '192.0.2.2', 'one address less');
    await say(null);
    await until(async () => (await ips('a')) === '192.0.2.1 192.0.2.2', 'both addresses');
  });

  it('what another controller gives to its class stays', async () => {
    await make('a', { loadBalancerClass: 'x.example/y' });
    const status = { loadBalancer: { ingress: [{ ip: '203.0.113.1' }] } };
    await cluster.client.patch(SERVICES, 'default', 'a', 'merge', { status }, 'status');
    await make('b');
    await until(async () => (await ips('b')) !== '', 'addresses');
    expect(await ips('a')).toBe('203.0.113.1');
  });
});
