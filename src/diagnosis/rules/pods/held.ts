/** Rule: somebody holds a container's processes from running: its cgroup is frozen, or a process of it got SIGSTOP. */
import { parseTime } from '../../../lib/index.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { probeFailures, quoteProbe } from '../../facts/probes/probe-failures.ts';
import { endingOf, whatFollows } from '../../facts/pod/ending.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { pausedText, processText } from '../../facts/pod/paused.ts';
import { PROBE_TROUBLE_COUNT, PROBE_TROUBLE_GAP_MS } from '../../limits.ts';
import type { ProbeType } from '../../finding.ts';
import { eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { title } from '../ends/exit-code.ts';

/** A liveness probe that failed within so many of its periods fails now. */
const PERIODS = 3;
const TYPES: readonly ProbeType[] = ['liveness', 'readiness', 'startup'];

export const held: PodRule = eachContainer((facts, container) => {
  if (container.status?.state?.running === undefined) return NOTHING;
  const hold = facts.evidence.held?.[container.name];
  const stopped = facts.evidence.stopped?.[container.name];
  // A stopped helper of a healthy container is nobody's trouble.
  if (hold === undefined && (stopped === undefined || !isUnwell(facts, container))) return NOTHING;
  const process = stopped === undefined ? '' : processText(stopped);
  const meaning = pausedText(hold, stopped) ?? '';
  const ending = endingOf(facts, container);
  const failures = TYPES.flatMap((type) => probeFailures(container, type).slice(0, 1));
  return [
    {
      id: 'held',
      severity: 'critical',
      rank: 97,
      topic: `held/${container.name}`,
      container: container.name,
      says: `${title(container)} is paused: ${meaning}${ending === undefined ? '' : `; ${whatFollows(facts, container, ending)}`}`,
      evidence: [
        {
          source: 'object',
          object: `container ${container.name}, as its node sees it now`,
          says: hold ?? `${process} is stopped`,
        },
        ...failures.map((failure) => quoteProbe(container, failure)),
      ],
      try: [
        ...(hold === undefined || hold === 'stopped' ? [goOn(facts, container, stopped?.pid ?? 1)] : []),
        facts.commands.mendlet('restart', `pod/${facts.name}`),
      ],
    },
  ];
});

function goOn({ commands, name }: PodFacts, container: ContainerFacts, pid: number): string {
  return commands.kubectl('exec', name, '-c', container.name, '--', 'kill', '-CONT', String(pid));
}

/** It is not ready, or does not answer its liveness probe. */
function isUnwell({ now }: PodFacts, container: ContainerFacts): boolean {
  if (container.status?.ready !== true) return true;
  const startedMs = parseTime(container.status.state?.running?.startedAt ?? undefined) ?? 0;
  const { periodSeconds = 10, timeoutSeconds = 1 } = container.spec.livenessProbe ?? {};
  const lately = now - PERIODS * (periodSeconds + timeoutSeconds) * 1000;
  return probeFailures(container, 'liveness').some(({ lastMs, count }) => {
    // Recorders leave out events of a pod with many.
    const since = count >= PROBE_TROUBLE_COUNT ? now - PROBE_TROUBLE_GAP_MS : lately;
    return lastMs >= Math.max(startedMs, since);
  });
}
