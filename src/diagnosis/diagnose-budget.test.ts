/** Tests what is said of a disruption budget whose pods are ill. */
import { describe, expect, it } from 'vitest';
import type { PodDisruptionBudget } from '../api/index.ts';
import { budgetFindings, diagnoseBudget } from './diagnose-budget.ts';
import { diagnoseGroup } from './diagnose-group.ts';
import { ago, crashed, evidence, lastWords, NOW, pod } from './evidence.fixtures.ts';
import type { Pod } from './evidence/kinds.ts';
import type { BudgetEvidence } from './evidence/object-evidence.ts';

const DAMAGED = 'Bad file format reading the append only file appendonly.aof.1.incr.aof';
const ill = (name: string): Pod => pod({ name, status: crashed({ exitCode: 1 }) });
const budget = (healthy: number, wanted: number, all: number): PodDisruptionBudget => ({
  metadata: { name: 'kv', namespace: 'shop', uid: 'b', creationTimestamp: ago(900) },
  spec: { minAvailable: wanted, selector: { matchLabels: { app: 'kv' } } },
  status: {
    disruptionsAllowed: Math.max(0, healthy - wanted),
    currentHealthy: healthy,
    desiredHealthy: wanted,
    expectedPods: all,
  },
});
const about = (pods: readonly Pod[], illOnes: readonly Pod[], wanted: number): BudgetEvidence => ({
  now: NOW,
  budget: budget(pods.length - illOnes.length, wanted, pods.length),
  pods,
  looked: illOnes.map((one) => evidence({ pod: one, logs: lastWords(DAMAGED) })),
  events: [],
  notLookedAt: [],
  namespaceFlag: '',
});
const [one, two, three] = ['kv-0', 'kv-1', 'kv-2'].map((name) => pod({ name }));
const all = [one, two, three] as readonly Pod[];

describe('a budget that is used up', () => {
  it('says so first, with the pod that is ill and its cause', () => {
    const given = about([...all.slice(0, 2), ill('kv-2')], [ill('kv-2')], 2);
    const { findings } = diagnoseBudget(given);
    expect(findings[0]).toMatchObject({ id: 'budget-used-up', severity: 'critical' });
    expect(findings[0]?.says).toBe(
      `budget kv lets no pod be evicted: 2 of 3 pods are healthy, and it wants 2; pod kv-2: container web cannot read its data, which is damaged: ${DAMAGED}`,
    );
    expect(findings[1]?.says).toMatch(/^1 of 3 pods: container web cannot read its data/);
    // Among many objects the pod's own finding leads.
    expect(budgetFindings(given)[0]).toMatchObject({ severity: 'warning', rank: 45 });
  });

  it('names several', () => {
    const given = about([...all.slice(0, 1), ill('kv-1'), ill('kv-2')], [ill('kv-1'), ill('kv-2')], 2);
    expect(diagnoseBudget(given).findings[0]?.says).toMatch(
      /: 1 of 3 pods is healthy, and it wants 2; not ready: kv-1 and kv-2: container web cannot read/,
    );
  });

  it('is well while pods may go', () => {
    expect(diagnoseBudget(about(all, [], 2)).findings).toEqual([]);
  });
});

it('that never lets a pod go is a warning for who asks about it, and a note in its namespace', () => {
  const given = about(all, [], 3);
  expect(diagnoseBudget(given).findings[0]).toMatchObject({ id: 'budget-never-allows', severity: 'warning' });
  const parts = { workloads: [], barePods: [], cronJobs: [], claims: [], autoscalers: [], services: [], nodes: [] };
  const { findings } = diagnoseGroup({
    now: NOW,
    scope: { kind: 'namespace', namespace: 'shop' },
    pods: all,
    parts: { ...parts, budgets: [given] },
    notLookedAt: [],
  });
  expect(findings[0]).toMatchObject({ id: 'budget-never-allows', severity: 'info' });
});
