import { describe, expect, it } from 'vitest';
import type { Endpoint, EndpointSlice, Service } from '../../api/index.ts';
import type { Verdict } from '../services/local-verdicts.ts';
import { type Front, planService, type RoutingNode, type ServicePlan } from './service-fronts.ts';

const web: Service = {
  metadata: { namespace: 'team', name: 'web' },
  spec: { clusterIP: '10.96.0.10', ports: [{ name: 'http', port: 80 }] },
};

interface Pod {
  readonly ip: string;
  readonly node?: string;
  readonly ready?: boolean;
  readonly serving?: boolean;
  readonly terminating?: boolean;
  readonly zone?: string;
}

function endpoint({ ip, node = 'here', ready = true, serving = ready, terminating = false, zone }: Pod): Endpoint {
  return {
    addresses: [ip],
    nodeName: node,
    conditions: { ready, serving, terminating },
    targetRef: { kind: 'Pod', uid: `uid-${ip}` },
    ...(zone !== undefined && { hints: { forZones: [{ name: zone }] } }),
  };
}

function slice(pods: readonly Pod[], port = 8080, protocol = 'TCP', name = 'http'): EndpointSlice {
  return { addressType: 'IPv4', ports: [{ name, port, protocol }], endpoints: pods.map(endpoint) };
}

function node(verdicts: Readonly<Record<string, Verdict>> = {}, more: Partial<RoutingNode> = {}): RoutingNode {
  return { nodeName: 'here', zone: 'a', nodeDns: undefined, verdictOf: (uid) => verdicts[uid], ...more };
}

function plan(spec: object, pods: readonly Pod[], who = node(), status: object = {}): ServicePlan {
  return planService({ ...web, spec: { ...web.spec, ...spec }, status }, [slice(pods)], who);
}

/** "10.96.0.10 . tcp . 80 → 10.0.0.1 . 8080" */
function told({ key, near, far }: Front): string {
  const text = (choice: Front['near']): string => (choice.does === 'send' ? choice.targets.join(', ') : choice.does);
  return `${key} → ${text(near)}${far === undefined ? '' : ` | ${text(far)}`}`;
}

const A = { ip: '10.0.0.1' };
const B = { ip: '10.0.0.2', node: 'there' };
const IP = '10.96.0.10 . tcp . 80';

describe('a cluster IP', () => {
  const cases: readonly [string, object, readonly Pod[], Readonly<Record<string, Verdict>>, string][] = [
    ['all ready endpoints', {}, [A, B], {}, `${IP} → 10.0.0.1 . 8080, 10.0.0.2 . 8080`],
    ['none', {}, [], {}, `${IP} → refuse`],
    ['none that is ready', {}, [{ ...A, ready: false }], {}, `${IP} → refuse`],
    [
      'ends, but serves, and there is no other',
      {},
      [{ ...A, ready: false, serving: true, terminating: true }],
      {},
      `${IP} → 10.0.0.1 . 8080`,
    ],
    [
      'ends, and there is another',
      {},
      [{ ...A, ready: false, serving: true, terminating: true }, B],
      {},
      `${IP} → 10.0.0.2 . 8080`,
    ],
    ['died here', {}, [A, B], { 'uid-10.0.0.1': 'dead' }, `${IP} → 10.0.0.2 . 8080`],
    ['its network is gone', {}, [A], { 'uid-10.0.0.1': 'gone' }, `${IP} → refuse`],
    ['is not ready here', {}, [A, B], { 'uid-10.0.0.1': 'unready' }, `${IP} → 10.0.0.2 . 8080`],
    [
      'is not ready here, and that is no matter',
      { publishNotReadyAddresses: true },
      [A, B],
      { 'uid-10.0.0.1': 'unready' },
      `${IP} → 10.0.0.1 . 8080, 10.0.0.2 . 8080`,
    ],
    [
      'died here, and unready ones are published',
      { publishNotReadyAddresses: true },
      [A, B],
      { 'uid-10.0.0.1': 'dead' },
      `${IP} → 10.0.0.2 . 8080`,
    ],
    ['policy Local', { internalTrafficPolicy: 'Local' }, [A, B], {}, `${IP} → 10.0.0.1 . 8080`],
    ['policy Local, none here', { internalTrafficPolicy: 'Local' }, [B], {}, `${IP} → drop`],
    ['policy Local, none anywhere', { internalTrafficPolicy: 'Local' }, [], {}, `${IP} → refuse`],
    [
      'hints for zones',
      {},
      [
        { ...A, zone: 'a' },
        { ...B, zone: 'b' },
      ],
      {},
      `${IP} → 10.0.0.1 . 8080`,
    ],
    ['an address that is none', {}, [{ ip: '10.0.0.1 } ; flush ruleset' }, B], {}, `${IP} → 10.0.0.2 . 8080`],
    ['an octal spelling', {}, [{ ip: '010.0.0.1' }], {}, `${IP} → refuse`],
  ];
  it.each(cases)('%s', (_, spec, pods, verdicts, wanted) => {
    expect(plan(spec, pods, node(verdicts)).fronts.map(told)).toEqual([wanted]);
  });

  it('headless, a name, or another family: nothing', () => {
    expect(plan({ clusterIP: 'None' }, [A]).fronts).toEqual([]);
    expect(plan({ type: 'ExternalName' }, [A]).fronts).toEqual([]);
    expect(plan({ clusterIP: 'fd00::1' }, [A]).fronts).toEqual([]);
  });

  it('several slices with ports of their own, and a protocol that is not routed', () => {
    const ports = [
      { name: 'http', port: 80 },
      { name: 'dns', port: 53, protocol: 'UDP' },
      { name: 's', port: 9, protocol: 'SCTP' },
    ];
    const { fronts, leftOut } = planService(
      { ...web, spec: { ...web.spec, ports } },
      [slice([A]), slice([A], 9090), slice([B], 5353, 'UDP', 'dns')],
      node(),
    );
    expect(fronts.map(told)).toEqual([
      `${IP} → 10.0.0.1 . 8080, 10.0.0.1 . 9090`,
      '10.96.0.10 . udp . 53 → 10.0.0.2 . 5353',
    ]);
    expect(leftOut).toEqual(['port 9/SCTP']);
  });
});

