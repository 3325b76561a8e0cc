/** Diagnoses a PodDisruptionBudget: whether it lets pods be evicted, and which pods keep it from that. Pure. */
import { findCondition } from '../api/index.ts';
import { podFindings } from './diagnose-pod.ts';
import type { BudgetEvidence } from './evidence/object-evidence.ts';
import { eventsWith, quoteEvent } from './facts/pod/events.ts';
import { nearestPod, wrongLabelsText } from './facts/peers/nearest-pod.ts';
import { objectCommands } from './facts/words/object-commands.ts';
import { podFacts } from './facts/pod/pod-facts.ts';
import { selectorTexts } from './facts/words/selector-text.ts';
import { inBrackets, listed, plural } from './facts/words/text.ts';
import type { Diagnosis, Quote, RankedFinding } from './finding.ts';
import { ordered, told } from './order-findings.ts';
import { causeOf, causeText, groupFindings } from './workload/group-findings.ts';

/** What keeps the budget from allowing an eviction, without the findings of its pods. */
export function budgetFindings(evidence: BudgetEvidence): readonly RankedFinding[] {
  const { budget, pods, events } = evidence;
  const { name = '' } = budget.metadata ?? {};
  const { disruptionsAllowed, currentHealthy = 0, desiredHealthy = 0, expectedPods = 0 } = budget.status ?? {};
  const { kubectl, why } = objectCommands(evidence.namespaceFlag);
  const base = { topic: 'budget', try: [kubectl('describe', `pdb/${name}`), kubectl('get', 'pods', '-o', 'wide')] };
  const counts: readonly Quote[] = [
    ...settings(evidence),
    {
      source: 'object',
      object: `poddisruptionbudget/${name}`,
      says: `${currentHealthy} of ${expectedPods} pods healthy, ${desiredHealthy} wanted, ${disruptionsAllowed ?? 0} may go`,
    },
  ];
  const condition = findCondition(budget.status?.conditions, 'DisruptionAllowed');
  if (condition?.status === 'False' && condition.reason === 'SyncFailed') {
    const [event] = eventsWith(events, 'CalculateExpectedPodCountFailed', 'UnmanagedPods');
    return [
      {
        ...base,
        id: 'budget-not-computed',
        severity: 'critical',
        rank: 70,
        says: `nothing that budget ${name} covers can be evicted, because it cannot be computed: ${condition.message}`,
        evidence: [...(event === undefined ? [] : [quoteEvent(event)]), ...counts],
      },
    ];
  }
  if (pods.length === 0) return withoutPods(evidence);
  const shared = sharedPods(evidence, counts);
  if (shared !== undefined) return [shared];
  if (disruptionsAllowed === undefined || disruptionsAllowed > 0 || expectedPods === 0) return [];
  if (currentHealthy >= desiredHealthy && currentHealthy >= expectedPods) {
    return [
      {
        ...base,
        id: 'budget-never-allows',
        severity: 'warning',
        rank: 50,
        says: `budget ${name} lets no pod be evicted although all ${expectedPods} are healthy: it wants ${desiredHealthy} of ${expectedPods}${settingText(evidence)}, so a drain of their nodes never ends`,
        evidence: counts,
        try: [kubectl('edit', `pdb/${name}`)],
      },
    ];
  }
  const unready = evidence.looked.map(({ pod }) => pod.metadata?.name ?? '');
  const cause = causeText(podsOf(evidence));
  return [
    {
      ...base,
      id: 'budget-used-up',
      severity: 'warning',
      rank: 45,
      says: `budget ${name} lets no pod be evicted: ${currentHealthy} of ${plural(expectedPods, 'pod')} ${currentHealthy === 1 ? 'is' : 'are'} healthy, and it wants ${desiredHealthy}${illText(unready, cause)}`,
      evidence: counts,
      try: [...unready.slice(0, 1).map((pod) => why(`pod/${pod}`)), ...base.try],
    },
  ];
}

/** "; pod kv-2: container kv …", "; not ready: kv-1 and kv-2: container kv …" */
function illText(unready: readonly string[], cause: string | undefined): string {
  if (unready.length === 0) return cause === undefined ? '' : `: ${cause}`;
  const [only, ...more] = unready;
  const who = cause !== undefined && more.length === 0 ? `pod ${only ?? ''}` : `not ready: ${listed(unready)}`;
  return `; ${who}${cause === undefined ? '' : `: ${cause}`}`;
}

