import { describe, expect, it } from 'vitest';
import type { ContainerStatus, Event, Pod } from '../../api/index.ts';
import { demoPods } from './demo-pods.ts';
import { type DemoState, emptyDemo, formatMs, onEvent, onPod, onRecord, unexplained } from './demo-state.ts';
import { demoScreen, entryText, plainPaint, summary } from './demo-view.ts';

const began = 1000;
const wallBegan = Date.parse('2026-01-02T03:00:00Z');
const at = (ms: number) => ({ mono: began + ms, wall: wallBegan + ms });
const time = (ms: number) => new Date(wallBegan + ms).toISOString();

function pod(name: string, status: Partial<ContainerStatus>): Pod {
  return {
    metadata: { name },
    spec: demoPods.find((demo) => demo.name === name)?.pod.spec,
    status: {
      phase: 'Running',
      containerStatuses: [{ name: 'app', restartCount: 0, ready: true, image: '', imageID: '', ...status }],
    },
  };
}
const dead = (id: string, exitCode: number, finished: number, more: object = {}) => ({
  terminated: { containerID: id, exitCode, reason: 'Error', finishedAt: time(finished), startedAt: time(0), ...more },
});
const running = { running: { startedAt: time(0) } };
const texts = (state: DemoState) => state.timeline.map((entry) => entryText(entry, began));

describe('demo state', () => {
  it('times a healing that it saw', () => {
    let state = onPod(emptyDemo, pod('crasher', { state: running }), at(0));
    state = onPod(state, pod('crasher', { state: dead('c1', 1, 4000) }), at(4000));
    state = onPod(state, pod('crasher', { state: dead('c1', 1, 4000, { message: 'a\nno such file\n' }) }), at(4010));
    expect(state.pods['crasher']?.now).toEqual({ kind: 'dead' });
    state = onPod(state, pod('crasher', { state: running, lastState: dead('c1', 1, 4000), restartCount: 1 }), at(4120));
    // News of the same things changes nothing.
    state = onPod(state, pod('crasher', { state: running, lastState: dead('c1', 1, 4000), restartCount: 1 }), at(9000));
    expect(texts(state)).toEqual([
      '00:04  crasher   died, exit code 1: "no such file"',
      '00:04  crasher   healed in 0.12 s (restart 1)',
    ]);
    expect(state).toMatchObject({ deaths: 1, healings: 1, slowestHealingMs: 120 });
    expect(state.pods['crasher']).toMatchObject({
      restarts: 1,
      healedInMs: 120,
      now: { kind: 'running', since: began + 4120 },
    });
    expect(summary(state)).toBe('1 death, 1 healed; the slowest healing without a back-off took 0.12 s.');
  });

  it('counts a death that it saw only afterwards, and gives no time for it', () => {
    const state = onPod(
      emptyDemo,
      pod('crasher', { state: running, lastState: dead('c1', 1, 10), restartCount: 1 }),
      at(50),
    );
    expect(texts(state)).toEqual(['00:00  crasher   died, exit code 1', '00:00  crasher   healed at once (restart 1)']);
    expect(state.pods['crasher']?.healedInMs).toBeUndefined();
  });

  it('shows when a back-off ends', () => {
    const waiting = {
      reason: 'CrashLoopBackOff',
      message: 'back-off 1m20s restarting failed container=app pod=crasher',
    };
    let state = onPod(
      emptyDemo,
      pod('crasher', { state: { waiting }, lastState: dead('c1', 1, 4000), restartCount: 2 }),
      at(4500),
    );
    expect(state.pods['crasher']?.now).toEqual({ kind: 'back-off', until: began + 84_000 });
    state = onPod(
      state,
      pod('crasher', { state: running, lastState: dead('c1', 1, 4000), restartCount: 3 }),
      at(84_100),
    );
    expect(texts(state).slice(1)).toEqual([
      '00:04  crasher   waits for a back-off of 80 s, as it keeps dying (CrashLoopBackOff)',
      '01:24  crasher   restarted after its back-off (restart 3)',
    ]);
  });

  it('tells a hang by its probe and memory by its reason', () => {
    let state = onPod(emptyDemo, pod('hanger', { state: running }), at(0));
    const event = {
      reason: 'Unhealthy',
      message: 'Liveness probe failed: timeout',
      involvedObject: { name: 'hanger' },
    } as Event;
    state = onEvent(onEvent(state, event, at(7000)), event, at(8000));
    state = onPod(state, pod('hanger', { state: dead('h1', 143, 9000) }), at(9000));
    state = onPod(
      state,
      pod('hanger', { state: running, lastState: dead('h1', 143, 9000), restartCount: 1 }),
      at(9100),
    );
    state = onPod(state, pod('greedy', { state: dead('g1', 137, 9500, { reason: 'OOMKilled' }) }), at(9500));
    expect(texts(state)).toEqual([
      '00:07  hanger    Liveness probe failed: timeout',
      '00:09  hanger    died, killed as its liveness probe kept failing (exit code 143)',
      '00:09  hanger    healed in 0.10 s (restart 1)',
      '00:09  greedy    died, OOMKilled at its memory limit of 24Mi (exit code 137)',
    ]);
    expect(state.pods['hanger']?.probeFailure).toBeUndefined();
  });

  it('tells a hang by the record of its death when no event told of it', () => {
    const end = dead('containerd://h1', 143, 9000);
    const running1 = pod('hanger', { state: running, lastState: end, restartCount: 1 });
    const state = onPod(onPod(emptyDemo, pod('hanger', { state: end }), at(9000)), running1, at(9100));
    expect(unexplained(state, 'hanger')).toBe('h1');
    const record = {
      number: 1,
      containerId: 'h1',
      restartCount: 0,
      finishedAt: time(9000),
      exitCode: 143,
      reason: 'Error',
    };
    expect(onRecord(state, 'hanger', record)).toBe(state);
    const probe = { type: 'liveness' as const, outputs: [] };
    expect(onRecord(state, 'hanger', { ...record, containerId: 'h0', probe })).toBe(state);
    const told = onRecord(state, 'hanger', { ...record, probe });
    expect(texts(told)).toEqual([
      '00:09  hanger    died, killed as its liveness probe kept failing (exit code 143)',
      '00:09  hanger    healed in 0.10 s (restart 1)',
    ]);
    expect(told.pods['hanger']?.lastDeath?.short).toBe('hung');
    expect(unexplained(told, 'hanger')).toBeUndefined();
  });

  it('takes no notice of other events', () => {
    const state = onPod(emptyDemo, pod('web', { state: running }), at(0));
    const event = {
      reason: 'Unhealthy',
      message: 'Readiness probe failed: x',
      involvedObject: { name: 'web' },
    } as Event;
    expect(onEvent(state, event, at(1))).toBe(state);
  });
});

