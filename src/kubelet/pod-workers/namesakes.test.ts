import { describe, expect, it } from 'vitest';
import type { PodLifecycle } from '../plan/lifecycle.ts';
import { admittedMemory, observation, testPod, testSandbox, WALL } from '../plan/plan.fixtures.ts';
import { emptyMemory } from '../plan/pod-memory.ts';
import { endsBeforeItReturns, namesakeInTheWay } from './namesakes.ts';
import { isStaticPod, withMirrorAnnotations } from '../pods/static-pods.ts';

const FILE = { 'kubernetes.io/config.source': 'file' };
const request = { reason: 'Orphaned', message: '', gracePeriodSeconds: 1, requestedAt: WALL } as const;
const waiting: PodLifecycle = { state: 'waiting' };
const ending: PodLifecycle = { state: 'terminating', request, deadline: 0 };

const known = (uid: string, lifecycle: PodLifecycle, annotations: Record<string, string> = FILE, name = 'web') => ({
  uid,
  pod: testPod({}, { uid, name, annotations }),
  wanted: true,
  lifecycle,
  memory: lifecycle.state === 'waiting' ? emptyMemory('default', name) : admittedMemory(),
});

it.each([
  [FILE, true],
  [{ 'kubernetes.io/config.source': 'http' }, true],
  [{ 'kubernetes.io/config.source': 'api' }, false],
  [{}, false],
])('%j is static: %s', (annotations, expected) => {
  expect(isStaticPod(testPod({}, { annotations }))).toBe(expected);
});

describe('withMirrorAnnotations', () => {
  const mirror = testPod({}, { annotations: { 'mendlet.dev/restart-request': '{}', other: 'x' } });
  it('gives a static pod what of ours is on its mirror', () => {
    const pod = testPod({}, { annotations: FILE });
    const annotations = { ...FILE, 'mendlet.dev/restart-request': '{}' };
    expect(withMirrorAnnotations(pod, mirror).metadata?.annotations).toEqual(annotations);
    expect(withMirrorAnnotations(pod, testPod())).toBe(pod);
    expect(withMirrorAnnotations(pod, undefined)).toBe(pod);
  });

  it('leaves every other pod as it is', () => {
    const pod = testPod();
    expect(withMirrorAnnotations(pod, mirror)).toBe(pod);
  });
});

describe('namesakeInTheWay', () => {
  const fresh = known('new', waiting);
  it.each<[string, ReturnType<typeof known>[], string | undefined]>([
    ['nobody', [fresh], undefined],
    ['one that ends', [known('old', ending), fresh], 'old'],
    ['one that runs', [known('old', { state: 'syncing' }), fresh], 'old'],
    ['one that came later and runs', [fresh, known('other', { state: 'syncing' })], 'other'],
    ['one that waits, too, and came before', [known('old', waiting), fresh], 'old'],
    ['one that came after', [fresh, known('later', waiting)], undefined],
    ['another name', [known('old', ending, FILE, 'api'), fresh], undefined],
    // What an earlier agent left of it: its annotations are lost.
    ['a ghost', [known('old', ending, {}), fresh], 'old'],
  ])('%s', (_name, workers, expected) => expect(namesakeInTheWay(fresh, workers)).toBe(expected));

  it('is what an earlier agent left running', () => {
    const seen = { ...observation([]), uid: 'old' };
    expect(namesakeInTheWay(fresh, [fresh], [seen])).toBe('old');
    expect(namesakeInTheWay(fresh, [fresh], [{ ...seen, name: 'other' }])).toBeUndefined();
    const over = { ...seen, sandboxes: [testSandbox(0, { state: 'notready' })] };
    expect(namesakeInTheWay(fresh, [fresh], [over])).toBeUndefined();
  });

  it('is nobody for one that has begun', () => {
    expect(namesakeInTheWay(known('new', { state: 'syncing' }), [known('old', ending)])).toBeUndefined();
  });
});

describe('namesakeInTheWay of a pod of the API', () => {
  const fresh = known('new', waiting, {});
  it.each<[string, ReturnType<typeof known>[], string | undefined]>([
    ['nobody', [fresh], undefined],
    // Its object was deleted by force, and its containers have not ended yet.
    ['one that ends', [known('old', ending, {}), fresh], 'old'],
    ['one whose removal has not been looked at yet', [known('old', { state: 'syncing' }, {}), fresh], 'old'],
    ['one that came later, by a restart of the agent', [fresh, known('old', ending, {})], 'old'],
    ['one whose containers have ended', [known('old', { state: 'terminated', request }, {}), fresh], undefined],
    ['another name', [known('old', ending, {}, 'api'), fresh], undefined],
    ['a static pod', [known('old', { state: 'syncing' }), fresh], undefined],
  ])('%s', (_name, workers, expected) => expect(namesakeInTheWay(fresh, workers)).toBe(expected));

  it('is what an earlier agent left running, until it has a worker of its own', () => {
    const seen = { ...observation([]), uid: 'old' };
    expect(namesakeInTheWay(fresh, [fresh], [seen])).toBe('old');
    const over = known('old', { state: 'terminated', request }, {});
    expect(namesakeInTheWay(fresh, [fresh, over], [seen])).toBeUndefined();
  });

  it('is nobody for one that is to end itself', () => {
    expect(namesakeInTheWay({ ...fresh, wanted: false }, [known('old', ending, {})])).toBeUndefined();
  });
});

it.each([
  ['ends', ending, FILE, true],
  ['runs', { state: 'syncing' } as const, FILE, false],
  ['is of the API', ending, {}, false],
])('a pod that %s', (_name, lifecycle, annotations, expected) => {
  expect(endsBeforeItReturns(known('u', lifecycle, annotations as Record<string, string>))).toBe(expected);
});
