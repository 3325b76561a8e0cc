/** Endpoints of slices, and which of them get traffic. */
import { describe, expect, it } from 'vitest';
import type { EndpointSlice } from '../../api/index.ts';
import type { Verdict } from './local-verdicts.ts';
import { endpointsAtPort, portsOf, type ServiceEndpoint } from './service-endpoint.ts';
import { localEndpoints, preferredEndpoints, usableEndpoints, verdictsFor } from './usable-endpoints.ts';

type State = 'ready' | 'serving' | 'unready' | 'ending';

/** Its pod's UID is its name; its address ends with the code of the name's first letter. */
function endpoint(name: string, state: State = 'ready', more: Partial<ServiceEndpoint> = {}): ServiceEndpoint {
  return {
    ip: `10.0.0.${name.charCodeAt(0)}`,
    port: 80,
    podUid: name,
    hostname: undefined,
    nodeName: 'here',
    zone: undefined,
    ready: state === 'ready',
    serving: state === 'ready' || state === 'serving',
    terminating: state === 'serving' || state === 'ending',
    forNodes: undefined,
    forZones: undefined,
    ...more,
  };
}

function names(endpoints: readonly ServiceEndpoint[]): string {
  return endpoints.map(({ podUid }) => podUid).join(' ');
}

describe('usable endpoints', () => {
  const cases: readonly [string, readonly ServiceEndpoint[], Record<string, Verdict>, string][] = [
    ['all that are ready', [endpoint('a'), endpoint('b'), endpoint('c', 'unready')], {}, 'a b'],
    ['those that serve while they end, if none is ready', [endpoint('a', 'serving'), endpoint('b', 'ending')], {}, 'a'],
    ['no serving one beside a ready one', [endpoint('a', 'serving'), endpoint('b')], {}, 'b'],
    ['none', [endpoint('a', 'unready')], {}, ''],
    ['a dead one is left out', [endpoint('a'), endpoint('b')], { a: 'dead' }, 'b'],
    ['an unready one is left out', [endpoint('a'), endpoint('b')], { a: 'unready' }, 'b'],
    ['a leaving one is left out', [endpoint('a'), endpoint('b')], { a: 'leaving' }, 'b'],
    ['the last one serves on: leaving', [endpoint('a')], { a: 'leaving' }, 'a'],
    ['the last one serves on: dead, as far as one container goes', [endpoint('a')], { a: 'dead' }, 'a'],
    ['one that leaves is better than one that died', [endpoint('a'), endpoint('b')], { a: 'dead', b: 'leaving' }, 'b'],
    ['nobody goes where the network is gone', [endpoint('a')], { a: 'gone' }, ''],
    ['a serving one that died is left out', [endpoint('a', 'serving')], { a: 'dead' }, ''],
    ['the dead one among several that are unready', [endpoint('a', 'unready'), endpoint('b')], { b: 'dead' }, 'b'],
  ];
  it.each(cases)('%s', (_, endpoints, verdicts, wanted) => {
    expect(names(usableEndpoints(endpoints, { verdictOf: (uid) => verdicts[uid] }))).toBe(wanted);
  });

  it('under the policy Local are those of the node', () => {
    const endpoints = [endpoint('a', 'serving'), endpoint('b', 'ready', { nodeName: 'there' })];
    expect(names(localEndpoints(endpoints, { nodeName: 'here', verdictOf: () => undefined }))).toBe('a');
    expect(names(localEndpoints(endpoints, { nodeName: 'nowhere', verdictOf: () => undefined }))).toBe('');
  });

  it('of a service that publishes unready addresses include unready pods, and no dead ones', () => {
    const verdicts: Record<string, Verdict> = { a: 'unready', b: 'dead' };
    const of = (uid: string) => verdicts[uid];
    const open = verdictsFor({ spec: { publishNotReadyAddresses: true } }, { of });
    expect(names(usableEndpoints([endpoint('a'), endpoint('b')], { verdictOf: open }))).toBe('a');
    const usual = verdictsFor({ spec: {} }, { of });
    expect(usual('a')).toBe('unready');
  });
});

describe('hints', () => {
  const near = endpoint('a', 'ready', { forNodes: ['here'], forZones: ['z1'] });
  const far = endpoint('b', 'ready', { forNodes: ['there'], forZones: ['z2'] });
  const zonal = endpoint('c', 'ready', { forZones: ['z1'] });
  const cases: readonly [string, readonly ServiceEndpoint[], string, string | undefined, string][] = [
    ['the node comes first', [near, far], 'here', 'z2', 'a'],
    ['then the zone', [near, far], 'elsewhere', 'z2', 'b'],
    ['one without a hint for nodes: the zone counts', [near, far, zonal], 'here', 'z1', 'a c'],
    ['one without any hint: all', [near, far, endpoint('d')], 'here', 'z1', 'a b d'],
    ['no hint names this place: all', [near, far], 'elsewhere', 'z3', 'a b'],
    ['a node without a zone: all', [zonal, far], 'elsewhere', undefined, 'c b'],
    ['none is ready: all', [endpoint('a', 'serving', { forNodes: ['there'] })], 'here', undefined, 'a'],
  ];
  it.each(cases)('%s', (_, endpoints, nodeName, zone, wanted) => {
    expect(names(preferredEndpoints(endpoints, { nodeName, zone }))).toBe(wanted);
  });
});

describe('the endpoints of slices', () => {
  function slice(port: number, addresses: readonly string[], more: Partial<EndpointSlice> = {}): EndpointSlice {
    return {
      addressType: 'IPv4',
      endpoints: addresses.map((address) => ({ addresses: [address] })),
      ports: [{ name: 'http', protocol: 'TCP', port }],
      ...more,
    };
  }
  const at = (slices: readonly EndpointSlice[], name = 'http', protocol = 'TCP') =>
    endpointsAtPort(slices, { name, protocol }).map(({ ip, port }) => `${ip}:${port}`);

  it('have the port of their own slice', () => {
    const slices = [slice(80, ['10.0.0.1', '10.0.0.2']), slice(8080, ['10.0.0.1'])];
    expect(at(slices)).toEqual(['10.0.0.1:80', '10.0.0.1:8080', '10.0.0.2:80']);
    expect(portsOf(slices)).toEqual([
      { name: 'http', protocol: 'TCP', port: 80 },
      { name: 'http', protocol: 'TCP', port: 8080 },
    ]);
  });

  it('are of one family, port and protocol', () => {
    expect(at([slice(80, ['fd00::1'], { addressType: 'IPv6' })])).toEqual([]);
    expect(at([slice(80, ['10.0.0.1'])], 'other')).toEqual([]);
    expect(at([slice(80, ['10.0.0.1'])], 'http', 'UDP')).toEqual([]);
    expect(at([slice(80, ['10.0.0.1'], { ports: [{ port: 80 }] })], '')).toEqual(['10.0.0.1:80']);
    expect(at([slice(80, ['10.0.0.1'], { ports: [{ name: 'http' }] })])).toEqual([]);
  });

  it('count once, and the slice counts that says ready', () => {
    const unready = slice(80, [], { endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: false } }] });
    const [only, ...more] = endpointsAtPort([unready, slice(80, ['10.0.0.1'])], { name: 'http', protocol: 'TCP' });
    expect(more).toEqual([]);
    expect(only).toMatchObject({ ready: true, serving: true, terminating: false });
  });
});
