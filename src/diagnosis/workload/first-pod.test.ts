import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../diagnose-pod.ts';
import { diagnoseWorkload } from '../diagnose-workload.ts';
import { ago, evidence, NOW, pod } from '../evidence.fixtures.ts';
import type { Pod, WorkloadObject } from '../evidence/kinds.ts';
import type { PodEvidence } from '../evidence/pod-evidence.ts';

const job = {
  kind: 'Job',
  metadata: { name: 'import', namespace: 'shop', uid: 'j', creationTimestamp: ago(300) },
  spec: { template: {} },
} as WorkloadObject;

function attempt(name: string, seconds: number, line: string): PodEvidence {
  const failed: Pod = pod({
    name,
    spec: { restartPolicy: 'Never' },
    podStatus: { phase: 'Failed' },
    metadata: {
      creationTimestamp: ago(seconds),
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'import', uid: 'j', controller: true }],
    },
    status: {
      ready: false,
      state: {
        terminated: { exitCode: 1, reason: 'Error', startedAt: ago(seconds - 1), finishedAt: ago(seconds - 2) },
      },
    },
  });
  return evidence({ pod: failed, owners: [job], logs: { web: { current: [line] } } });
}

const says = (...looked: readonly PodEvidence[]): readonly string[] =>
  diagnoseWorkload({
    now: NOW,
    workload: job,
    events: [],
    pods: looked.map((one) => one.pod),
    looked,
    notLookedAt: [],
    namespaceFlag: '',
  }).findings.map((finding) => finding.says);

const NO_NUMBER = 'ValueError: invalid literal for int() with base 10: "n/a"';
const DUPLICATE = 'UniqueViolation: duplicate key value violates unique constraint "stock_pkey"';
const newest = attempt('import-3', 100, DUPLICATE);
const second = attempt('import-2', 200, DUPLICATE);

describe('the first attempt of a job', () => {
  it('leads when the later ones may only meet what it left', () => {
    const [first, next] = says(newest, second, attempt('import-1', 290, NO_NUMBER));
    expect(first).toMatch(
      /^container web ends: ValueError: invalid literal .*; that was the first attempt of job\/import \(pod import-1\), and the later ones may only meet what it left: UniqueViolation: duplicate key value/,
    );
    expect(next).toMatch(/^2 of 3 pods: container web ends: UniqueViolation/);
  });

  it('is told beside a later failure of another kind', () => {
    const found = says(
      attempt('import-3', 100, NO_NUMBER),
      attempt('import-2', 200, NO_NUMBER),
      attempt('import-1', 290, 'KeyError: "sku"'),
    );
    expect(found[0]).toMatch(
      /^2 of 3 pods: container web ends: ValueError: .*; its first attempt failed otherwise: KeyError: "sku"$/,
    );
  });

  it('is not told twice when all failed alike', () => {
    expect(says(newest, second)).toHaveLength(1);
  });

  it('leads for a later pod, too', () => {
    const given = { ...newest, firstAttempt: attempt('import-1', 290, NO_NUMBER) };
    expect(diagnosePod(given).findings[0]?.says).toMatch(
      /^container web ends: ValueError: .*; that was the first attempt of job import \(pod import-1\), and the later ones may only meet what it left: UniqueViolation/,
    );
  });
});
