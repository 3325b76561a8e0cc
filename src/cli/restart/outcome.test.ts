import { describe, expect, it } from 'vitest';
import type { ContainerStatus, Pod, PodRestartSpec, PodRestartStatus } from '../../api/index.ts';
import { outcomeOf, secondsText } from './outcome.ts';

function status(name: string, life: number): ContainerStatus {
  return { name, image: '', imageID: '', ready: true, restartCount: life, containerID: `c://${name}-${life}` };
}

function pod(podIP: string, life: number, uid = 'u'): Pod {
  return {
    metadata: { uid },
    spec: { containers: [], initContainers: [{ name: 'init' }, { name: 'side', restartPolicy: 'Always' }] },
    status: {
      podIP,
      initContainerStatuses: [status('init', life), status('side', life)],
      containerStatuses: [status('main', life)],
    },
  };
}

const one = pod('10.1.2.3', 3);
const next = pod('10.1.2.7', 4);
const withoutInit: Pod = {
  ...next,
  status: { ...next.status, initContainerStatuses: [status('init', 3), status('side', 4)] },
};

describe('outcomeOf', () => {
  it.each<[PodRestartSpec, PodRestartStatus, Pod | undefined, string, string]>([
    [
      { scope: 'pod' },
      { phase: 'Succeeded', reason: 'Restarted' },
      next,
      'restarted',
      'pod/web restarted (scope pod, 1.9s): address 10.1.2.3 → 10.1.2.7, init containers ran again',
    ],
    [
      { scope: 'pod', emptyDirs: ['*'] },
      { phase: 'Succeeded' },
      withoutInit,
      'restarted',
      'pod/web restarted (scope pod, 1.9s): address 10.1.2.3 → 10.1.2.7, emptyDirs emptied',
    ],
    [
      { scope: 'pod', emptyDirs: ['a', 'b'] },
      { phase: 'Succeeded' },
      undefined,
      'restarted',
      'pod/web restarted (scope pod, 1.9s)',
    ],
    [{ scope: 'containers' }, { phase: 'Succeeded' }, one, 'restarted', 'pod/web restarted (scope containers, 1.9s)'],
    [
      { scope: 'container', container: 'main' },
      { phase: 'Succeeded' },
      withoutInit,
      'restarted',
      'pod/web restarted (container main, 1.9s): address 10.1.2.3 → 10.1.2.7, restarts 3 → 4',
    ],
    [
      { scope: 'pod' },
      { phase: 'Succeeded' },
      pod('10.1.2.9', 1, 'other'),
      'restarted',
      'pod/web restarted (scope pod, 1.9s)',
    ],
    [
      {},
      { phase: 'Succeeded', reason: 'NotNeeded', message: 'it began later' },
      one,
      'skipped',
      'pod/web not restarted: it began later',
    ],
    [
      {},
      { phase: 'Succeeded', reason: 'Superseded' },
      next,
      'restarted',
      'pod/web restarted by another request, which superseded this one',
    ],
    [
      {},
      { phase: 'Failed', reason: 'PodFinished', message: 'the pod has ended' },
      one,
      'failed',
      'pod/web not restarted: PodFinished: the pod has ended',
    ],
    [{}, { phase: 'Failed' }, one, 'failed', 'pod/web not restarted: no reason is given'],
  ])('%j %j', (spec, restartStatus, after, kind, text) => {
    const pods = after === undefined ? {} : { before: one, after };
    const restart = { spec, status: restartStatus };
    expect(outcomeOf({ podName: 'web', restart, ...pods, tookMs: 1900 })).toEqual({ kind, text });
  });
});

it.each([
  [0, '0.0s'],
  [59_940, '59.9s'],
  [59_960, '1m0s'],
  [125_000, '2m5s'],
])('%d ms are %s', (ms, text) => expect(secondsText(ms)).toBe(text));
