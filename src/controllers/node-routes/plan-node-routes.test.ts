import { describe, expect, it } from 'vitest';
import type { ConfigMap, Node } from '../../api/index.ts';
import { planNodeRoutes } from './plan-node-routes.ts';
import { readNodeRoutes } from '../../network/node-routes.ts';

function node(name: string, cidr: string | undefined, ...addresses: string[]): Node {
  return {
    metadata: { name },
    spec: cidr === undefined ? {} : { podCIDR: cidr, podCIDRs: [cidr] },
    status: {
      addresses: [
        { type: 'Hostname', address: name },
        ...addresses.map((address) => ({ type: 'InternalIP', address })),
      ],
    },
  };
}

const A = node('a', '10.1.0.0/24', '192.0.2.1');
const B = node('b', '10.1.1.0/24', '192.0.2.2', '2001:db8::2');

function stored(nodes: readonly Node[]): ConfigMap {
  const [operation] = planNodeRoutes(nodes, undefined);
  if (operation?.verb !== 'create') throw new Error('nothing was made');
  return operation.object;
}

describe('planNodeRoutes', () => {
  it('leaves a machine alone alone', () => {
    expect(planNodeRoutes([A], undefined)).toEqual([]);
    expect(planNodeRoutes([A, node('b', undefined, '192.0.2.2'), node('c', '10.1.2.0/24')], undefined)).toEqual([]);
  });

  it('tells of each node that has a network and an address', () => {
    expect(readNodeRoutes(stored([B, A]))).toEqual([
      { node: 'a', podCIDRs: ['10.1.0.0/24'], addresses: ['192.0.2.1'] },
      { node: 'b', podCIDRs: ['10.1.1.0/24'], addresses: ['192.0.2.2', '2001:db8::2'] },
    ]);
  });

  it('changes only what is not right, also when one is left', () => {
    expect(planNodeRoutes([A, B], stored([A, B]))).toEqual([]);
    expect(planNodeRoutes([A], stored([A, B]))).toMatchObject([{ verb: 'update' }]);
    const forged = {
      ...stored([A, B]),
      data: { a: '{}', evil: '{"podCIDRs":["0.0.0.0/0"],"addresses":["192.0.2.9"]}' },
    };
    const [operation] = planNodeRoutes([A, B], forged);
    expect(operation?.verb === 'update' && readNodeRoutes(operation.object as ConfigMap)).toHaveLength(2);
  });

  it('reads nothing into what it does not understand', () => {
    const data = {
      a: 'x',
      b: '[]',
      c: '{"podCIDRs":[1],"addresses":[]}',
      d: 'null',
      e: '{"podCIDRs":[],"addresses":[]}',
    };
    expect(readNodeRoutes({ data })).toEqual([{ node: 'e', podCIDRs: [], addresses: [] }]);
  });
});
