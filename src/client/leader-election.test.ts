import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createInMemoryApi, type InMemoryApi, until } from '../../test/support/in-memory-api.ts';
import { CONFIG_MAPS, EVENTS, type Lease, LEASES } from '../api/index.ts';
import {
  type Clock,
  type Connection,
  ConnectionError,
  createMetrics,
  seededRandom,
  silentLogger,
} from '../lib/index.ts';
import { settle } from '../lib/manual-clock.node.ts';
import { createKubeClient, type KubeClient } from './index.ts';
import { type LeaderElectionSettings, runElected } from './leader-election.ts';

interface Candidate {
  readonly name: string;
  leading: boolean;
  terms: number;
  client: KubeClient | undefined;
  cut: boolean;
  /** The candidate's work does not end before this is resolved. */
  hold: Promise<void> | undefined;
  readonly stop: AbortController;
  readonly metrics: ReturnType<typeof createMetrics>;
  readonly running: Promise<void>;
}

let api: InMemoryApi;
let candidates: Candidate[];

function candidate(name: string, clock: Clock = api.clock, settings?: LeaderElectionSettings): Candidate {
  const stop = new AbortController();
  const metrics = createMetrics();
  const connection: Connection = {
    upgrade: (request) => api.connection.upgrade(request),
    request: async (request) => {
      if (me.cut) throw new ConnectionError('cut');
      return api.connection.request(request);
    },
  };
  const me = { name, leading: false, terms: 0, client: undefined, cut: false, hold: undefined, stop, metrics } as {
    -readonly [K in keyof Candidate]: Candidate[K];
  };
  const options = {
    client: createKubeClient(connection, { clock }),
    clock,
    random: seededRandom(name),
    logger: silentLogger,
    metrics,
    name: 'kube-controller-manager',
    candidacy: { identity: name, ...(settings === undefined ? {} : { settings }) },
  };
  me.running = runElected(options, stop.signal, async (client, signal) => {
    me.client = client;
    me.leading = true;
    me.terms += 1;
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await me.hold;
    me.leading = false;
  });
  candidates.push(me);
  return me;
}

const lease = (): Promise<Lease> => api.client.get<Lease>(LEASES, 'kube-system', 'kube-controller-manager');
const advance = async (ms: number): Promise<void> => {
  // Small steps, so that the test notices any moment with two leaders.
  for (let passed = 0; passed < ms; passed += 250) {
    await api.clock.advance(Math.min(250, ms - passed));
    expect(candidates.filter(({ leading }) => leading).length).toBeLessThanOrEqual(1);
  }
};

beforeEach(async () => {
  api = await createInMemoryApi();
  candidates = [];
});
afterEach(async () => {
  for (const each of candidates) each.stop.abort(new Error('enough'));
  await Promise.all(candidates.map(({ running }) => running));
});

