/** The small decisions of joining: names, times, troubles, peers. */
import { describe, expect, it } from 'vitest';
import type { Lease, Node } from '../../api/index.ts';
import { ConnectionError } from '../../lib/index.ts';
import { advertisedAddress, neighbour } from '../addresses.ts';
import { kubeletOrigin } from '../kubelet-origin.ts';
import { parsePodCidr } from '../../cli/index.ts';
import { isValidAt, renewalTime } from './certificate-times.ts';
import { readClusterInfo } from './cluster-info.ts';
import { connectionTrouble } from './connection-trouble.ts';
import { INSTANCE_ANNOTATION, judgeName } from './node-name.ts';

const NOW = Date.UTC(2026, 0, 1);
const me = { nodeName: 'n', instanceId: 'abc', machineId: 'm1' };

describe('the name of a node', () => {
  const node = (instance: string | undefined, machineID = ''): Node => ({
    metadata: { name: 'n', ...(instance !== undefined && { annotations: { [INSTANCE_ANNOTATION]: instance } }) },
    status: { nodeInfo: { machineID } as never, addresses: [{ type: 'InternalIP', address: '192.0.2.7' }] },
  });
  const lease = (secondsAgo: number): Lease => ({
    spec: { renewTime: new Date(NOW - secondsAgo * 1000).toISOString(), leaseDurationSeconds: 40 },
  });

  it.each<[string, Node | undefined, Lease | undefined, string]>([
    ['nobody has it', undefined, undefined, 'free'],
    ['it is ours, and we were alive a moment ago', node('abc', 'm1'), lease(1), 'ours'],
    ['made beforehand', node(undefined), undefined, 'ours'],
    ['an earlier life of this machine', node('xyz', 'm1'), lease(60), 'ours'],
    ['a living agent of this machine', node('xyz', 'm1'), lease(10), 'taken'],
    ['a living agent elsewhere, whose clock is ahead', node('xyz', 'm2'), lease(-10), 'taken'],
    ['a kubelet of another kind, alive', node(undefined, 'm2'), lease(10), 'taken'],
    ['a dead machine', node('xyz', 'm2'), lease(4000), 'taken'],
  ])('%s', (_, found, itsLease, kind) => {
    expect(judgeName(me, { node: found, lease: itsLease }, NOW).kind).toBe(kind);
  });

  it('is told with where it is and what helps', () => {
    expect(judgeName(me, { node: node('xyz', 'm2'), lease: lease(4000) }, NOW)).toEqual({
      kind: 'taken',
      message:
        'the name n is taken by another machine at 192.0.2.7; give another --node-name, or remove the node first: kubectl delete node n',
    });
  });
});

describe('a certificate', () => {
  const life = { from: NOW, to: NOW + 1000 };
  it.each([
    [0, NOW + 700],
    [1, NOW + 900],
    [0.5, NOW + 800],
  ])('is renewed between 70 and 90 % of its life (%d)', (random, at) => {
    expect(renewalTime(life, random)).toBe(at);
  });
  it('is good from its beginning to its end', () => {
    expect([NOW - 1, NOW, NOW + 999, NOW + 1000].map((wall) => isValidAt(life, wall))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });
});

describe('a connection that does not come about', () => {
  const broken = (code: string): Error =>
    new ConnectionError('https://s:1: x', { cause: Object.assign(new Error('x'), { code }) });
  it.each([
    ['ECONNREFUSED', 'wait', 'does not answer'],
    ['CERT_NOT_YET_VALID', 'wait', 'clock behind? It says 2026-01-01T00:00:00Z'],
    ['CERT_HAS_EXPIRED', 'wait', 'clock is ahead'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'give-up', 'another authority'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'give-up', 'another authority'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'give-up', '--advertise-address'],
  ])('%s', (code, kind, text) => {
    const trouble = connectionTrouble('https://s:1', broken(code), NOW);
    expect(trouble.kind).toBe(kind);
    expect(trouble.message).toContain(text);
  });
});

describe('addresses', () => {
  it.each([
    ['0.0.0.0', undefined, '192.0.2.1'],
    ['0.0.0.0', '192.0.2.9', '192.0.2.9'],
    ['192.0.2.5', undefined, '192.0.2.5'],
    ['127.0.0.1', undefined, undefined],
    ['localhost', undefined, undefined],
  ])('a server at %s, told %s, is at %s for others', (host, given, expected) => {
    expect(advertisedAddress({ host, port: 1 }, given, ['192.0.2.1', '192.0.2.2'])).toBe(expected);
  });
  it.each([
    ['10.244.0.0/16', '10.245.0.0/16'],
    ['255.255.0.0/16', '255.254.0.0/16'],
  ])('the neighbour of %s is %s', (cidr, expected) => expect(neighbour(parsePodCidr(cidr))).toBe(expected));

  const status = (addresses: readonly { type: string; address: string }[], port: number): Node => ({
    status: { addresses: [...addresses], daemonEndpoints: { kubeletEndpoint: { Port: port } } },
  });
  it.each<[Node, string | undefined]>([
    [
      status(
        [
          { type: 'Hostname', address: 'h' },
          { type: 'InternalIP', address: '192.0.2.7' },
        ],
        10250,
      ),
      'https://192.0.2.7:10250',
    ],
    [status([{ type: 'Hostname', address: 'h' }], 10250), 'https://h:10250'],
    [status([{ type: 'InternalIP', address: 'fd00::7' }], 1), 'https://[fd00::7]:1'],
    [status([{ type: 'InternalIP', address: '192.0.2.7' }], 0), 'https://192.0.2.7:10250'],
    [{}, undefined],
  ])('a kubelet is where its node says: %j', (node, origin) => expect(kubeletOrigin(node)).toBe(origin));
});

it('reads what kubeadm’s clusters tell of themselves', () => {
  const text = `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: ${btoa('PEM')}
    server: https://192.0.2.1:6443
  name: ""
kind: Config
`;
  expect(readClusterInfo({ kubeconfig: text })).toEqual({ server: 'https://192.0.2.1:6443', authorityPem: 'PEM' });
  const unreadable: (Record<string, string> | undefined)[] = [undefined, {}, { kubeconfig: ': [' }];
  for (const data of unreadable) expect(readClusterInfo(data)).toBeUndefined();
});
