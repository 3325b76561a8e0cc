import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TestTable } from '../../../test/support/test-table.ts';
import type { ServicePlan } from './service-fronts.ts';
import { type TableSettings } from './table-base.ts';
import { TableMirror } from './table-mirror.ts';
import { inSlots, NO_STATE } from './table-state.ts';

const settings: TableSettings = {
  instanceId: 'test',
  podNetworks: ['10.244.0.0/16'],
  serviceNetworks: ['10.96.0.0/16'],
  routesHost: true,
};

const choice = fc.oneof(
  fc.constant({ does: 'refuse' as const }),
  fc.constant({ does: 'drop' as const }),
  fc
    .uniqueArray(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 })
    .map((ips) => ({ does: 'send' as const, targets: ips.map((ip) => `10.244.0.${ip} . 80`) })),
);

/** Service `at`, in any of its lives. */
function servicePlan(at: number): fc.Arbitrary<ServicePlan | undefined> {
  const ip = `10.96.0.${at}`;
  const front = fc.record({
    near: choice,
    far: fc.option(choice, { nil: undefined }),
    affinity: fc.option(
      fc
        .constantFrom(60, 90)
        .map((timeoutSeconds) => ({ id: `${ip}-tcp-80`, protocol: 'tcp' as const, timeoutSeconds })),
      { nil: undefined },
    ),
    sources: fc.option(fc.constantFrom(['10.0.0.0/8'], ['10.0.0.0/8', '192.0.2.0/24']), { nil: undefined }),
  });
  const plan = fc.tuple(front, front).map(([inside, outside]): ServicePlan => {
    const affinity = inside.affinity;
    return {
      fronts: [
        {
          ...inside,
          at: 'address',
          key: `${ip} . tcp . 80`,
          external: false,
          far: undefined,
          sources: undefined,
          serving: [],
          affinity,
        },
        { ...outside, at: 'port', key: `tcp . 3000${at}`, external: true, sources: undefined, serving: [], affinity },
        { ...outside, at: 'address', key: `192.0.2.${at} . tcp . 80`, external: true, serving: [], affinity },
      ],
      clusterIPs: [ip],
      selves: inside.near.does === 'send' ? inside.near.targets.map((target) => target.split(' ')[0] ?? '') : [],
      leftOut: [],
      since: '',
    };
  });
  return fc.option(plan, { nil: undefined });
}

