import { describe, expect, it } from 'vitest';
import type { ContainerStatus, SandboxStatus } from '../../cri/index.ts';
import { buildObservation } from './observation.ts';

function sandbox(attempt: number, createdAt: number): SandboxStatus {
  const metadata = { name: 'web', namespace: 'default', uid: 'u', attempt };
  return {
    id: `s${attempt}`,
    metadata,
    state: 'ready',
    createdAt,
    labels: {},
    annotations: {},
    ips: [],
    hostNetwork: false,
  };
}

function container(attempt: number, createdAt: number): ContainerStatus {
  const times = { createdAt, startedAt: createdAt, finishedAt: 0 };
  const image = { image: 'i', imageRef: 'i', labels: {}, annotations: {} };
  return {
    id: `c${attempt}`,
    sandboxId: 's0',
    name: 'main',
    attempt,
    state: 'running',
    ...times,
    ...image,
    exitCode: 0,
    reason: '',
    message: '',
    logPath: '',
  };
}

describe('buildObservation', () => {
  it('puts the newest first also when the wall clock was set back in between', () => {
    const observation = buildObservation(
      'u',
      [sandbox(0, 9000), sandbox(1, 2000)],
      [container(0, 9000), container(1, 2000)],
      0,
      undefined,
    );
    expect(observation?.sandboxes.map(({ id }) => id)).toEqual(['s1', 's0']);
    expect(observation?.containers.map(({ id }) => id)).toEqual(['c1', 'c0']);
  });
});
