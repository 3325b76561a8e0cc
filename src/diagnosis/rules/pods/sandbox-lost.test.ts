/** Tests of what is said about pods whose sandbox or shim went away. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, event, evidence, history, pod } from '../../evidence.fixtures.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';

const again = (exitCode: number): Partial<PodEvidence> => ({
  pod: pod({
    status: {
      restartCount: 1,
      state: { running: { startedAt: ago(28) } },
      lastState: {
        terminated: {
          exitCode,
          reason: 'Error',
          startedAt: ago(600),
          finishedAt: ago(30),
          containerID: 'containerd://dead',
        },
      },
    },
  }),
});
const events = [
  event('Killing', 'Stopping container web', { container: 'web', seconds: 30 }),
  event('SandboxChanged', 'Pod sandbox changed, it will be killed and re-created.', { seconds: 29 }),
];

describe('a lost sandbox', () => {
  it.each<[string, Partial<PodEvidence>, string, RegExp]>([
    [
      'its shim was killed',
      { ...again(255), history: history({ exitCode: 255, sandboxLost: 'the sandbox is not ready' }), events },
      'sandbox-lost',
      /^container web of pod web-1 ended 30s ago because the process .*, its shim, was killed; it runs again$/,
    ],
    ['on a node that keeps no history', { ...again(255), events }, 'sandbox-lost', /its shim, was killed/],
    [
      'its sandbox ended',
      { ...again(137), history: history({ exitCode: 137, sandboxLost: 'the sandbox is not ready' }) },
      'sandbox-lost',
      /because the sandbox of the pod was lost/,
    ],
    [
      'its node booted',
      {
        ...again(255),
        history: history({
          exitCode: 255,
          sandboxLost: 'the sandbox is not ready',
          changes: [{ at: ago(40), what: 'the node booted' }],
        }),
      },
      'node-booted',
      /because its node booted/,
    ],
  ])('%s', (_, given, id, says) => {
    const { findings } = diagnosePod(evidence(given));
    expect(findings.map((finding) => finding.id)).toEqual([id]);
    expect(findings[0]?.says).toMatch(says);
    expect(findings[0]?.severity).not.toBe('critical');
  });

  it('is forgotten after ten minutes', () => {
    const old = history({ exitCode: 255, sandboxLost: 'x', startedAt: ago(1000), finishedAt: ago(900) });
    const status = { restartCount: 1, state: { running: { startedAt: ago(890) } } };
    expect(diagnosePod(evidence({ pod: pod({ status }), history: old })).findings).toEqual([]);
  });
});
