/** Rule: a container cannot start as its memory limit is so small that nothing can, mostly as its unit is missing or another one. */
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { quoteDeath } from '../../facts/pod/deaths.ts';
import { eventsWith, quoteEvent } from '../../facts/pod/events.ts';
import { limitQuote, memoryLimit, MIB } from '../../facts/pod/memory.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { quotable } from '../../facts/words/text.ts';
import type { Quote } from '../../finding.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { severityOf, title } from '../ends/exit-code.ts';

/** No program of a usual runtime starts in less, and the runtime's own first process hardly does. */
const TOO_SMALL_BYTES = 4 * MIB;
/** A life that the limit lets a container have. */
const SHORT_LIFE_MS = 10_000;

const ofContainer: ContainerRule = (facts, container) => {
  const limit = memoryLimit(container);
  if (limit === undefined || limit.milliBytes >= TOO_SMALL_BYTES * 1000) return NOTHING;
  const failure = failureOf(facts, container);
  if (failure === undefined) return NOTHING;
  const { amount, meant } = meaningOf(limit.text, limit.milliBytes);
  return [
    {
      id: 'memory-limit-too-low',
      severity: container.death === undefined ? 'critical' : severityOf(container),
      // Whatever the runtime or the kernel says is a consequence.
      rank: 97,
      topic: container.death === undefined ? 'start' : `end/${container.name}`,
      container: container.name,
      says:
        meant === undefined
          ? `${title(container)} cannot start: its memory limit of ${limit.text} is too low even to begin`
          : `${title(container)} has a memory limit of ${limit.text}, which is ${amount}: ${meant} is meant`,
      evidence: [...limitQuote(limit), failure],
      try: facts.commands.edit,
      manifest: `containers:\n- name: ${container.name}\n  resources:\n    limits:\n      memory: ${meant ?? '64Mi'}\n`,
    },
  ];
};

export const tinyMemory: PodRule = eachContainer(ofContainer);

/** How the start failed, whoever refused it. */
function failureOf({ events, pod }: PodFacts, { name, path, status, death }: ContainerFacts): Quote | undefined {
  const waiting = status?.state?.waiting;
  if (waiting?.reason === 'CreateContainerError' || waiting?.reason === 'RunContainerError') {
    return { source: 'field', path: `${path}: state.waiting`, value: quotable(waiting.message ?? '') };
  }
  const isShort = death !== undefined && (death.livedMs ?? 0) < SHORT_LIFE_MS && death.exitCode !== 0;
  if (isShort) return quoteDeath(name, death);
  const [event] = eventsWith(events, 'FailedCreatePodSandBox', 'FailedCreatePodContainer');
  return event === undefined || pod.status?.phase !== 'Pending' ? undefined : quoteEvent(event);
}

/** "less than one byte", and the quantity with the unit that was left out or mistaken. */
function meaningOf(text: string, milliBytes: number): { readonly amount: string; readonly meant?: string } {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)(m|k|Ki|)$/.exec(text.trim()) ?? [];
  const amount = milliBytes < 1000 ? 'less than one byte' : `${Math.round(milliBytes / 1000)} bytes`;
  if (digits === undefined || unit === undefined) return { amount };
  // Nobody means one or two of the smaller unit either.
  return { amount, meant: `${digits}${Number(digits) < 4 ? 'Gi' : 'Mi'}` };
}
