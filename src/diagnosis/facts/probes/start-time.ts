/** Estimates how long a container needs until it can answer. */
import { findCondition } from '../../../api/index.ts';
import { parseTime } from '../../../lib/index.ts';
import type { ContainerStatus, Pod } from '../../evidence/kinds.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { TEMPLATE_HASH } from '../pod/rollout-overlap.ts';

export interface StartTime {
  /** True: `ms` is the time until it was ready. False: it needs at least `ms`, because it was killed before it was ready. */
  readonly measured: boolean;
  readonly ms: number;
  /** The source of the figure: "this life", "pod web-2", "4 lives". */
  readonly where: string;
}

/** The longest successful start of this pod or its siblings of the same template, else the longest life that ended before it was ready. */
export function startTimeOf(facts: PodFacts, container: ContainerFacts): StartTime | undefined {
  const own = readyAfterMs(facts.pod, container.status);
  const seen = [
    ...(own === undefined ? [] : [{ ms: own, where: 'this life' }]),
    ...facts.evidence.siblings
      .filter((pod) => isAlike(facts.pod, pod))
      .flatMap((pod) => {
        const status = pod.status?.containerStatuses?.find(({ name }) => name === container.name);
        const ms = readyAfterMs(pod, status);
        return ms === undefined ? [] : [{ ms, where: `pod ${pod.metadata?.name ?? ''}` }];
      }),
  ];
  const [longest] = seen.toSorted((a, b) => b.ms - a.ms);
  if (longest !== undefined) return { measured: true, ...longest };
  const lives = container.deaths.flatMap(({ livedMs }) => livedMs ?? []);
  if (lives.length === 0) return undefined;
  return { measured: false, ms: Math.max(...lives), where: lives.length === 1 ? 'one life' : `${lives.length} lives` };
}

/** Whether both are of one template, as far as their labels say: another version may start faster, or slower. */
function isAlike({ metadata }: Pod, other: Pod): boolean {
  return [TEMPLATE_HASH, 'controller-revision-hash'].every(
    (label) => metadata?.labels?.[label] === other.metadata?.labels?.[label],
  );
}

/** Ms from the container's start until the pod was ready. Without a readiness probe that time proves nothing. */
function readyAfterMs(pod: Pod, status: ContainerStatus | undefined): number | undefined {
  const spec = pod.spec?.containers.find(({ name }) => name === status?.name);
  if (status?.ready !== true || spec?.readinessProbe === undefined) return undefined;
  const startedAt = parseTime(status.state?.running?.startedAt ?? undefined);
  const ready = findCondition(pod.status?.conditions, 'ContainersReady');
  const readyAt = ready?.status === 'True' ? parseTime(ready.lastTransitionTime ?? undefined) : undefined;
  if (startedAt === undefined || readyAt === undefined || readyAt < startedAt) return undefined;
  return readyAt - startedAt;
}