/** Asked about a budget, its own sentence leads, which names the ill pod and what is wrong with it. */
function withLead(own: readonly RankedFinding[], ofPods: readonly RankedFinding[]): readonly RankedFinding[] {
  const cause = causeOf(ofPods);
  if (cause === undefined) return [...own, ...ofPods];
  const led = own.map((finding) =>
    finding.id === 'budget-used-up'
      ? {
          ...finding,
          severity: cause.severity,
          rank: LEADING_RANK,
          evidence: [...finding.evidence, ...cause.evidence.slice(0, 2)],
        }
      : finding,
  );
  return [...led, ...ofPods];
}

const LEADING_RANK = 100;

/** Pods that another budget covers, too, which the eviction API refuses to evict. */
function sharedPods({ budget, rivals = [], namespaceFlag }: BudgetEvidence, counts: readonly Quote[]) {
  const { name = '' } = budget.metadata ?? {};
  if (rivals.length === 0) return undefined;
  const finding: RankedFinding = {
    id: 'budget-overlaps',
    severity: 'warning',
    rank: 60,
    topic: 'budget',
    says: `none of the pods that budget ${name} shares with budget ${listed(rivals)} can be evicted: a pod may have one budget only, so a drain of their nodes never ends`,
    evidence: counts,
    try: [objectCommands(namespaceFlag).kubectl('edit', `pdb/${name}`)],
  };
  return finding;
}

/** No pod has the labels of its selector. */
function withoutPods({ budget, others = [], namespaceFlag }: BudgetEvidence): readonly RankedFinding[] {
  const { name = '' } = budget.metadata ?? {};
  const labels = selectorTexts(budget.spec?.selector);
  const nearest = nearestPod(others, Object.entries(budget.spec?.selector?.matchLabels ?? {}));
  const pod = nearest?.pod.metadata?.name ?? '';
  const near =
    nearest === undefined || nearest.wrong.length === 0 ? '' : `; the nearest, pod ${pod}, ${wrongLabelsText(nearest)}`;
  return [
    {
      topic: 'budget',
      id: 'budget-without-pods',
      severity: 'warning',
      rank: 40,
      says: `budget ${name} protects nothing: no pod has the labels that its selector wants${inBrackets(labels)}${near}`,
      evidence: [
        { source: 'field', path: 'spec.selector', value: JSON.stringify(budget.spec?.selector ?? {}).slice(0, 300) },
      ],
      try: [
        objectCommands(namespaceFlag).kubectl('edit', `pdb/${name}`),
        objectCommands(namespaceFlag).kubectl('get', 'pods', '--show-labels'),
      ],
    },
  ];
}

/** " (minAvailable: 2)" */
function settingText(evidence: BudgetEvidence): string {
  const [only, ...more] = settings(evidence);
  return only?.source !== 'field' || more.length > 0 ? '' : ` (${only.path.replace('spec.', '')}: ${only.value})`;
}

function settings({ budget }: BudgetEvidence): readonly Quote[] {
  const { minAvailable, maxUnavailable } = budget.spec ?? {};
  return [
    ...(minAvailable === undefined
      ? []
      : [{ source: 'field' as const, path: 'spec.minAvailable', value: `${minAvailable}` }]),
    ...(maxUnavailable === undefined
      ? []
      : [{ source: 'field' as const, path: 'spec.maxUnavailable', value: `${maxUnavailable}` }]),
  ];
}

function podsOf({ looked, pods }: BudgetEvidence): readonly RankedFinding[] {
  const all = looked.map((one) => {
    const name = one.pod.metadata?.name ?? '';
    return { label: name, name, findings: podFindings(podFacts(one)) };
  });
  return groupFindings(all, {
    prefix: (labels) => `${labels.length} of ${plural(pods.length, 'pod')}`,
    sameTemplate: true,
  });
}

export function diagnoseBudget(evidence: BudgetEvidence): Diagnosis {
  const { budget } = evidence;
  const { name = '', namespace, uid } = budget.metadata ?? {};
  const { disruptionsAllowed = 0, currentHealthy = 0, desiredHealthy = 0, expectedPods = 0 } = budget.status ?? {};
  return {
    apiVersion: 'mendlet.dev/v1alpha1',
    kind: 'Diagnosis',
    subject: { kind: 'poddisruptionbudget', namespace, name, uid },
    state: `${plural(disruptionsAllowed, 'eviction')} allowed, ${currentHealthy} of ${expectedPods} pods healthy, ${desiredHealthy} wanted`,
    asWanted: disruptionsAllowed > 0 || expectedPods === 0,
    findings: told(ordered(withLead(budgetFindings(evidence), podsOf(evidence)))),
    notLookedAt: evidence.notLookedAt,
  };
}
