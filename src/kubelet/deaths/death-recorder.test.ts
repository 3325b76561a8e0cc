import { describe, expect, it } from 'vitest';
import type { CpuThrottling, DeathRecord } from '../../api/index.ts';
import { createMetrics, silentLogger } from '../../lib/index.ts';
import { createManualClock, settle } from '../../lib/manual-clock.node.ts';
import { type Death, emptyMemory, type PodNote, withContainer } from '../plan/pod-memory.ts';
import { testContainer, testPod, UID, WALL } from '../plan/plan.fixtures.ts';
import type { RuntimeContainer } from '../types.ts';
import { DeathRecorder } from './death-recorder.ts';
import { DeathStore } from './death-store.ts';
import { memoryFiles } from './deaths.fixtures.ts';
import { FailedProbes } from './failed-probes.ts';
import { ENDING_HOLD_MS, LOG_WAIT_MS } from './limits.ts';
import { asTold, NO_EVIDENCE, type OomEvidence } from './oom-proofs.ts';
import { RecentChanges } from './recent-changes.ts';

const LOGS = '/logs/default_web_' + UID;

function death(n: number, change: Partial<Death> = {}): Death {
  return {
    containerId: `main-${n}`,
    restartCount: n,
    exitCode: 1,
    reason: 'Error',
    startedAt: WALL,
    finishedAt: WALL + 1000 * n,
    message: '',
    messageRead: false,
    ...change,
  };
}

const noteOf = (...deaths: readonly Death[]): PodNote =>
  withContainer(emptyMemory('default', 'web').note, 'main', {
    deaths,
    newest: { containerId: deaths[0]?.containerId ?? '', restartCount: deaths[0]?.restartCount ?? 0, startedAt: WALL },
  });

function world() {
  const clock = createManualClock({ wall: WALL, mono: 0 });
  const disk = memoryFiles(() => clock.now().wall);
  const events: string[] = [];
  const evidence: { of: OomEvidence; cpu?: CpuThrottling; forgotten: string[] } = { of: NO_EVIDENCE, forgotten: [] };
  const pod = testPod();
  const secrets: string[] = [];
  const life = () => {
    const metrics = createMetrics();
    const store = new DeathStore({
      fs: disk.fs,
      clock,
      logger: silentLogger,
      rootDir: '/r',
      retentionMs: 1,
      isKnown: () => undefined,
      onLost: () => {},
    });
    const failedProbes = new FailedProbes(clock);
    const recorder = new DeathRecorder(
      { clock, logger: silentLogger, metrics, fs: disk.fs },
      {
        podLogsDir: '/logs',
        changes: new RecentChanges(clock),
        failedProbes,
        oom: { evidence: () => evidence.of, forget: (id) => void evidence.forgotten.push(id) },
        secrets: async () => secrets,
        cpu: { of: () => evidence.cpu, forget: (id) => void evidence.forgotten.push(`cpu of ${id}`) },
        isOurReason: () => false,
      },
      {
        store,
        events: { pod: (_pod, type, reason, message) => events.push(`${type} ${reason} ${message}`), node: () => {} },
      },
    );
    const observe = (note: PodNote, more: { readonly instances?: readonly RuntimeContainer[] } = {}) => {
      const { instances = [] } = more;
      recorder.observe({
        pod,
        noteBefore: note,
        note,
        observed: { uid: UID, name: 'web', namespace: 'default', sandboxes: [], containers: instances, at: 0 },
      });
    };
    const deaths = async (): Promise<readonly DeathRecord[]> => {
      await recorder.settled();
      return (await store.read(UID))?.containers[0]?.deaths ?? [];
    };
    return { store, recorder, observe, deaths, failedProbes, metrics };
  };
  return { clock, disk, events, evidence, pod, secrets, life };
}

const log = (...words: readonly string[]) => words.map((word) => `2026-01-01T00:00:00Z stdout F ${word}\n`).join('');