describe('differences', () => {
  const history = fc.array(
    fc.array(
      fc.integer({ min: 1, max: 4 }).chain((at) => fc.tuple(fc.constant(`team/s${at}`), servicePlan(at))),
      { minLength: 1, maxLength: 3 },
    ),
    { maxLength: 12 },
  );

  it('one after another make the table that a load of the last state makes', () => {
    fc.assert(
      fc.property(history, fc.boolean(), (steps, sweeps) => {
        const mirror = new TableMirror(settings);
        const table = new TestTable();
        const apply = (wishes: ReadonlyMap<string, ServicePlan | undefined>, load: boolean): void => {
          const states = new Map(
            [...wishes].map(
              ([key, plan]) => [key, plan === undefined ? NO_STATE : mirror.stateFor(key, plan)] as const,
            ),
          );
          const transaction = load ? mirror.load(states) : mirror.change(states, sweeps);
          table.apply(transaction.text);
          transaction.commit();
        };
        apply(new Map(), true);
        const last = new Map<string, ServicePlan | undefined>();
        for (const step of steps) {
          for (const [key, plan] of step) last.set(key, plan);
          apply(new Map(step), false);
        }
        const fresh = new TableMirror(settings);
        const whole = new TestTable();
        const states = new Map(
          [...last].map(([key, plan]) => [key, plan === undefined ? NO_STATE : fresh.stateFor(key, plan)] as const),
        );
        whole.apply(fresh.load(states).text);
        expect(table.meaning()).toEqual(whole.meaning());
      }),
      { numRuns: 300 },
    );
  });

  it('keep the affinity of an address that goes from one service to another', () => {
    const mirror = new TableMirror(settings);
    const table = new TestTable();
    const plan: ServicePlan = {
      fronts: [
        {
          at: 'address',
          key: '10.96.0.1 . tcp . 80',
          external: false,
          near: { does: 'send', targets: ['10.244.0.1 . 80', '10.244.0.2 . 80'] },
          far: undefined,
          sources: undefined,
          serving: [],
          affinity: { id: '10.96.0.1-tcp-80', protocol: 'tcp', timeoutSeconds: 60 },
        },
      ],
      clusterIPs: ['10.96.0.1'],
      selves: [],
      leftOut: [],
      since: '',
    };
    const write = (wishes: ReadonlyMap<string, ServicePlan | undefined>, load = false): void => {
      const states = new Map(
        [...wishes].map(([key, each]) => [key, each === undefined ? NO_STATE : mirror.stateFor(key, each)] as const),
      );
      const transaction = load ? mirror.load(states) : mirror.change(states, true);
      table.apply(transaction.text);
      transaction.commit();
    };
    write(new Map([['team/old', plan]]), true);
    const before = table.meaning();
    write(
      new Map([
        ['team/new', plan],
        ['team/old', undefined],
      ]),
    );
    expect(table.meaning()).toEqual(before);
    write(
      new Map([
        ['team/new', undefined],
        ['team/old', plan],
      ]),
    );
    expect(table.meaning()).toEqual(before);
  });

  it('leave no big picks behind when a service grows by ones, and make them again', () => {
    const mirror = new TableMirror(settings);
    const table = new TestTable();
    const grow = (count: number, load = false): void => {
      const targets = Array.from({ length: count }, (_, at) => `10.244.0.${at} . 80`);
      const plan: ServicePlan = {
        fronts: [
          {
            at: 'port',
            key: 'tcp . 30080',
            external: true,
            near: { does: 'send', targets },
            far: undefined,
            sources: undefined,
            serving: [],
            affinity: undefined,
          },
        ],
        clusterIPs: [],
        selves: [],
        leftOut: [],
        since: '',
      };
      const states = new Map([['team/a', mirror.stateFor('team/a', plan)]]);
      const transaction = load ? mirror.load(states) : mirror.change(states, true);
      table.apply(transaction.text);
      transaction.commit();
    };
    const picks = (): readonly number[] =>
      [...table.chains.keys()].flatMap((name) => /^port-pick-(\d+)$/.exec(name)?.slice(1).map(Number) ?? []);
    grow(1, true);
    for (let count = 2; count <= 40; count++) grow(count);
    expect(picks().filter((targets) => targets > 16)).toEqual([39, 40]);
    for (const count of [39, 38, 30, 39, 40, 40, 40]) grow(count);
    expect(picks().filter((targets) => targets > 16)).toEqual([40]);
    expect(table.rules('port-pick-40')).toHaveLength(1);
  });

  it('write a few elements for one endpoint of many', () => {
    const mirror = new TableMirror(settings);
    const plan = (count: number): ServicePlan => ({
      fronts: [
        {
          at: 'address',
          key: '10.96.0.1 . tcp . 80',
          external: false,
          near: { does: 'send', targets: Array.from({ length: count }, (_, at) => `10.244.0.${at} . 80`).toReversed() },
          far: undefined,
          sources: undefined,
          serving: [],
          affinity: undefined,
        },
      ],
      clusterIPs: ['10.96.0.1'],
      selves: [],
      leftOut: [],
      since: '',
    });
    const write = (count: number): number => {
      const change = mirror.change(new Map([['team/a', mirror.stateFor('team/a', plan(count))]]));
      change.commit();
      return change.elements;
    };
    write(100);
    expect(write(99)).toBeLessThanOrEqual(5);
    expect(write(100)).toBeLessThanOrEqual(5);
    expect(write(100)).toBe(0);
  });
});

it.each([
  [[], ['a', 'b'], ['a', 'b']],
  [
    ['a', 'b', 'c'],
    ['c', 'b', 'a'],
    ['a', 'b', 'c'],
  ],
  [
    ['a', 'b', 'c'],
    ['b', 'c'],
    ['c', 'b'],
  ],
  [
    ['a', 'b'],
    ['b', 'c', 'd'],
    ['c', 'b', 'd'],
  ],
  [['a'], [], []],
])('slots %j → %j are %j', (previous, wanted, slots) => expect(inSlots(previous, wanted)).toEqual(slots));
