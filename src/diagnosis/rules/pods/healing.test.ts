import { describe, expect, it } from 'vitest';
import type { ContainerStatus } from '../../../api/index.ts';
import { diagnosePod } from '../../diagnose-pod.ts';
import { crashed, event, evidence, pod } from '../../evidence.fixtures.ts';

const paused = (status?: Partial<ContainerStatus>, annotation = 'looking at it') =>
  evidence({
    pod: pod({
      ...(status === undefined ? {} : { status }),
      metadata: { annotations: { 'mendlet.dev/healing-paused': annotation } },
      podStatus: {
        conditions: [
          {
            type: 'mendlet.dev/HealingPaused',
            status: 'True',
            reason: 'PausedByHand',
            message: `Healing is paused by hand: ${annotation}`,
          },
        ],
      },
    }),
  });

describe('paused healing', () => {
  it('is worth knowing while all is well', () => {
    const { findings } = diagnosePod(paused());
    expect(findings.map(({ id, severity }) => [id, severity])).toEqual([['healing-paused', 'info']]);
    expect(findings[0]?.says).toMatch(/^somebody has paused the healing of pod web-1: if a container of it ends/);
    expect(findings[0]?.try.join()).toContain('resume pod/web-1');
    expect(JSON.stringify(findings[0]?.evidence)).toContain('looking at it');
  });

  it.each<[string, number, number, number, string | undefined]>([
    [
      'failed as often as it may',
      3,
      66,
      60,
      'container web does not answer its liveness probe any more (since 66s): no answer from /live on port 8000 within its timeout of 1s (3 times); it would be restarted, but the healing of the pod is paused: looking at it',
    ],
    ['failed less often', 2, 63, 60, undefined],
    ['failed in an earlier life', 3, 4000, 3900, undefined],
  ])('is told with a liveness probe that %s', (_, count, first, seconds, says) => {
    const given = paused();
    const container = { livenessProbe: { httpGet: { path: '/live', port: 8000 }, periodSeconds: 3 } };
    const failed = event('Unhealthy', 'Liveness probe failed: context deadline exceeded', {
      container: 'web',
      count,
      first,
      seconds,
    });
    const { metadata, status } = given.pod;
    const { findings } = diagnosePod({
      ...given,
      events: [failed],
      pod: { ...pod({ container }), metadata, status },
    });
    expect(findings[0]?.says).toBe(says ?? findings.find(({ id }) => id === 'healing-paused')?.says);
    if (says !== undefined) expect([findings[0]?.severity, findings[0]?.manifest]).toEqual(['critical', undefined]);
  });

  it.each([
    ['Deployment/web', 'resume deployment/web'],
    ['Deployment/web;reboot', 'resume pod/web-1'],
    ['Job/web', 'resume pod/web-1'],
  ])('that came with a workload is resumed there: %s', (from, command) => {
    const facts = paused();
    const annotations = { ...facts.pod.metadata?.annotations, 'mendlet.dev/healing-paused-from': from };
    const pod = { ...facts.pod, metadata: { ...facts.pod.metadata, annotations } };
    expect(diagnosePod({ ...facts, pod }).findings[0]?.try.join()).toContain(command);
  });

  it('comes after the cause of an end, and says why nothing is done', () => {
    const status = { ...crashed({ exitCode: 3 }), state: { waiting: { reason: 'HealingPaused', message: 'x' } } };
    const { findings } = diagnosePod(paused(status));
    expect(findings[0]?.id).toBe('exit-code');
    const finding = findings.find(({ id }) => id === 'healing-paused');
    expect(finding).toMatchObject({ severity: 'critical' });
    expect(finding?.says).toMatch(/container web ended and stays so until somebody resumes it$/);
  });

  it('is over when the annotation is gone', () => {
    expect(diagnosePod(paused(undefined, 'false')).findings).toEqual([]);
  });
});
