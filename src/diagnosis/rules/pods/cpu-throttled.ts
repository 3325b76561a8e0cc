/** Rule: a container is throttled by its CPU limit, and a probe times out for it. Throttling alone is no fault. */
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { quoteDeath } from '../../facts/pod/deaths.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { type ProbeFailure, probeFailures, quoteProbe } from '../../facts/probes/probe-failures.ts';
import { quantityMilliValue } from '../../../api/index.ts';
import { throttledBy, type Throttled } from '../../facts/pod/throttling.ts';
import type { ProbeType, Quote } from '../../finding.ts';
import { PROBE_TROUBLE_COUNT, PROBE_TROUBLE_MS } from '../../limits.ts';
import { eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { severityOf, title } from '../ends/exit-code.ts';

export const cpuThrottled: PodRule = eachContainer((facts, container) => {
  const throttled = throttledBy(facts.evidence, container);
  const [failure] = timeouts(facts, container);
  if (throttled === undefined || failure === undefined) return NOTHING;
  if (failure.kind === 'refused' && !isStarved(facts, container)) return NOTHING;
  const { killed, name, path, status } = container;
  const wellNow = status?.ready === true ? 'warning' : 'critical';
  return [
    {
      id: 'cpu-throttled',
      severity: killed === undefined ? wellNow : severityOf(container),
      rank: 91,
      topic: killed === undefined ? `probe/${name}` : `end/${name}`,
      container: name,
      says: `${title(container)} starves: ${saysOf(throttled, failure, killed)}`,
      evidence: [
        ...deathQuote(name, throttled),
        throttled.quote,
        { source: 'field', path: `${path}.resources.limits.cpu`, value: throttled.limit },
        quoteProbe(container, failure),
      ],
      try: raise(facts, container, throttled.limit),
    },
  ];
});

function saysOf(
  { limit, share, death }: Throttled,
  { type, kind }: ProbeFailure,
  killed: ContainerFacts['killed'],
): string {
  if (death === undefined) {
    return `its CPU limit of ${limit} holds it back in ${share}% of the time, and its ${type} probe gets no answer in time`;
  }
  const end = killed?.because === type ? 'was killed by' : 'failed';
  if (kind === 'refused')
    return `its CPU limit of ${limit} held it back in ${share}% of the time before its end, and it was killed by its ${type} probe before anything listened on its port`;
  return `its CPU limit of ${limit} held it back in ${share}% of the time before its end, and it ${end} its ${type} probe, which got no answer in time`;
}

function deathQuote(container: string, { death }: Throttled): readonly Quote[] {
  return death === undefined ? [] : [quoteDeath(container, death)];
}

/** The time-outs that count: one of a probe that killed is enough; other probes need several recent ones. */
function timeouts({ now }: PodFacts, container: ContainerFacts): readonly ProbeFailure[] {
  return (['liveness', 'startup', 'readiness'] as const satisfies readonly ProbeType[]).flatMap((type) => {
    const failures = probeFailures(container, type);
    const isOfKill = container.killed?.because === type;
    if (isOfKill && (failures[0]?.kind === 'timeout' || failures[0]?.kind === 'refused')) return failures.slice(0, 1);
    return failures.filter(
      ({ kind, count, lastMs }) =>
        kind === 'timeout' && count >= PROBE_TROUBLE_COUNT && now - lastMs <= PROBE_TROUBLE_MS,
    );
  });
}

/** Whether the limit held a container back for most of a life in which it did not come to listen anywhere. */
export function isStarved(facts: PodFacts, container: ContainerFacts): boolean {
  const throttled = throttledBy(facts.evidence, container);
  const listening = container.death?.probe?.listening ?? [];
  return throttled?.death !== undefined && throttled.share >= STARVED_PERCENT && listening.length === 0;
}

/** Percent of its time that a container which starves is held back, so that it does not even come to listen. */
const STARVED_PERCENT = 50;

/** A limit of this or less is hardly enough for any program to start, thousandths of a CPU. */
const TINY_MILLICORES = 50;

/** The CPU limit that leaves a program hardly any time, as far as nobody counted otherwise. */
export function tinyLimit(facts: PodFacts, container: ContainerFacts): string | undefined {
  const limit = container.spec.resources?.limits?.['cpu'];
  const isCounted = container.death?.cpu !== undefined && !isStarved(facts, container);
  return limit === undefined || isCounted || quantityMilliValue(limit) > TINY_MILLICORES ? undefined : limit;
}

/** Commands that give a container more CPU. */
export function raise({ commands, name, pod }: PodFacts, container: ContainerFacts, limit: string): readonly string[] {
  const cpu = `${Math.max(100, quantityMilliValue(limit) * 4)}m`;
  if (commands.settable) {
    return [commands.kubectl('set', 'resources', commands.target, '-c', container.name, `--limits=cpu=${cpu}`)];
  }
  if (container.kind !== 'container' || pod.status?.phase !== 'Running') return commands.edit;
  const requests = container.spec.resources?.requests?.['cpu'] === limit ? { requests: { cpu } } : {};
  const patch = { spec: { containers: [{ name: container.name, resources: { limits: { cpu }, ...requests } }] } };
  return [commands.kubectl('patch', `pod/${name}`, '--subresource=resize', '--patch', JSON.stringify(patch))];
}
