import { beforeEach, describe, expect, it } from 'vitest';
import { namespacedName, type Node, type Service } from '../../api/index.ts';
import { silentLogger } from '../../lib/index.ts';
import { createManualClock, type ManualClock } from '../../lib/manual-clock.node.ts';
import { TakenPorts, type HostSocket } from './taken-ports.ts';
import { addressOwners, externalIpProblem, takenPortsOf } from './outside-addresses.ts';

function balancer(name: string, port: number, spec: object = {}): Service {
  return { metadata: { namespace: 'team', name }, spec: { type: 'LoadBalancer', ports: [{ port }], ...spec } };
}

let clock: ManualClock;
let services: Service[];
let sockets: HostSocket[] | Error;
let asked: number;
let published: string[];
let refusals: number;
let told: string[];
let changed: string[];
let announce: () => void;
let ports: TakenPorts;
const stop = new AbortController();

async function serve(...next: Service[]): Promise<void> {
  services = next;
  announce();
  await clock.advance(10);
}

beforeEach(async () => {
  clock = createManualClock();
  [services, sockets, asked, published, refusals, told, changed] = [[], [], 0, [], 0, [], []];
  const directory = {
    services: () => services,
    onChange: (listener: (key: string) => void) => {
      announce = () => listener('');
      return () => {};
    },
  };
  ports = new TakenPorts(
    {
      directory,
      sockets: async () => {
        asked++;
        if (sockets instanceof Error) throw sockets;
        return sockets;
      },
      addresses: () => ['192.0.2.1'],
      clock,
      logger: silentLogger,
    },
    {
      onChange: (keys) => changed.push(...keys),
      publish: async (found) => {
        if (refusals-- > 0) throw new Error('no server');
        if (published.at(-1) !== found.join()) published.push(found.join());
      },
      tell: (service, port) => told.push(`${namespacedName(service)} ${port}`),
    },
  );
  void ports.run(stop.signal);
  await clock.advance(0);
});

describe('the ports of a machine', () => {
  it('are looked at when a service wants one, and never before', async () => {
    await clock.advance(60_000);
    expect([asked, ports.isTaken('80/TCP')]).toEqual([0, undefined]);
    await serve(balancer('a', 80), balancer('other', 81, { loadBalancerClass: 'x.example/y' }));
    expect([asked, ports.isTaken('80/TCP'), ports.isTaken('81/TCP')]).toEqual([1, false, undefined]);
    expect([changed, told]).toEqual([['team/a'], []]);
    announce();
    await clock.advance(100);
    expect(asked).toBe(1);
  });

  it.each<[string, HostSocket, boolean]>([
    ['all addresses', { protocol: 'TCP', port: 80, address: undefined }, true],
    ['the address of the node', { protocol: 'TCP', port: 80, address: '192.0.2.1' }, true],
    ['another address', { protocol: 'TCP', port: 80, address: '172.17.0.1' }, false],
    ['another protocol', { protocol: 'UDP', port: 80, address: undefined }, false],
    ['another port', { protocol: 'TCP', port: 8080, address: undefined }, false],
  ])('are taken by a socket of %s', async (_, socket, expected) => {
    sockets = [socket];
    await serve(balancer('a', 80));
    expect(ports.isTaken('80/TCP')).toBe(expected);
    expect([told, published.at(-1)]).toEqual(expected ? [['team/a 80/TCP'], '80/TCP'] : [[], '']);
  });

  it('follow programs that come and go', async () => {
    await serve(balancer('a', 80), balancer('b', 443));
    changed = [];
    sockets = [{ protocol: 'TCP', port: 443, address: undefined }];
    await clock.advance(15_000);
    expect([ports.isTaken('443/TCP'), changed, told]).toEqual([true, ['team/b'], ['team/b 443/TCP']]);
    sockets = [];
    await clock.advance(15_000);
    expect([ports.isTaken('443/TCP'), published]).toEqual([false, ['', '443/TCP', '']]);
  });

  it('stay as they were while nobody can tell, and are told again until the cluster hears', async () => {
    sockets = [{ protocol: 'TCP', port: 80, address: undefined }];
    refusals = 1;
    await serve(balancer('a', 80));
    expect(published).toEqual(['']);
    sockets = new Error('EMFILE');
    await clock.advance(2000);
    expect([ports.isTaken('80/TCP'), published]).toEqual([true, ['', '80/TCP']]);
  });
});

describe('an external address', () => {
  const nodes: Node[] = [
    {
      metadata: { name: 'n2' },
      spec: { podCIDRs: ['10.244.2.0/24'] },
      status: { addresses: [{ type: 'InternalIP', address: '192.0.2.2' }] },
    },
  ];
  it.each<[string, string | undefined]>([
    ['198.51.100.7', undefined],
    ['192.0.2.2', 'it is an address of node n2'],
    ['192.0.2.1', 'it is an address of this machine'],
    ['127.0.0.5', 'it is an address of this machine alone'],
    ['169.254.169.254', 'it is an address of this machine alone'],
    ['10.96.200.1', 'it is in the range of service addresses'],
    ['10.244.2.9', 'it is in the range of pod addresses'],
    ['none', 'it is no IPv4 address'],
  ])('%s: %s', (ip, expected) => {
    const here = { own: ['192.0.2.1'], serviceNetworks: ['10.96.0.0/16'] };
    expect(externalIpProblem(ip, addressOwners(nodes), here)).toBe(expected);
  });
});

it('a node says which of its ports are taken', () => {
  const of = (text?: string) => [
    ...takenPortsOf({ metadata: { annotations: text === undefined ? {} : { 'mendlet.dev/taken-ports': text } } }),
  ];
  expect([of(), of(''), of('80/TCP,53/UDP')]).toEqual([[], [], ['80/TCP', '53/UDP']]);
});