describe('a death', () => {
  it('is recorded once, however many passes and agents see it, with its own log', async () => {
    const { disk, life } = world();
    disk.files.set(`${LOGS}/main/0.log`, log('first'));
    disk.files.set(`${LOGS}/main/1.log`, log('second'));
    const first = life();
    first.observe(noteOf(death(0)));
    first.observe(noteOf(death(1), death(0)));
    first.observe(noteOf(death(1), death(0)));
    expect((await first.deaths()).map((each) => [each.number, each.log?.tail])).toEqual([
      [1, 'first\n'],
      [2, 'second\n'],
    ]);
    const second = life();
    second.observe(noteOf(death(2), death(1)));
    expect((await second.deaths()).map((each) => each.containerId)).toEqual(['main-0', 'main-1', 'main-2']);
    expect(second.metrics.text()).toContain('mendlet_death_records_total{result="known"} 1');
  });

  it('is told with more of its log when it is the first', async () => {
    const { disk, life } = world();
    const long = log(...Array.from({ length: 300 }, (_, n) => `line ${n}`));
    disk.files.set(`${LOGS}/main/0.log`, long);
    disk.files.set(`${LOGS}/main/1.log`, long);
    const { observe, deaths } = life();
    observe(noteOf(death(0)));
    await deaths();
    observe(noteOf(death(1), death(0)));
    const lines = (await deaths()).map((each) => each.log?.tail.split('\n').length);
    expect(lines).toEqual([161, 41]);
  });

  it('reports what its container said, and masks what is secret, also in other forms than usual', async () => {
    const { disk, events, secrets, life } = world();
    secrets.push('correct horse battery');
    disk.files.set(
      `${LOGS}/main/0.log`,
      log('starting', 'Error: correct horse battery is refused by postgres://a:b1c2d3@db:5432', 'bye'),
    );
    const { observe, deaths } = life();
    observe(noteOf(death(0)));
    const says = 'Error: *** is refused by postgres://***@db:5432';
    const [found] = await deaths();
    expect(found?.log?.says).toBe(says);
    expect(found?.log?.tail).not.toContain('horse');
    expect(events).toEqual([`Warning ContainerFailed Container main ended with exit code 1: ${says}`]);
    disk.files.set(
      `${LOGS}/main/1.log`,
      log('starting', 'Error: correct horse battery is refused by postgres://a:b1c2d3@db:5432'),
    );
    observe(noteOf(death(1), death(0)));
    await deaths();
    expect(events.length).toBe(1);
  });

  it('waits for its log to be whole, but not for ever', async () => {
    const { clock, disk, life } = world();
    const { observe, deaths } = life();
    const ending = testContainer({ id: 'main-0', state: 'exited', ending: true, logPath: '/x/0.log' });
    observe(noteOf(death(0)), { instances: [ending] });
    expect(await deaths()).toEqual([]);
    disk.files.set('/x/0.log', log('last words'));
    const { ending: _gone, ...ended } = ending;
    observe(noteOf(death(0)), { instances: [ended] });
    expect((await deaths())[0]?.log?.tail).toBe('last words\n');
    const stuck = testContainer({ id: 'main-1', state: 'exited', ending: true });
    observe(noteOf(death(1), death(0)), { instances: [stuck] });
    await clock.advance(ENDING_HOLD_MS + 1);
    observe(noteOf(death(1), death(0)), { instances: [stuck] });
    expect((await deaths()).length).toBe(2);
  });

  it('gets what becomes known later: also while it is being written', async () => {
    const { life } = world();
    const { observe, deaths } = life();
    observe(noteOf(death(0)));
    observe(noteOf(death(0, { delayMs: 100 })));
    expect((await deaths())[0]?.backOffSeconds).toBe(0.1);
    observe(noteOf(death(0, { delayMs: 100, message: 'bye', messageRead: true })));
    expect((await deaths())[0]?.message).toBe('bye');
  });

  it('has its proof and its probe', async () => {
    const { life, evidence } = world();
    evidence.of = { ...NO_EVIDENCE, counted: { oomKills: 1, peakBytes: 9, limitBytes: 10 } };
    const { observe, deaths, failedProbes, metrics } = life();
    for (let n = 1; n <= 7; n += 1) failedProbes.failed('main-0', 'liveness', `failure ${n}`);
    const note = withContainer(noteOf(death(0)), 'main', {
      ...noteOf(death(0)).containers['main'],
      deaths: [death(0)],
      kill: {
        containerId: 'main-0',
        message: 'x',
        gracePeriodSeconds: 1,
        requestedAt: 0,
        restart: true,
        cause: 'liveness',
      },
    });
    observe(note);
    const [found] = await deaths();
    expect(found?.oom).toEqual({ kills: 1, peakBytes: 9, limitBytes: 10, sources: ['cgroup'] });
    expect(found?.probe?.outputs.map(({ output }) => output)).toEqual([7, 6, 5, 4, 3].map((n) => `failure ${n}`));
    expect(evidence.forgotten).toContain('main-0');
    expect(metrics.text()).toContain('mendlet_container_oom_kills_total{survived="false"} 1');
  });

  it('is kept although its log cannot be read', async () => {
    const { disk, life } = world();
    const { observe, deaths } = life();
    disk.fs.stat = async () => {
      const { FileError } = await import('../../lib/index.ts');
      throw new FileError('EIO', '/x', 'EIO');
    };
    observe(noteOf(death(0)));
    expect(await deaths()).toMatchObject([{ containerId: 'main-0' }]);
  });
});

describe('what cannot be recorded', () => {
  it.each([
    ['a time that is none', testPod(), death(0, { finishedAt: 1e300 })],
    ['a message that is none', testPod(), death(0, { message: undefined as never })],
  ])('%s breaks no pass, and is told once', (_name, of, broken) => {
    const { recorder, metrics } = world().life();
    const note = noteOf(broken, death(1));
    for (let pass = 0; pass < 3; pass += 1) {
      recorder.observe({ pod: of, noteBefore: note, note, observed: undefined });
    }
    expect(metrics.text()).toContain('mendlet_death_records_total{result="failed"} 1');
  });

  it('an orphan without a name has at least its deaths', async () => {
    const { recorder, deaths } = world().life();
    const note = noteOf(death(0));
    const pod = testPod({}, { name: '', namespace: '' });
    recorder.observe({ pod, noteBefore: note, note, observed: undefined });
    expect((await deaths()).length).toBe(1);
  });
});

