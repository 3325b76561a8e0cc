/** Rule: a container is not ready only because its probe asks late: a long delay before the first time, or a long time between two. */
import { startedMs } from '../../facts/pod/awaited.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { type ProbeFailure, probeFailures, probePath, quoteProbe } from '../../facts/probes/probe-failures.ts';
import { formatAge } from '../../facts/words/text.ts';
import type { Quote, RankedFinding } from '../../finding.ts';
import { LATE_PROBE_SECONDS, NORMAL_START_MS, VERY_LATE_PROBE_SECONDS } from '../../limits.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { title } from '../ends/exit-code.ts';

const DEFAULT_PERIOD_SECONDS = 10;

const ofContainer: ContainerRule = (facts, container) => {
  const { spec, status, kind } = container;
  const startedAt = startedMs(container);
  if (kind === 'init' || facts.finished || facts.deleting || startedAt === undefined || status?.ready !== false)
    return NOTHING;
  if (facts.now - startedAt < NORMAL_START_MS) return NOTHING;
  const type = spec.startupProbe !== undefined && status.started !== true ? 'startup' : 'readiness';
  const probe = type === 'startup' ? spec.startupProbe : spec.readinessProbe;
  if (probe === undefined) return NOTHING;
  const asks = type === 'startup' ? 'whether it has started' : 'for readiness';
  const { initialDelaySeconds: delay = 0, periodSeconds: period = DEFAULT_PERIOD_SECONDS } = probe;
  const base = { container: container.name, topic: `ready/${container.name}`, try: facts.commands.edit };
  const path = probePath(container, type);
  const firstMs = startedAt + delay * 1000;
  if (facts.now < firstMs) {
    if (delay < LATE_PROBE_SECONDS) return NOTHING;
    return [
      {
        ...base,
        ...weight(delay),
        id: 'probe-late',
        says: `${title(container)} is not asked ${asks} before ${formatAge(delay * 1000)} after its start (initialDelaySeconds: ${delay}): ${formatAge(firstMs - facts.now)} to go`,
        evidence: [
          { source: 'field', path: `${path}.initialDelaySeconds`, value: String(delay) },
          {
            source: 'field',
            path: `${container.path}: state.running.startedAt`,
            value: new Date(startedAt).toISOString(),
          },
        ],
      },
    ];
  }
  const [failure] = probeFailures(container, type).filter(({ lastMs }) => lastMs >= startedAt);
  const lastMs = failure?.lastMs ?? (facts.now < firstMs + period * 1000 ? firstMs : undefined);
  const nextMs = lastMs === undefined ? undefined : lastMs + period * 1000;
  if (period < LATE_PROBE_SECONDS || nextMs === undefined || nextMs < facts.now) return NOTHING;
  return [
    {
      ...base,
      ...weight(period),
      id: 'probe-late',
      says: `${title(container)} is asked ${asks} every ${formatAge(period * 1000)} only (periodSeconds: ${period})${failedText(facts.now, failure)}: ${formatAge(nextMs - facts.now)} to go until the next time`,
      evidence: [
        { source: 'field', path: `${path}.periodSeconds`, value: String(period) },
        ...failureQuote(container, failure),
      ],
    },
  ];
};

export const lateProbes: PodRule = eachContainer(ofContainer);

/** A delay of minutes is often meant, and one of many hardly ever. */
function weight(seconds: number): Pick<RankedFinding, 'severity' | 'rank'> {
  return { severity: seconds >= VERY_LATE_PROBE_SECONDS ? 'warning' : 'info', rank: 48 };
}

function failedText(now: number, failure: ProbeFailure | undefined): string {
  return failure === undefined ? '' : `, and failed ${formatAge(now - failure.lastMs)} ago`;
}

function failureQuote(container: ContainerFacts, failure: ProbeFailure | undefined): readonly Quote[] {
  return failure === undefined ? [] : [quoteProbe(container, failure)];
}
