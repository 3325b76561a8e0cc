import { describe, expect, test } from 'vitest';
import { HEALING_PAUSED, type Pod } from '../../api/index.ts';
import type { ContainerMemory, Death, PodNote, RequestedRestart } from '../plan/pod-memory.ts';
import { dayPass, dayPod, death } from './day-ring.fixtures.ts';
import { type DayPass, passFacts } from './pass-facts.ts';

const NOW = { wall: 1_700_000_000_000, mono: 5 };

function pass(pod: Pod, dead: Death, note: Partial<PodNote> = {}, memory: Partial<ContainerMemory> = {}): DayPass {
  const base = dayPass({ pod, ready: false });
  return { ...base, note: { ...base.note, ...note, containers: { main: { deaths: [dead], ...memory } } } };
}

const kill = (fields: Partial<RequestedRestart>): Partial<ContainerMemory> => ({
  kill: { containerId: 'c0', message: 'm', gracePeriodSeconds: 1, requestedAt: 0, restart: true, ...fields },
});
const restart = (source: 'request' | 'ladder'): Partial<PodNote> => ({
  restart: { id: 'r', source, scope: 'pod', reason: '', force: false, emptyDirs: [], begunAt: NOW.wall - 10 },
});
const kinds = (made: DayPass) => passFacts(made, NOW, undefined).ends.map(({ kind }) => kind);
const ofRestart = death({ startedAt: NOW.wall - 20, finishedAt: NOW.wall - 5 });

describe('whose end it was', () => {
  test.each<[string, Death, Partial<PodNote>, Partial<ContainerMemory>, string]>([
    ['a crash', death(), {}, {}, 'own'],
    ['exit code 0 of what should go on', death({ exitCode: 0 }), {}, {}, 'own'],
    ['a liveness probe', death({ exitCode: 137 }), {}, kill({ cause: 'liveness' }), 'own'],
    ['a hook that failed', death(), {}, kill({ cause: 'hook' }), 'own'],
    ['a lost sandbox', death({ exitCode: 255 }), {}, kill({ lostSandbox: 'gone' }), 'own'],
    ['a changed image', death(), {}, kill({}), 'asked'],
    ['a restart that was asked for', ofRestart, restart('request'), {}, 'asked'],
    ['a restart by the ladder', ofRestart, restart('ladder'), {}, 'step'],
    [
      'the restart of all for another one',
      death(),
      { restartAll: { sources: ['other'] } },
      kill({ skipPreStop: true }),
      'step',
    ],
  ])('%s', (_name, dead, note, memory, kind) => {
    expect(kinds(pass(dayPod(), dead, note, memory))).toEqual([kind]);
  });

  test('a program that may end, and ends well, is no loss', () => {
    const pod = dayPod();
    const job: Pod = { ...pod, spec: { restartPolicy: 'OnFailure', containers: pod.spec?.containers ?? [] } };
    expect(kinds(pass(job, death({ exitCode: 0 })))).toEqual([]);
    expect(kinds(pass(job, death({ exitCode: 2 })))).toEqual(['own']);
    const init: Pod = { ...pod, spec: { containers: [], initContainers: pod.spec?.containers ?? [] } };
    expect(kinds(pass(init, death({ exitCode: 0 })))).toEqual([]);
    expect(kinds(pass(init, death({ exitCode: 1 })))).toEqual(['own']);
    const debug = { ...pod, spec: { containers: [], ephemeralContainers: [{ name: 'main', image: 'x' }] } };
    expect(kinds(pass(debug as Pod, death()))).toEqual([]);
  });

  test('an end that the note had before is no news, unless nobody saw it', () => {
    const made = dayPass({ known: [{ finishedAt: NOW.wall - 100 }] });
    expect(kinds(made)).toEqual([]);
    expect(passFacts(made, NOW, NOW.wall - 50).ends).toEqual([]);
    expect(passFacts(made, NOW, NOW.wall - 150).ends).toHaveLength(1);
  });
});

test('a status that still calls a dead container running does not make the pod ready', () => {
  const made = dayPass({ deaths: [{ containerId: 'c0' }] });
  const says = (containerID: string): DayPass => ({
    ...made,
    status: {
      ...made.status,
      containerStatuses: made.status.containerStatuses?.map((each) => ({
        ...each,
        containerID,
        state: { running: {} },
      })),
    },
  });
  expect(passFacts(says('containerd://c0'), NOW, undefined).ready).toBe(false);
  expect(passFacts(says('containerd://c1'), NOW, undefined).ready).toBe(true);
});

describe('whether a human takes part', () => {
  const paused = {
    ...dayPod(),
    metadata: { ...dayPod().metadata, annotations: { [HEALING_PAUSED]: 'true' } },
  };
  test.each<[string, DayPass, boolean]>([
    ['nobody', dayPass(), false],
    ['a restart that was asked for', dayPass({ restart: { source: 'request' } }), true],
    ['a restart by the ladder', dayPass({ restart: { source: 'ladder' } }), false],
    ['a pause', dayPass({ pod: paused }), true],
    ['a try', { ...dayPass(), note: { ...dayPass().note, triedNow: '7' } }, true],
    [
      'new inputs',
      { ...dayPass(), note: { ...dayPass().note, recovery: { id: 'a', at: 1, cause: 'configmap', lasting: true } } },
      true,
    ],
    [
      'a dependency that is back',
      { ...dayPass(), note: { ...dayPass().note, recovery: { id: 'a', at: 1, cause: 'service/db' } } },
      false,
    ],
  ])('%s', (_name, made, human) => {
    expect(passFacts(made, NOW, undefined).human).toBe(human);
  });
});
