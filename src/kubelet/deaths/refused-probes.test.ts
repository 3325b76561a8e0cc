import { describe, expect, it } from 'vitest';
import type { Container, ListeningPort, Pod } from '../../api/index.ts';
import { silentLogger } from '../../lib/index.ts';
import { createManualClock, settle } from '../../lib/manual-clock.node.ts';
import { testPod, UID, WALL } from '../plan/plan.fixtures.ts';
import type { FailedAttempt } from '../probes/probe-worker.ts';
import { FailedProbes } from './failed-probes.ts';
import { LISTENING_PERIOD_MS, MAX_LISTENING_PORTS } from './limits.ts';
import { asksItsPod, RefusedProbes } from './refused-probes.ts';

const REFUSED = 'dial tcp 10.0.0.9:9090: connect: connection refused';
const UNCONNECTED = 'timeout: failed to connect service "10.0.0.9:9090" within 1s: context deadline exceeded';
const tcp = { tcpSocket: { port: 9090 } };

function world() {
  const clock = createManualClock({ wall: WALL, mono: 0 });
  const failedProbes = new FailedProbes(clock);
  const looks: string[] = [];
  const state: { ports: readonly ListeningPort[] | undefined; broken: boolean } = {
    ports: [{ port: 8080, own: true }],
    broken: false,
  };
  const probes = new RefusedProbes({
    clock,
    logger: silentLogger,
    failedProbes,
    cgroups: {
      processes: async ({ path, containerId }) => {
        looks.push(`${path.at(-1)}/${containerId}`);
        return [7];
      },
    },
    listeners: {
      of: async (pids) => {
        if (state.broken) throw new Error('broken');
        return pids[0] === 7 ? state.ports : undefined;
      },
    },
  });
  const fail = async (change: Partial<FailedAttempt> = {}): Promise<void> => {
    const container: Container = { name: 'main', image: 'busybox', livenessProbe: tcp, readinessProbe: tcp };
    probes.failed({
      pod: testPod(),
      container,
      containerId: 'c1',
      kind: 'liveness',
      output: REFUSED,
      decides: false,
      ...change,
    });
    await settle();
  };
  return { clock, failedProbes, looks, state, fail, listening: () => failedProbes.of('c1', 'liveness').listening };
}

describe('a refused probe', () => {
  it.each([REFUSED, UNCONNECTED])('%s: somebody looks who listens', async (output) => {
    const { failedProbes, looks, fail } = world();
    await fail({ output });
    expect(failedProbes.of('c1', 'liveness')).toMatchObject({
      outputs: [{ output }],
      listening: [{ port: 8080, own: true }],
    });
    expect(looks).toEqual([`pod${UID}/c1`]);
  });

  it('is looked into seldom, for all probes of the container at once, and always when it decides', async () => {
    const { clock, failedProbes, looks, state, fail, listening } = world();
    state.ports = [];
    await fail();
    state.ports = [{ port: 8080, own: true }];
    await clock.advance(LISTENING_PERIOD_MS - 1);
    await fail({ kind: 'readiness' });
    expect([looks.length, failedProbes.of('c1', 'readiness').listening]).toEqual([1, []]);
    await fail({ decides: true });
    expect([looks.length, listening()]).toEqual([2, [{ port: 8080, own: true }]]);
    await clock.advance(LISTENING_PERIOD_MS);
    await fail();
    await fail({ containerId: 'c2' });
    expect(looks.length).toBe(4);
  });

  it.each<[string, readonly ListeningPort[] | undefined, readonly ListeningPort[]]>([
    ['it closed its port when it was told to end', [], [{ port: 8080, own: true }]],
    ['others still listen', [{ port: 15_001, own: false }], [{ port: 8080, own: true }]],
    ['it is gone', undefined, [{ port: 8080, own: true }]],
    ['it listens on one more', [{ port: 8080 }, { port: 8081 }], [{ port: 8080 }, { port: 8081 }]],
  ])('keeps what tells most: %s', async (_, later, kept) => {
    const { state, fail, listening } = world();
    await fail();
    state.ports = later;
    await fail({ decides: true });
    expect(listening()).toEqual(kept);
  });

  it('keeps so many ports', async () => {
    const { state, fail, listening } = world();
    state.ports = Array.from({ length: 100 }, (_, n) => ({ port: 8000 + n, own: true }));
    await fail();
    expect(listening()?.length).toBe(MAX_LISTENING_PORTS);
  });

  it('forgets where it listened once somebody answers', async () => {
    const { fail, failedProbes, listening } = world();
    await fail();
    expect(failedProbes.refused('c1')).toMatchObject([{ type: 'liveness', listening: [{ port: 8080 }] }]);
    await fail({ output: 'HTTP probe failed with statuscode: 404' });
    expect([listening(), failedProbes.refused('c1')]).toEqual([undefined, []]);
  });

  it('is remembered without it when nobody could look, or the death was recorded meanwhile', async () => {
    const { state, fail, failedProbes, listening } = world();
    state.broken = true;
    await fail();
    expect([failedProbes.of('c1', 'liveness').outputs.length, listening()]).toEqual([1, undefined]);
    failedProbes.forget('c1');
    failedProbes.listened('c1', 'liveness', [{ port: 1 }]);
    expect(failedProbes.of('c1', 'liveness')).toEqual({ outputs: [] });
  });

  it('that was none is not looked into', async () => {
    const { looks, fail } = world();
    await fail({ output: 'HTTP probe failed with statuscode: 404' });
    await fail({ output: 'dial tcp 10.0.0.9:9090: i/o timeout' });
    expect(looks).toEqual([]);
  });
});

describe('whether a probe asks its own pod, in a network of its own', () => {
  const pod = (spec: object = {}): Pod => ({ ...testPod(), spec: { containers: [], ...spec } });
  const exec = { exec: { command: ['curl', 'localhost'] } };
  it.each<[string, object, object, boolean]>([
    ['by TCP', {}, { tcpSocket: { port: 80 } }, true],
    ['by HTTP', {}, { httpGet: { port: 'http' } }, true],
    ['by gRPC', {}, { grpc: { port: 80 } }, true],
    ['by a command', {}, exec, false],
    ['another host', {}, { httpGet: { port: 80, host: '10.0.0.1' } }, false],
    ['another host by TCP', {}, { tcpSocket: { port: 80, host: 'db' } }, false],
    ['on the network of the node', { hostNetwork: true }, { tcpSocket: { port: 80 } }, false],
    ['in a runtime of another make', { runtimeClassName: 'gvisor' }, { tcpSocket: { port: 80 } }, false],
  ])('%s', (_, spec, startupProbe, expected) => {
    const container: Container = { name: 'main', image: 'x', startupProbe };
    expect(asksItsPod({ pod: pod(spec), container, kind: 'startup' })).toBe(expected);
  });

  it('looks at the probe that failed', () => {
    const container: Container = { name: 'main', image: 'x', livenessProbe: exec, readinessProbe: tcp };
    expect(asksItsPod({ pod: pod(), container, kind: 'liveness' })).toBe(false);
    expect(asksItsPod({ pod: pod(), container, kind: 'readiness' })).toBe(true);
  });
});
