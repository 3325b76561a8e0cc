/** Rule: a container runs and is not ready, or a readiness gate is not met. */
import { findCondition } from '../../../api/index.ts';
import { parseTime } from '../../../lib/index.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { endingOf } from '../../facts/pod/ending.ts';
import { lastLine, type LastWord, lastWord, quoteLastLines } from '../../facts/words/last-words.ts';
import { conditionAgeMs, type PodFacts } from '../../facts/pod/pod-facts.ts';
import { probeFailures, secondsUntilFailed } from '../../facts/probes/probe-failures.ts';
import { formatAge, listed } from '../../facts/words/text.ts';
import type { RankedFinding } from '../../finding.ts';
import { LONG_INIT_MS, NORMAL_START_MS, ROUNDING_MS, SLOW_INIT_MS, SOON_MS } from '../../limits.ts';
import { eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { title } from '../ends/exit-code.ts';

/** Whether the container runs and is not ready for longer than a normal start, or its probe has failed as often as it may. */
export function isLateForReady(facts: PodFacts, container: ContainerFacts): boolean {
  const startedAt = unreadySince(facts, container);
  if (startedAt === undefined) return false;
  return isOverdue(facts, container, startedAt) || hasFailed(container, startedAt);
}

/** Whether its probe fails within a normal start: what is told of that is a note, because it may still come up. */
export function isEarlyForReady(facts: PodFacts, container: ContainerFacts): boolean {
  const startedAt = unreadySince(facts, container);
  return startedAt !== undefined && hasFailed(container, startedAt) && !isOverdue(facts, container, startedAt);
}

/** When a container started that runs and is not ready, wall ms. */
function unreadySince(facts: PodFacts, { status, kind }: ContainerFacts): number | undefined {
  if (kind === 'init' || status === undefined || status.ready || facts.finished || facts.deleting) return undefined;
  return parseTime(status.state?.running?.startedAt ?? undefined);
}

function isOverdue(facts: PodFacts, container: ContainerFacts, startedAt: number): boolean {
  return lostReadinessSince(facts, startedAt) || facts.now - startedAt > allowedMs(container);
}

/** The default of failureThreshold, which is never less than what a note asks for. */
const FAILURES = 3;

/** Whether the readiness probe has failed as often in this life as makes a pod not ready. */
function hasFailed(container: ContainerFacts, startedAt: number): boolean {
  const { readinessProbe, startupProbe } = container.spec;
  if (readinessProbe === undefined || (startupProbe !== undefined && container.status?.started !== true)) return false;
  const [failure] = probeFailures(container, 'readiness');
  return (
    failure !== undefined &&
    failure.firstMs >= startedAt - ROUNDING_MS &&
    failure.count >= Math.max(FAILURES, readinessProbe.failureThreshold ?? FAILURES)
  );
}

/** The findings; those about why a container is not ready are notes, while it may still be starting. */
export function withEarly(facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  return found.map((finding) => {
    const container = facts.containers.find(({ name }) => finding.topic === `ready/${name}`);
    return container !== undefined && finding.severity !== 'info' && isEarlyForReady(facts, container)
      ? { ...finding, severity: 'info' }
      : finding;
  });
}

/** Whether an init container runs for very long, so that the others wait. */
export function isLongInit({ now, finished, deleting }: PodFacts, { kind, status }: ContainerFacts): boolean {
  const startedAt = parseTime(status?.state?.running?.startedAt ?? undefined);
  if (kind !== 'init' || startedAt === undefined || finished || deleting) return false;
  return now - startedAt > LONG_INIT_MS;
}

/** Words of programs that wait for something else. */
const WAITING =
  /\bwait(?:ing|s)?\b.{0,20}\b(?:for|on|until)\b|\bnot (?:ready|available|reachable|up) yet\b|\bretry(?:ing)?\b/i;

/** Whether an init container has run for so long that its log may say what it waits for. */
export function isSlowInit({ now, finished, deleting }: PodFacts, { kind, status }: ContainerFacts): boolean {
  const startedAt = parseTime(status?.state?.running?.startedAt ?? undefined);
  const holdsOthers = kind === 'init' || (kind === 'sidecar' && status?.started !== true);
  return holdsOthers && startedAt !== undefined && !finished && !deleting && now - startedAt > SLOW_INIT_MS;
}

/** Whether it says at the end of its log that it waits for something. */
export function isWaitingInit(facts: PodFacts, container: ContainerFacts): boolean {
  return isSlowInit(facts, container) && waitingWord(container) !== undefined;
}

export function waitingWord(container: ContainerFacts): LastWord | undefined {
  const now = container.kind === 'init' ? lastLine(container, WAITING) : undefined;
  const word = lastWord(container, WAITING);
  // What it said of its first tries has perhaps another reason.
  if (word !== undefined) return word.fromEnd < 3 ? (now?.fromEnd === 0 ? { ...word, ...now } : word) : undefined;
  // "waiting for the job to complete" has words of what went well.
  const last = container.kind === 'init' ? lastLine(container, WAITING) : undefined;
  return last !== undefined && last.fromEnd < 1 ? last : undefined;
}

/** Whether the container was ready in this life and is not ready any more. */
export function lostReadiness(facts: PodFacts, { status }: ContainerFacts): boolean {
  const startedAt = parseTime(status?.state?.running?.startedAt ?? undefined);
  return startedAt !== undefined && lostReadinessSince(facts, startedAt);
}

function lostReadinessSince({ condition, now }: PodFacts, startedAt: number): boolean {
  const age = conditionAgeMs(condition('ContainersReady'), now);
  return age !== undefined && now - age > startedAt + 2000;
}

function allowedMs(container: ContainerFacts): number {
  const { readinessProbe, startupProbe } = container.spec;
  const startup = startupProbe === undefined ? 0 : secondsUntilFailed(startupProbe);
  const readiness = readinessProbe === undefined ? 0 : secondsUntilFailed(readinessProbe);
  return Math.max(NORMAL_START_MS, (startup + readiness) * 1000);
}

/** A container that is not ready without a probe failure that says why. */
const unready: PodRule = eachContainer((facts, container) => {
  // A container that is being killed is not ready for that.
  if (!isLateForReady(facts, container) || endingOf(facts, container) !== undefined) return NOTHING;
  const startedAt = parseTime(container.status?.state?.running?.startedAt ?? undefined) ?? facts.now;
  const condition = facts.condition('ContainersReady');
  return [
    {
      id: 'not-ready',
      severity: 'warning',
      rank: 30,
      fallback: true,
      topic: `ready/${container.name}`,
      container: container.name,
      says: `${title(container)} has run for ${formatAge(facts.now - startedAt)} and is not ready, and no event says why`,
      evidence: [
        {
          source: 'field',
          path: 'status.conditions[ContainersReady]',
          value: `${condition?.status ?? 'Unknown'} ${condition?.reason ?? ''}: ${condition?.message ?? ''}`,
        },
      ],
      try: [facts.commands.kubectl('logs', facts.name, '-c', container.name)],
    },
  ];
});

const longInit: PodRule = eachContainer((facts, container) => {
  if (!isLongInit(facts, container)) return NOTHING;
  const startedAt = container.status?.state?.running?.startedAt ?? '';
  return [
    {
      id: 'init-running',
      severity: 'warning',
      rank: 40,
      fallback: true,
      topic: `ready/${container.name}`,
      container: container.name,
      says: `${title(container)} has run for ${formatAge(facts.now - (parseTime(startedAt) ?? facts.now))}, and the others wait for its end`,
      evidence: [
        { source: 'field', path: `${container.path}: state.running.startedAt`, value: startedAt },
        ...quoteLastLines(container, 3),
      ],
      try: [facts.commands.kubectl('logs', facts.name, '-c', container.name)],
    },
  ];
});

function gates(facts: PodFacts): readonly RankedFinding[] {
  const { pod, condition, now } = facts;
  if (facts.finished || facts.deleting || condition('ContainersReady')?.status !== 'True') return NOTHING;
  const open = (pod.spec?.readinessGates ?? []).filter(
    ({ conditionType }) => findCondition(pod.status?.conditions, conditionType)?.status !== 'True',
  );
  const waitedMs = conditionAgeMs(condition('ContainersReady'), now) ?? 0;
  if (open.length === 0 || waitedMs < SOON_MS) return NOTHING;
  const names = open.map(({ conditionType }) => conditionType);
  return [
    {
      id: 'readiness-gate',
      severity: waitedMs < NORMAL_START_MS ? 'info' : 'critical',
      rank: 70,
      topic: 'gates',
      says: `pod ${facts.name} is not ready although its containers are: nobody has set ${listed(names)} to True`,
      evidence: open.map(({ conditionType }) => {
        const found = findCondition(pod.status?.conditions, conditionType);
        const value =
          found === undefined
            ? 'no such condition'
            : `${found.status} ${found.reason ?? ''} ${found.message ?? ''}`.trim();
        return { source: 'field' as const, path: `status.conditions[${conditionType}]`, value };
      }),
      try: [facts.commands.kubectl('get', `pod/${facts.name}`, '-o', 'jsonpath={.status.conditions}')],
    },
  ];
}

export const readiness: PodRule = (facts) => [...unready(facts), ...longInit(facts), ...gates(facts)];
