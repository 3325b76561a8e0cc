import { expect, test } from 'vitest';
import type { EndpointSlice, Node } from '../../api/index.ts';
import type { NodeRow } from '../../overview/index.ts';
import { pageNodes } from './page-nodes.ts';

const row = (name: string): NodeRow => ({ name, mood: 'ok', troubles: [], runtime: 'r', agent: 'a', pods: 1 });
const node = (name: string, address: string): Node => ({
  metadata: { name },
  status: { addresses: [{ type: 'InternalIP', address }] },
});
const slice = (namespace: string, service: string, ...addresses: string[]): EndpointSlice => ({
  metadata: { namespace, labels: { 'kubernetes.io/service-name': service } },
  addressType: 'IPv4',
  endpoints: [{ addresses }],
});

test('an address of the range of a node, as its bridge has one, is at that node', () => {
  const bridged: Node = { metadata: { name: 'n1' }, spec: { podCIDR: '10.172.0.0/16' } };
  const told = pageNodes([row('n1')], {
    nodes: [bridged],
    slices: [slice('default', 'kubernetes', '10.172.0.1')],
    diskUsedPercent: () => undefined,
    serverVersion: undefined,
  });
  expect(told[0]?.server).toBe('');
});

test('the server is told at the node that has its address, and the disk at those that have told of it', () => {
  const told = pageNodes([row('n1'), row('n2')], {
    nodes: [node('n1', '10.0.0.1'), node('n2', '10.0.0.2')],
    slices: [
      slice('shop', 'kubernetes', '10.0.0.2'),
      slice('default', 'web', '10.0.0.2'),
      slice('default', 'kubernetes', '10.0.0.1'),
    ],
    diskUsedPercent: (name) => (name === 'n2' ? 0 : undefined),
    serverVersion: 'v1.36.2',
  });
  expect(told).toEqual([
    { ...row('n1'), server: 'v1.36.2' },
    { ...row('n2'), diskUsedPercent: 0 },
  ]);
});