describe('fronts outside', () => {
  const external = {
    type: 'LoadBalancer',
    ports: [{ name: 'http', port: 80, nodePort: 30_080 }],
    externalIPs: ['192.0.2.1', '2001:db8::1'],
    loadBalancerSourceRanges: ['198.51.100.0/24 ', '198.51.100.7/32', 'nonsense'],
  };
  const status = {
    loadBalancer: { ingress: [{ ip: '192.0.2.2' }, { ip: '192.0.2.3', ipMode: 'Proxy' }, { hostname: 'h' }] },
  };

  it('external IPs, addresses of a balancer, and a port of the node', () => {
    const { fronts } = plan(external, [A, B], node(), status);
    expect(fronts.map(({ key, external: isExternal }) => `${key} ${isExternal}`)).toEqual([
      `${IP} false`,
      '192.0.2.1 . tcp . 80 true',
      '192.0.2.2 . tcp . 80 true',
      'tcp . 30080 true',
    ]);
    expect(fronts.map(({ sources }) => sources)).toEqual([undefined, undefined, ['198.51.100.0/24'], undefined]);
  });

  it('that this node refuses are left out, with the reason', () => {
    const annotations = { 'mendlet.dev/load-balancer': 'node-addresses' };
    const asked: string[] = [];
    const who = node(
      {},
      {
        refuses: ({ ip, port, by }) => {
          asked.push(`${ip} ${port} ${by}`);
          return ip === '192.0.2.1' ? 'it is a node’s' : undefined;
        },
      },
    );
    const { fronts, leftOut } = planService(
      { ...web, metadata: { ...web.metadata, annotations }, spec: { ...web.spec, ...external }, status },
      [slice([A])],
      who,
    );
    expect(fronts.map(({ key }) => key)).toEqual([IP, '192.0.2.2 . tcp . 80', 'tcp . 30080']);
    expect(leftOut).toEqual(['port 80/TCP at 192.0.2.1: it is a node’s']);
    expect(asked).toEqual(['192.0.2.1 80/TCP externalIPs', '192.0.2.2 80/TCP nodes']);
    plan(external, [A], who, status);
    expect(asked.at(-1)).toBe('192.0.2.2 80/TCP others');
  });

  it('policy Local is for clients from elsewhere', () => {
    const { fronts } = plan({ ...external, externalTrafficPolicy: 'Local' }, [A, B], node(), status);
    expect(told(fronts[3] as Front)).toBe('tcp . 30080 → 10.0.0.1 . 8080, 10.0.0.2 . 8080 | 10.0.0.1 . 8080');
    expect(fronts[0]?.far).toBeUndefined();
  });

  it('affinity has its time-out, or the usual one', () => {
    const sessionAffinity = 'ClientIP';
    const timeout = (timeoutSeconds: number) =>
      plan({ sessionAffinity, sessionAffinityConfig: { clientIP: { timeoutSeconds } } }, [A]).fronts[0]?.affinity;
    expect(timeout(60)).toEqual({ id: '10.96.0.10-tcp-80', protocol: 'tcp', timeoutSeconds: 60 });
    expect(timeout(100_000)?.timeoutSeconds).toBe(10_800);
  });
});

it('kube-dns is answered by the node, if nobody else has endpoints for it', () => {
  const dns: Service = {
    metadata: { namespace: 'kube-system', name: 'kube-dns', annotations: { 'mendlet.dev/node-dns': 'true' } },
    spec: {
      clusterIP: '10.96.0.10',
      ports: [
        { name: 'dns', port: 53, protocol: 'UDP' },
        { name: 'metrics', port: 9153 },
      ],
    },
  };
  const who = node({}, { nodeDns: { ip: '10.244.0.1', port: 53 } });
  expect(planService(dns, [], who).fronts.map(told)).toEqual([
    '10.96.0.10 . udp . 53 → 10.244.0.1 . 53',
    '10.96.0.10 . tcp . 9153 → refuse',
  ]);
  expect(planService(dns, [slice([B], 53, 'UDP', 'dns')], who).fronts.map(told)[0]).toBe(
    '10.96.0.10 . udp . 53 → 10.0.0.2 . 53',
  );
});