describe('demoScreen', () => {
  const options = {
    columns: 100,
    rows: 20,
    mono: began + 75_000,
    began,
    runtime: 'containerd 2.1',
    kubeconfig: '/k',
    paint: plainPaint,
  };

  it('fits into the terminal', () => {
    let state = emptyDemo;
    for (let index = 0; index < 50; index++) {
      state = onPod(
        state,
        pod('crasher', { state: dead(`c${index}`, 1, 0, { message: 'x'.repeat(200) }) }),
        at(index * 1000),
      );
    }
    for (const rows of [14, 20, 40]) {
      const lines = demoScreen(state, { ...options, rows });
      expect(lines.length).toBeLessThanOrEqual(Math.max(rows, 16));
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
    }
  });

  it('shows every pod, also before there is news of it', () => {
    const text = demoScreen(emptyDemo, options).join('\n');
    for (const { name } of demoPods) expect(text).toContain(name);
    expect(text).toContain('being created');
    expect(text).toContain('for 1 min 15 s');
    expect(text).toContain('kubectl --kubeconfig /k -n demo describe pod crasher');
  });
});

describe('formatMs', () => {
  it.each([
    [0, '0.00 s'],
    [994, '0.99 s'],
    [995, '1.0 s'],
    [9949, '9.9 s'],
    [9950, '10 s'],
  ])('%d', (ms, text) => expect(formatMs(ms)).toBe(text));
});
