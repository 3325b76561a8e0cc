/** The verdicts on pods after passes and hints. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Pod } from '../../api/index.ts';
import { createMetrics } from '../../lib/index.ts';
import type { PodVerdict } from '../ports.ts';
import type { PodObservation } from '../types.ts';
import { RoutingKeeper } from './routing-keeper.ts';

const pod: Pod = {
  metadata: { name: 'web', namespace: 'team', uid: 'u' },
  spec: {
    initContainers: [
      { name: 'prepare', image: 'i' },
      { name: 'proxy', image: 'i', restartPolicy: 'Always' },
    ],
    containers: [{ name: 'app', image: 'i' }],
    ephemeralContainers: [{ name: 'debug', image: 'i' }],
  },
};

interface Seen {
  readonly running?: readonly string[];
  readonly sandbox?: 'ready' | 'notready' | 'none';
}

/** The ids are the names. */
function observed({ running = ['proxy', 'app'], sandbox = 'ready' }: Seen = {}): PodObservation {
  const names = ['prepare', 'proxy', 'app', 'debug'];
  const containers = names.map((name) => ({
    id: name,
    name,
    sandboxId: 'box',
    state: running.includes(name) ? 'running' : 'exited',
  }));
  const sandboxes =
    sandbox === 'none'
      ? []
      : [{ id: 'box', state: sandbox, createdAt: 1, metadata: { attempt: 0 }, ips: ['10.0.0.7'], hostNetwork: false }];
  return { uid: 'u', name: 'web', namespace: 'team', at: 0, sandboxes, containers } as never;
}

let verdicts: (PodVerdict | undefined | 'forgotten')[];
let addresses: readonly string[] | undefined;
let taken: string[];
let keeper: RoutingKeeper;
const metrics = createMetrics();
beforeEach(() => {
  verdicts = [];
  taken = [];
  keeper = new RoutingKeeper(
    {
      judge: (_, verdict, found) => {
        addresses = found;
        if (verdicts.length === 0 || verdicts.at(-1) !== verdict) verdicts.push(verdict);
      },
      forget: () => verdicts.push('forgotten'),
      taken: (addresses) => taken.push(...addresses),
      canLeave: () => false,
      withdrawal: () => undefined,
      onChange: () => {},
    },
    metrics,
  );
});

function pass(seen: Seen = {}, { ready = true, ending = false, leaving = false } = {}): void {
  const status = { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] };
  keeper.passed('u', { pod, observed: observed(seen), status, ending, leaving });
}

describe('after a pass', () => {
  const cases: readonly [
    string,
    Seen,
    { ready?: boolean; ending?: boolean; leaving?: boolean },
    PodVerdict | undefined,
  ][] = [
    ['a ready pod has traffic', {}, {}, undefined],
    ['one that is not ready has none', {}, { ready: false }, 'unready'],
    ['a dead app container', { running: ['proxy'] }, {}, 'dead'],
    ['a dead sidecar', { running: ['app'] }, {}, 'dead'],
    ['init and ephemeral containers do not count', { running: ['proxy', 'app', 'debug'] }, {}, undefined],
    ['one that is to end', {}, { ending: true }, 'leaving'],
    ['one that is to end, all containers dead', { running: [] }, { ending: true }, 'dead'],
    ['one that is to restart', {}, { leaving: true, ready: false }, 'leaving'],
    ['one that is to restart, a container dead', { running: ['proxy'] }, { leaving: true }, 'dead'],
    ['its sandbox stopped', { sandbox: 'notready' }, {}, 'gone'],
    ['its sandbox is not there', { sandbox: 'none' }, {}, 'gone'],
  ];
  it.each(cases)('%s', (_, seen, state, wanted) => {
    pass(seen, state);
    expect(verdicts.at(-1)).toBe(wanted);
  });
});

it('tells the addresses of a sandbox that is ready', () => {
  pass();
  expect(addresses).toEqual(['10.0.0.7']);
  pass({ sandbox: 'notready' });
  expect(addresses).toBeUndefined();
});

describe('an announced end', () => {
  it('withdraws at once, and holds until a pass has seen it', () => {
    pass();
    keeper.announced('u', 'app');
    // A pass that was under way saw the container running.
    pass();
    pass({ running: ['proxy'] });
    expect(verdicts).toEqual([undefined, 'dead']);
    // The next container runs, and is not ready yet.
    pass({}, { ready: false });
    pass();
    expect(verdicts).toEqual([undefined, 'dead', 'unready', undefined]);
  });

  it('of a sandbox means that its network is gone', () => {
    pass();
    keeper.announced('u', 'box');
    expect(verdicts).toEqual([undefined, 'gone']);
  });

  it('gives the traffic back when reads deny it, and counts that', () => {
    pass();
    keeper.announced('u', 'app');
    keeper.denied('app');
    expect(verdicts).toEqual([undefined, 'dead', undefined]);
    expect(metrics.text()).toContain('mendlet_denied_exit_hints_total 1');
  });

  it.each(['prepare', 'debug', 'unknown'])('of %s is nothing to routing', (id) => {
    pass();
    keeper.announced('u', id);
    keeper.announced('stranger', id);
    keeper.denied(id);
    expect(verdicts).toEqual([undefined]);
  });
});

it('says that a pod leaves before the pass over it, unless it is dead', () => {
  pass();
  keeper.leaves('u');
  expect(verdicts).toEqual([undefined, 'leaving']);
  pass({ running: [] }, { ending: true });
  keeper.leaves('u');
  expect(verdicts).toEqual([undefined, 'leaving', 'dead']);
});

it('says once that a sandbox has its addresses, before its containers run', () => {
  pass({ running: [], sandbox: 'notready' }, { ready: false });
  expect(taken).toEqual([]);
  keeper.forget('u');
  pass({ running: [] }, { ready: false });
  pass();
  expect(taken).toEqual(['10.0.0.7']);
});

it('leaves the verdict to the slices when the pod is gone', () => {
  pass({ running: [] }, { ending: true });
  keeper.forget('u');
  expect(verdicts).toEqual(['dead', 'forgotten']);
});
