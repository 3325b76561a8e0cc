import { describe, expect, it } from 'vitest';
import type { ContainerStatus, Pod, PodRestartSpec, PodRestartStatus } from '../../api/index.ts';
import { waitingFor, whyNotReady } from './waiting-for.ts';

const NOW = Date.UTC(2026, 0, 1);

function status(name: string, state: ContainerStatus['state'], containerID = `c://${name}-1`): ContainerStatus {
  return { name, image: '', imageID: '', ready: false, restartCount: 0, containerID, state: state ?? {} };
}

function pod(...containerStatuses: readonly ContainerStatus[]): Pod {
  return {
    spec: { containers: [], terminationGracePeriodSeconds: 12 },
    status: { phase: 'Running', containerStatuses: [...containerStatuses] },
  };
}

const running = status('main', { running: {} });
const backingOff = status('main', {
  waiting: { reason: 'CrashLoopBackOff', message: 'back-off 40s restarting failed container=main' },
});
const pulling = status('side', { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "x"' } });
const ended = status('main', { waiting: { reason: 'RestartingPod' } });

describe('waitingFor', () => {
  it.each<[string, PodRestartSpec, PodRestartStatus | undefined, Pod | undefined, number, string]>([
    ['at first', {}, undefined, pod(running), 0, 'waits to be taken up'],
    ['for long', {}, undefined, pod(running), 5000, 'the restart has not been taken up yet'],
    [
      'a time to come',
      { notBefore: '2026-01-01T00:01:00Z' },
      { phase: 'Pending' },
      pod(running),
      0,
      'waits until 2026-01-01T00:01:00Z, its --not-before',
    ],
    ['the agent', {}, { phase: 'Pending' }, pod(running), 0, "waits for its node's agent"],
    ['what the status says', {}, { phase: 'Pending', message: 'node away' }, pod(running), 0, 'node away'],
    [
      'a back-off',
      {},
      { phase: 'Pending' },
      pod(backingOff),
      0,
      'container main is in its back-off (CrashLoopBackOff: back-off 40s restarting failed container=main): --force starts it now',
    ],
    [
      'another restart of a pod that waits',
      {},
      { phase: 'Pending', reason: 'OneAtATime', message: 'waits for PodRestart a to end; …' },
      pod(backingOff),
      0,
      'waits for PodRestart a to end; …',
    ],
    [
      'a back-off that is passed',
      { force: true },
      { phase: 'Running', message: 'starts' },
      pod(status('main', {})),
      0,
      'starts',
    ],
    [
      'the end of what ran',
      {},
      { phase: 'Running' },
      pod(running),
      0,
      'container main is being stopped, with a grace of 12s',
    ],
    ['with a grace of its own', { gracePeriodSeconds: 3 }, { phase: 'Running' }, pod(running), 0, 'with a grace of 3s'],
    [
      'an image',
      {},
      { phase: 'Running' },
      pod(ended, pulling),
      0,
      'container side waits: ImagePullBackOff: Back-off pulling image "x"',
    ],
    [
      'others in scope container',
      { scope: 'container', container: 'main' },
      { phase: 'Running' },
      pod(ended, pulling),
      0,
      'is being restarted',
    ],
    ['a pod that is not seen', {}, { phase: 'Running' }, undefined, 0, 'is being restarted'],
  ])('%s', (_name, spec, restartStatus, now, waitedMs, wanted) => {
    const restart = { spec, ...(restartStatus === undefined ? {} : { status: restartStatus }) };
    const seen = now === undefined ? {} : { pod: now };
    expect(waitingFor({ restart, ...seen, before: pod(running), waitedMs, now: NOW })).toContain(wanted);
  });
});

describe('whyNotReady', () => {
  it.each<[Pod, string]>([
    [pod(backingOff), 'container main: CrashLoopBackOff: back-off 40s'],
    [{ status: { phase: 'Pending' } }, 'phase Pending'],
    [
      {
        status: {
          conditions: [
            {
              type: 'Ready',
              status: 'False',
              reason: 'ContainersNotReady',
              message: 'containers with unready status: [main]',
            },
          ],
        },
      },
      'containers with unready status: [main]',
    ],
  ])('%j', (sick, wanted) => expect(whyNotReady(sick)).toContain(wanted));
});