describe('a disk that hangs', () => {
  it('holds up no pass, and removals of logs only for a moment', async () => {
    const { clock, disk, life } = world();
    disk.fs.readFile = () => new Promise(() => {});
    const { observe, recorder } = life();
    for (let n = 0; n < 600; n += 1) observe(noteOf(death(n)));
    let mayGo = false;
    void recorder.logsRead(UID).then(() => {
      mayGo = true;
    });
    await settle();
    expect(mayGo).toBe(false);
    await clock.advance(LOG_WAIT_MS);
    expect(mayGo).toBe(true);
  });

  it('bounds what waits for it', () => {
    const { disk, life } = world();
    disk.fs.readFile = () => new Promise(() => {});
    const { observe, metrics } = life();
    for (let n = 0; n < 600; n += 1) observe(noteOf(death(n)));
    expect(metrics.text()).toMatch(/mendlet_death_records_total\{result="dropped"\} 88/);
  });
});

it('notes the end of a pod after its deaths', async () => {
  const { life } = world();
  const { observe, recorder, store, deaths } = life();
  const ending = testContainer({ id: 'main-0', state: 'exited', ending: true });
  observe(noteOf(death(0)), { instances: [ending] });
  recorder.gone(UID);
  expect((await deaths()).length).toBe(1);
  expect((await store.read(UID))?.goneAt).toBeDefined();
});

it('tells survivors’ losses seldom, and records them all', async () => {
  const { clock, events, pod, life } = world();
  const { recorder, deaths } = life();
  const container = {
    pod,
    name: 'main',
    id: 'main-0',
    startedAt: WALL,
    restartCount: 0,
    logPath: '/x',
    limitBytes: 64,
    limitMillicores: undefined,
  };
  for (const kills of [1, 3]) {
    const proof = { kills, limitBytes: 67_108_864, processes: [{ name: 'hog', pid: 7 }], sources: ['cgroup'] as const };
    recorder.survived({ container, proof, untold: kills === 1 ? 1 : 2 });
    await clock.advance(10_000);
  }
  expect(events).toEqual([
    'Warning OOMKilledProcess container main: process hog (pid 7) was killed for memory (limit 64Mi) and the container lives on',
  ]);
  expect(await deaths()).toMatchObject([
    {
      number: 1,
      survived: true,
      reason: 'OOMKilled',
      message: '3 processes were killed for memory (limit 64Mi), last hog (pid 7); the container lives on',
      oom: { kills: 3 },
    },
  ]);
});

it('takes a survival back when its container has died of that kill', async () => {
  const { clock, evidence, pod, life } = world();
  const { recorder, observe, deaths, metrics } = life();
  const container = {
    pod,
    name: 'main',
    id: 'main-0',
    startedAt: WALL,
    restartCount: 0,
    logPath: '/x',
    limitBytes: 64,
    limitMillicores: undefined,
  };
  const before = { ...NO_EVIDENCE, counted: { oomKills: 1, peakBytes: 60 } };
  const proof = { kills: 1, peakBytes: 60, sources: ['cgroup'] as const };
  recorder.survived({ container, proof, untold: 1 });
  evidence.of = asTold(before, clock.now().wall);
  observe(noteOf(death(0, { exitCode: 137, finishedAt: clock.now().wall - 2000 })));
  const records = await deaths();
  expect(records).toMatchObject([
    { number: 1, containerId: 'main-0', exitCode: 137, oom: { kills: 1, sources: ['cgroup'] } },
  ]);
  expect(records[0]?.survived).toBeUndefined();
  expect(metrics.text()).not.toMatch(/oom_kills_total\{survived="false"\} [1-9]/);
});

it('leaves a survival that was one', async () => {
  const { clock, evidence, pod, life } = world();
  const { recorder, observe, deaths } = life();
  const container = {
    pod,
    name: 'main',
    id: 'main-0',
    startedAt: WALL,
    restartCount: 0,
    logPath: '/x',
    limitBytes: 64,
    limitMillicores: undefined,
  };
  recorder.survived({ container, proof: { kills: 1, sources: ['cgroup'] }, untold: 1 });
  evidence.of = asTold({ ...NO_EVIDENCE, counted: { oomKills: 1 } }, clock.now().wall);
  observe(noteOf(death(0, { exitCode: 3, finishedAt: clock.now().wall + 1000 })));
  expect((await deaths()).map(({ number, survived, oom }) => [number, survived, oom?.kills])).toEqual([
    [1, true, 1],
    [2, undefined, undefined],
  ]);
});

it('keeps how its CPU limit held it back', async () => {
  const { evidence, life } = world();
  const { observe, deaths } = life();
  observe(noteOf(death(0)));
  expect((await deaths())[0]?.cpu).toBeUndefined();
  evidence.cpu = { periods: 60, throttledPeriods: 58, limitMillicores: 20 };
  observe(noteOf(death(1), death(0)));
  expect((await deaths())[1]?.cpu).toEqual(evidence.cpu);
  expect(evidence.forgotten).toContain('cpu of main-1');
});
