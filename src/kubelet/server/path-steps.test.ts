import { describe, expect, it } from 'vitest';
import type { KnownService, PathOutcome } from '../ports.ts';
import type { PodView } from '../types.ts';
import { type PathFacts, planPath, podsToTry, type TriedPod } from './path-plan.ts';
import { pathSteps, type PathResults } from './path-steps.ts';

const NOW = 1_000_000;
const endpoint = { ip: '10.244.0.7', port: 8080 };
const web: KnownService = {
  clusterIP: '10.96.0.9',
  ports: [{ port: 80, protocol: 'TCP', endpoints: [endpoint, { ...endpoint, ip: '10.244.0.8' }] }],
};
const client: TriedPod = {
  name: { namespace: 'shop', name: 'client' },
  dnsPolicy: 'ClusterFirst',
  nameServers: ['10.244.0.1'],
};
const whole: PathFacts = {
  wanted: { namespace: 'shop', name: 'web' },
  clusterDomain: '',
  now: NOW,
  service: web,
  routing: { table: 'mendlet-x', isThere: true, writtenAt: NOW - 3000, failure: undefined },
  dns: { address: '10.244.0.1' },
  pod: client,
};
const found: PathOutcome = { addresses: ['10.96.0.9'] };

interface Case {
  readonly facts?: Partial<PathFacts>;
  readonly dns?: PathResults['dns'];
  readonly lookup?: PathOutcome;
  readonly connections?: readonly PathOutcome[] | string;
}

/** "stage result: says (help)" of each step. */
function told({ facts, dns = found, lookup = found, connections = [{}] }: Case): readonly string[] {
  const all = { ...whole, ...facts };
  return pathSteps(all, planPath(all), { dns, lookup, connections }).map(
    ({ stage, result, says, help }) => `${stage} ${result}: ${says}${help === undefined ? '' : ` (${help})`}`,
  );
}

describe('the way to a service in words', () => {
  it('is whole', () => {
    expect(told({})).toEqual([
      'service ok: 10.96.0.9, TCP 80: 2 endpoints',
      'routing ok: nftables table ip mendlet-x is there, last looked at 3s ago',
      'DNS ok: 10.244.0.1 answers 10.96.0.9 for web.shop.svc.cluster.local',
      'pod ok: tried from pod shop/client',
      'lookup ok: 10.244.0.1 answers 10.96.0.9 for web.shop.svc.cluster.local',
      'connection ok: TCP 10.96.0.9:80: answered',
    ]);
  });

  const why = 'mendlet why svc/web -n shop';
  const headless: KnownService = { ...web, clusterIP: 'None' };
  const routing = whole.routing!;
  const log = 'the log of the node agent says more';
  it.each<[string, Case, string]>([
    ['no service', { facts: { service: undefined } }, 'service broken: there is no service shop/web (kubectl get'],
    ['not known', { facts: { service: 'the server is away' } }, `service broken: the server is away (${log})`],
    [
      'no endpoint',
      { facts: { service: { ...web, ports: [{ port: 80, protocol: 'TCP', endpoints: [] }] } } },
      `service broken: 10.96.0.9: no endpoint serves TCP 80 (${why})`,
    ],
    [
      'unknown endpoints',
      { facts: { service: { ...web, ports: [{ port: 80, protocol: 'TCP', endpoints: undefined }] } } },
      'service ok: 10.96.0.9; this node does not watch its endpoints',
    ],
    ['headless', { facts: { service: headless } }, 'service ok: headless, TCP 80: 2 endpoints'],
    [
      'alias',
      { facts: { service: { clusterIP: '', externalName: 'example.org', ports: [] } } },
      'service ok: an alias for example.org',
    ],
    ['off', { facts: { routing: undefined } }, 'routing skipped: mendlet does not route services here'],
    [
      'refused',
      { facts: { routing: { ...routing, failure: 'nft is not installed' } } },
      `routing broken: the last write of nftables table ip mendlet-x failed: nft is not installed (${log})`,
    ],
    [
      'not written',
      { facts: { routing: { ...routing, writtenAt: undefined } } },
      'routing broken: nftables table ip mendlet-x was not written yet (wait',
    ],
    [
      'removed',
      { facts: { routing: { ...routing, isThere: false } } },
      'routing broken: nftables table ip mendlet-x is gone (the node agent brings it back',
    ],
    ['DNS off', { facts: { dns: undefined } }, 'DNS skipped: mendlet does not answer DNS here'],
    ['no address', { facts: { dns: { address: undefined } } }, 'DNS broken: DNS has no address: port 53 is taken'],
    ['silent DNS', { dns: { failure: 'ETIMEOUT' } }, `DNS broken: 10.244.0.1 gave no answer within 2 s for web.shop`],
    ['not asked', { dns: 'node is not installed' }, 'DNS skipped: 10.244.0.1 was not asked: node is not installed'],
    [
      'another address',
      { dns: { addresses: ['192.0.2.1'] } },
      'DNS broken: 10.244.0.1 answers 192.0.2.1 for web.shop.svc.cluster.local, and the service has 10.96.0.9',
    ],
    ['no pod', { facts: { pod: 'no pod' } }, 'pod skipped: no pod: tried from the node alone'],
    [
      'no name',
      { lookup: { failure: 'ENOTFOUND' } },
      'lookup broken: 10.244.0.1 says that there is no such name for web.shop.svc.cluster.local (packets from the pod',
    ],
    [
      'own server',
      {
        facts: { pod: { ...client, dnsPolicy: 'None', nameServers: ['192.0.2.53'] } },
        lookup: { failure: 'ECONNREFUSED' },
      },
      'lookup broken: 192.0.2.53 refuses: nothing answers DNS there for web.shop.svc.cluster.local (the pod’s own',
    ],
    [
      'older server',
      { facts: { pod: { ...client, nameServers: ['10.9.9.9'] } }, lookup: { failure: 'EODD' } },
      'lookup broken: 10.9.9.9 failed with EODD for web.shop.svc.cluster.local (DNS of this node is at 10.244.0.1',
    ],
    [
      'Default',
      { facts: { pod: { ...client, dnsPolicy: 'Default' } } },
      'lookup skipped: the pod asks the name servers of the node (dnsPolicy Default)',
    ],
    [
      'no resolv.conf',
      { facts: { pod: { ...client, nameServers: undefined } } },
      'lookup skipped: the pod has no resolv.conf that can be read',
    ],
    [
      'no name server',
      { facts: { pod: { ...client, nameServers: [] } } },
      'lookup broken: the pod’s resolv.conf names no name server (dnsPolicy ClusterFirst',
    ],
    [
      'nobody listens',
      { connections: [{ failure: 'ECONNREFUSED', instead: { failure: 'ECONNREFUSED' } }] },
      `connection broken: TCP 10.96.0.9:80: refused (the endpoint fails as well, so it is not routing: ${why})`,
    ],
    [
      'routing',
      { connections: [{ failure: 'ETIMEOUT', instead: {} }] },
      'connection broken: TCP 10.96.0.9:80: no answer within 2 s (the endpoint answers, so it is routing or a firewall',
    ],
    [
      'routing, endpoint',
      { connections: [{ failure: 'EHOSTUNREACH', instead: {} }] },
      'endpoint ok: TCP 10.244.0.7:8080, an endpoint of it: answered',
    ],
    [
      'headless, refused',
      { facts: { service: headless }, connections: [{ failure: 'ENETUNREACH' }] },
      `connection broken: TCP 10.244.0.7:8080: no route (${why})`,
    ],
    ['not tried', { connections: 'killed' }, 'connection skipped: killed'],
  ])('%s', (_, each, wanted) => {
    expect(told(each).filter((line) => line.startsWith(wanted))).toHaveLength(1);
  });

  it('says nothing of a way that leads nowhere', () => {
    expect(told({ facts: { service: undefined } }).map((line) => line.split(' ')[0])).toEqual([
      'service',
      'routing',
      'DNS',
    ]);
  });
});