describe('leader election', () => {
  it('has one leader, says who, and tells of it', async () => {
    const a = candidate('a');
    await until(() => a.leading, 'a leads');
    const b = candidate('b');
    await advance(60_000);
    expect([a.leading, b.leading]).toEqual([true, false]);
    expect((await lease()).spec).toMatchObject({ leaseDurationSeconds: 15, leaseTransitions: 0 });
    expect((await lease()).spec?.holderIdentity).toMatch(/^a_/);
    expect(a.metrics.text()).toContain('leader_election_master_status{name="kube-controller-manager"} 1');
    expect(b.metrics.text()).toContain('leader_election_master_status{name="kube-controller-manager"} 0');
    const told = (await api.client.list(EVENTS, { namespace: 'kube-system' })).items;
    expect(told.map(({ reason, message }) => `${reason} ${(message ?? '').replace(/_\S+/, '')}`)).toEqual([
      'LeaderElection a became leader',
    ]);
  });

  it('gives the lease up when told to end, and the next begins within a retry', async () => {
    const a = candidate('a');
    await until(() => a.leading, 'a leads');
    const b = candidate('b');
    await advance(10_000);
    a.stop.abort(new Error('enough'));
    await a.running;
    expect((await lease()).spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
    await advance(4_500);
    expect(b.leading).toBe(true);
    expect((await lease()).spec?.leaseTransitions).toBe(1);
  });

  it('ends the work of a leader that is cut off before anybody else leads', async () => {
    const a = candidate('a');
    await until(() => a.leading, 'a leads');
    const b = candidate('b');
    await advance(10_000);
    a.cut = true;
    await advance(8_000);
    expect(a.leading).toBe(true);
    await advance(4_500);
    expect(a.leading).toBe(false);
    await advance(8_000);
    expect(b.leading).toBe(true);
    a.cut = false;
    await advance(30_000);
    expect([a.leading, b.leading]).toEqual([false, true]);
  });

  it('outlives a short partition', async () => {
    const a = candidate('a');
    const b = candidate('b');
    await until(() => a.leading, 'a leads');
    a.cut = true;
    await advance(7_000);
    a.cut = false;
    await advance(60_000);
    expect([a.leading, a.terms, b.terms]).toEqual([true, 1, 0]);
  });

  it('does not care for steps of the wall clock', async () => {
    const a = candidate('a');
    const b = candidate('b');
    await until(() => a.leading, 'a leads');
    for (const step of [3_600_000, -7_200_000, 86_400_000]) {
      api.clock.stepWall(step);
      await advance(20_000);
    }
    expect([a.terms, b.terms]).toEqual([1, 0]);
  });

  it('believes nobody’s time stamps: a holder with a clock of another year keeps its lease', async () => {
    const year = 365 * 86_400_000;
    const old: Clock = {
      ...api.clock,
      now: () => ({ mono: api.clock.now().mono, wall: api.clock.now().wall - 25 * year }),
    };
    const a = candidate('a', old);
    await until(() => a.leading, 'a leads');
    const b = candidate('b');
    await advance(60_000);
    expect([a.leading, b.leading]).toEqual([true, false]);
  });

  it('refuses the writes of a leader that was asleep, before it knows of its loss', async () => {
    const a = candidate('a');
    await until(() => a.leading, 'a leads');
    await advance(4_000);
    const write = (name: string): Promise<unknown> =>
      a.client?.create(CONFIG_MAPS, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace: 'default', name },
      }) ?? Promise.reject(new Error('no client'));
    await write('before');
    // The loop is suspended for a minute; its first action afterwards is a write of the candidate's work.
    const late: { outcome?: string } = {};
    api.clock.setTimer(0, () => {
      write('after').then(
        () => (late.outcome = 'written'),
        (error: Error) => (late.outcome = error.message),
      );
    });
    await api.clock.suspend(60_000);
    await settle();
    expect(late.outcome).toBe('not the leader any more: nothing is written');
    // No other candidate took the lease meanwhile, so this one leads again, with a new term.
    await advance(5_000);
    expect([a.leading, a.terms]).toEqual([true, 2]);
  });

  it('waits for the work to end before it lets go', async () => {
    const a = candidate('a');
    await until(() => a.leading, 'a leads');
    const { promise, resolve } = Promise.withResolvers<void>();
    a.hold = promise;
    a.stop.abort(new Error('enough'));
    await advance(3_000);
    expect((await lease()).spec?.holderIdentity).toMatch(/^a_/);
    resolve();
    await a.running;
    expect((await lease()).spec?.holderIdentity).toBe('');
  });

  it('rejects with what the work rejects with, and lets go', async () => {
    const running = runElected(
      {
        client: api.client,
        clock: api.clock,
        random: seededRandom(1),
        logger: silentLogger,
        metrics: createMetrics(),
        name: 'x',
        candidacy: { identity: 'a' },
      },
      new AbortController().signal,
      () => Promise.reject(new Error('broken')),
    );
    await expect(running).rejects.toThrow('broken');
    expect((await api.client.get<Lease>(LEASES, 'kube-system', 'x')).spec?.holderIdentity).toBe('');
  });

  it('makes a lease anew that was deleted', async () => {
    const a = candidate('a');
    await until(() => a.leading, 'a leads');
    await api.client.delete(LEASES, 'kube-system', 'kube-controller-manager');
    await advance(3_000);
    expect([a.leading, (await lease()).spec?.holderIdentity?.startsWith('a_')]).toEqual([true, true]);
  });

  it('takes over from a dead holder after its duration, counted from when it was seen', async () => {
    await api.client.create<Lease>(LEASES, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace: 'kube-system', name: 'kube-controller-manager' },
      spec: { holderIdentity: 'dead', leaseDurationSeconds: 15, renewTime: '2001-01-01T00:00:00.000000Z' },
    });
    const a = candidate('a');
    await advance(14_500);
    expect(a.leading).toBe(false);
    await advance(5_500);
    expect(a.leading).toBe(true);
    expect((await lease()).spec?.leaseTransitions).toBe(1);
  });

  it('refuses settings under which two could lead', async () => {
    const settings = { leaseDurationMs: 10_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };
    const signal = new AbortController().signal;
    const options = {
      client: api.client,
      clock: api.clock,
      random: seededRandom(1),
      logger: silentLogger,
      metrics: createMetrics(),
      name: 'x',
      candidacy: { identity: 'a', settings },
    };
    await expect(runElected(options, signal, async () => {})).rejects.toThrow('leaseDuration must exceed');
  });
});
