import { describe, expect, it } from 'vitest';
import type { NodeRoute } from './node-routes.ts';
import { peersOf } from './peers.ts';

describe('peers', () => {
  const node = (name: string, address: string | undefined, ...podCIDRs: string[]): NodeRoute => ({
    node: name,
    podCIDRs,
    addresses: address === undefined ? [] : [address],
  });
  const own = { nodeName: 'a', podCidr: '10.244.0.0/24', addresses: ['192.0.2.1'] };
  it.each<[string, NodeRoute[], object[]]>([
    ['nobody', [node('a', '192.0.2.1', '10.244.0.0/24')], []],
    ['another node', [node('b', '192.0.2.2', '10.244.1.0/24')], [{ cidr: '10.244.1.0/24', via: '192.0.2.2' }]],
    ['no address or network yet', [node('b', undefined, '10.244.1.0/24'), node('c', '192.0.2.3')], []],
    [
      'IPv4 alone',
      [node('b', '192.0.2.2', 'fd00::/64', '10.244.1.0/24')],
      [{ cidr: '10.244.1.0/24', via: '192.0.2.2' }],
    ],
    ['on this machine', [node('b', '192.0.2.1', '10.244.1.0/24')], [{ cidr: '10.244.1.0/24' }]],
    ['never over our own network', [node('b', '192.0.2.2', '10.244.0.0/16')], []],
    [
      'the first of two with the same network',
      [node('c', '192.0.2.3', '10.244.1.0/24'), node('b', '192.0.2.2', '10.244.1.0/24')],
      [{ cidr: '10.244.1.0/24', via: '192.0.2.2' }],
    ],
  ])('%s', (_, nodes, peers) => expect(peersOf(nodes, own)).toEqual(peers));
});
