import { expect, it } from 'vitest';
import type { Node } from '../../api/index.ts';
import { ObjectCache } from '../../client/lister.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { LostNetworks, lostNetworks } from './lost-networks.ts';
import { DEAD_SECONDS } from './table-base.ts';

const TAINT = { key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' };

function node(
  at: number,
  state: { readonly tainted?: boolean; readonly ready?: string; readonly cidr?: string } = {},
): Node {
  const { tainted = false, ready = 'True', cidr = `10.244.${at}.0/24` } = state;
  return {
    metadata: { name: `n${at}`, resourceVersion: '1' },
    spec: { podCIDR: cidr, podCIDRs: [cidr, 'fd00::/64'], taints: tainted ? [TAINT] : [] },
    status: {
      conditions: [{ type: 'Ready', status: ready }],
      addresses: [
        { type: 'InternalIP', address: `192.0.2.${at}` },
        { type: 'Hostname', address: `n${at}` },
      ],
    },
  };
}

const LOST = { tainted: true, ready: 'Unknown' };

it.each<[string, readonly Node[], readonly string[], readonly string[]]>([
  ['one that is only silent is not', [node(1), node(2, { ready: 'Unknown' })], [], []],
  ['one that is tainted and not Ready', [node(1), node(2, LOST)], [], ['10.244.2.0/24']],
  ['one that is tainted and serves on is not', [node(1), node(2, { tainted: true })], [], []],
  ['a deleted one', [node(1)], ['10.244.2.0/24'], ['10.244.2.0/24']],
  ['a network that another node got', [node(1), node(3, { cidr: '10.244.2.0/24' })], ['10.244.2.0/24'], []],
  ['one that holds a part of a living node’s', [node(1)], ['10.244.0.0/16'], []],
  ['one in which nodes have addresses', [node(1), node(2, { ...LOST, cidr: '192.0.2.0/24' })], [], []],
  ['one in which this machine has an address', [node(1)], ['10.244.9.0/24'], []],
  ['one that is lost in both ways', [node(2, LOST)], ['10.244.2.0/24'], ['10.244.2.0/24']],
  ['what is no network', [], ['x', 'fd00::/64'], []],
])('lost networks: %s', (_, nodes, deleted, wanted) => {
  expect(lostNetworks(nodes, deleted, ['10.244.9.1'])).toEqual(wanted);
});

it('tells nft what differs, and only what is known', async () => {
  const clock = createManualClock();
  const nodes = new ObjectCache<Node>({});
  const networks = new LostNetworks(clock, nodes);
  let told = 0;
  networks.watch(() => (told += 1));
  const next = (isEmpty = false): string => {
    const { text, commit } = networks.change('t', [], isEmpty);
    commit();
    return text;
  };
  // An earlier agent left it; it may have a living node again, which is not known yet.
  networks.adopt(['10.244.7.0/24']);
  expect(next()).toBe('');
  nodes.init();
  for (const each of [node(1), node(2)]) nodes.initApply(each);
  nodes.initDone('1');
  expect(next()).toBe('');
  told = 0;
  nodes.apply(node(2, { ready: 'Unknown' }));
  expect(told).toBe(0);
  nodes.delete(node(2));
  expect(told).toBe(1);
  expect(next()).toBe('flush set ip t lost\nadd element ip t lost { 10.244.2.0/24, 10.244.7.0/24 }\n');
  expect(next()).toBe('');
  // The table was removed.
  expect(next(true)).toContain('10.244.2.0/24, 10.244.7.0/24');
  nodes.apply(node(2));
  expect(next()).toBe('flush set ip t lost\nadd element ip t lost { 10.244.7.0/24 }\n');
  await clock.advance(DEAD_SECONDS * 1000);
  expect(next()).toBe('flush set ip t lost\n');
});