describe('what is tried', () => {
  const port = (number: number, protocol = 'TCP') => ({ port: number, protocol, endpoints: [endpoint] });
  it('is at most four ports, and no UDP', () => {
    const service = { ...web, ports: [1, 2, 3, 4, 5, 6].map((each) => port(each)).concat(port(53, 'UDP')) };
    const plan = planPath({ ...whole, service });
    expect(plan.connections.map(({ attempt }) => attempt.to.port)).toEqual([1, 2, 3, 4]);
    expect(plan.connections[0]?.attempt.instead).toEqual(endpoint);
    expect(plan.leftOut).toEqual([
      '2 more TCP ports are not tried',
      'UDP 53 cannot be tried without knowing its protocol',
    ]);
  });

  it('is no name that nothing has', () => {
    const service: KnownService = { clusterIP: 'None', ports: [{ port: 80, protocol: 'TCP', endpoints: [] }] };
    expect(planPath({ ...whole, service })).toEqual({
      dns: undefined,
      lookup: undefined,
      connections: [],
      leftOut: [],
    });
  });

  it('is asked in the zone that the cluster has', () => {
    expect(planPath({ ...whole, clusterDomain: 'example.org' }).lookup).toMatchObject({
      name: 'web.shop.svc.example.org',
    });
  });

  const view = (namespace: string, name: string, spec: object = {}, podIP = ''): PodView =>
    ({ pod: { metadata: { namespace, name }, spec }, status: { podIP } }) as unknown as PodView;
  it('from a pod beside the service that asks the cluster and is none of its endpoints', () => {
    const views = [
      view('other', 'a'),
      view('shop', 'default', { dnsPolicy: 'Default' }),
      view('shop', 'none', { dnsPolicy: 'None' }),
      view('shop', 'endpoint', {}, endpoint.ip),
      view('shop', 'client'),
      view('shop', 'host', { hostNetwork: true }),
      view('shop', 'kata', { runtimeClassName: 'kata' }),
    ];
    const chosen = podsToTry(views, whole.wanted, new Set([endpoint.ip]));
    expect(chosen.map(({ pod }) => pod.metadata?.name)).toEqual(['client', 'endpoint', 'none', 'a', 'default']);
  });
});
