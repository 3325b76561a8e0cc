/** A container that is too slow because of its CPU limit: throttled, and something fails of it. Throttling alone is no fault. */
import type { ContainerFacts } from '../facts/container-facts.ts';
import type { PodFacts } from '../facts/pod-facts.ts';
import { probeFailures, quoteProbe } from '../facts/probe-failures.ts';
import { quantityMilliValue } from '../../api/index.ts';
import { isThrottled, throttlingQuote } from '../facts/throttling.ts';
import type { ProbeType } from '../finding.ts';
import { PROBE_TROUBLE_COUNT, PROBE_TROUBLE_MS } from '../limits.ts';
import { eachContainer, NOTHING, type PodRule } from '../rule.ts';
import { title } from './exit-code.ts';

export const cpuThrottled: PodRule = eachContainer((facts, container) => {
  const throttling = facts.evidence.throttling[container.name];
  const limit = container.status?.resources?.limits?.['cpu'] ?? container.spec.resources?.limits?.['cpu'];
  if (throttling === undefined || limit === undefined || !isThrottled(throttling)) return NOTHING;
  const [failure] = timeouts(facts, container);
  if (failure === undefined) return NOTHING;
  const share = Math.round((throttling.throttledPeriods / throttling.periods) * 100);
  return [
    {
      id: 'cpu-throttled',
      severity: container.killed === undefined && container.status?.ready === true ? 'warning' : 'critical',
      rank: 91,
      topic: container.killed === undefined ? `probe/${container.name}` : `end/${container.name}`,
      container: container.name,
      says: `${title(container)} starves: its CPU limit of ${limit} holds it back in ${share}% of the time, and its ${failure.type} probe gets no answer in time`,
      evidence: [
        throttlingQuote(container.name, throttling),
        { source: 'field', path: `${container.path}.resources.limits.cpu`, value: limit },
        quoteProbe(container, failure),
      ],
      try: raise(facts, container, limit),
    },
  ];
});

function timeouts({ now }: PodFacts, container: ContainerFacts) {
  return (['liveness', 'startup', 'readiness'] as const satisfies readonly ProbeType[])
    .flatMap((type) => probeFailures(container, type))
    .filter(
      ({ kind, count, lastMs }) =>
        kind === 'timeout' && count >= PROBE_TROUBLE_COUNT && now - lastMs <= PROBE_TROUBLE_MS,
    );
}

function raise({ commands, name, pod }: PodFacts, container: ContainerFacts, limit: string): readonly string[] {
  const cpu = `${Math.max(100, quantityMilliValue(limit) * 4)}m`;
  if (commands.owned) {
    return [commands.kubectl('set', 'resources', commands.target, '-c', container.name, `--limits=cpu=${cpu}`)];
  }
  if (container.kind !== 'container' || pod.status?.phase !== 'Running') return commands.edit;
  const requests = container.spec.resources?.requests?.['cpu'] === limit ? { requests: { cpu } } : {};
  const patch = { spec: { containers: [{ name: container.name, resources: { limits: { cpu }, ...requests } }] } };
  return [commands.kubectl('patch', `pod/${name}`, '--subresource=resize', '--patch', JSON.stringify(patch))];
}
