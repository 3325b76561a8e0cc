/**
 * Rule: a pod of a StatefulSet still has an older template, and the rollout does not come to it because it is not ready. Upstream
 * calls that forced rollback: with OrderedReady the controller waits for the pod before it replaces any.
 */
import { isConditionTrue, type StatefulSet } from '../../../api/index.ts';
import type { Pod } from '../../evidence/kinds.ts';
import { conditionAgeMs, type PodFacts } from '../../facts/pod/pod-facts.ts';
import { listed } from '../../facts/words/text.ts';
import { NORMAL_START_MS } from '../../limits.ts';
import { NOTHING, type PodRule } from '../../rule.ts';

const HASH = 'controller-revision-hash';
const INDEX = 'apps.kubernetes.io/pod-index';
/** Differences told in the headline. */
const MAX_TOLD = 3;

export const olderTemplate: PodRule = (facts) => {
  const { owner, pod, evidence, commands, name } = facts;
  if (owner?.kind !== 'StatefulSet') return NOTHING;
  const { spec, status } = owner as StatefulSet;
  const [own, newest] = [pod.metadata?.labels?.[HASH], status?.updateRevision];
  if (own === undefined || newest === undefined || newest === '' || own === newest) return NOTHING;
  if (!isUnready(facts) || indexOf(pod) < (spec?.updateStrategy?.rollingUpdate?.partition ?? 0)) return NOTHING;
  const isOnDelete = spec?.updateStrategy?.type === 'OnDelete';
  const isOrdered = spec?.podManagementPolicy !== 'Parallel';
  const blocker = evidence.siblings.find((other) => other.metadata?.labels?.[HASH] === newest && !isReady(other));
  if (!isOnDelete && !isOrdered && blocker === undefined) return NOTHING;
  const changes = evidence.rollout?.changesSince ?? [];
  const what = changes.length === 0 ? '' : ` (${toldOf(changes)})`;
  return [
    {
      id: 'older-template',
      severity: 'critical',
      // What its containers say is of a template that nobody wants any more.
      rank: 99,
      topic: 'template',
      says: `pod ${name} still has the older template of ${commands.target}${what}, and ${stays(isOnDelete, isOrdered, blocker)}`,
      evidence: [
        { source: 'field', path: `metadata.labels[${HASH}]`, value: own },
        { source: 'field', of: commands.target, path: 'status.updateRevision', value: newest },
        isOnDelete
          ? { source: 'field', of: commands.target, path: 'spec.updateStrategy.type', value: 'OnDelete' }
          : {
              source: 'field',
              of: commands.target,
              path: 'spec.podManagementPolicy',
              value: spec?.podManagementPolicy ?? 'OrderedReady',
            },
      ],
      try: [commands.kubectl('delete', 'pod', name), commands.kubectl('rollout', 'history', commands.target)],
    },
  ];
};

function stays(isOnDelete: boolean, isOrdered: boolean, blocker: Pod | undefined): string {
  if (isOnDelete) return 'is replaced only when somebody deletes it (OnDelete)';
  if (isOrdered) return 'is not replaced while it is not ready: it has to be deleted';
  return `is not replaced before pod ${blocker?.metadata?.name ?? ''} is ready: it has to be deleted`;
}

function toldOf(changes: readonly string[]): string {
  const left = changes.length - MAX_TOLD;
  return left <= 0 ? listed(changes) : `${changes.slice(0, MAX_TOLD).join(', ')} and ${left} more`;
}

/** Not ready for longer than a normal start, or with a container in trouble. */
function isUnready({ condition, containers, finished, ageMs, now }: PodFacts): boolean {
  const ready = condition('Ready');
  if (finished || ready?.status === 'True' || ageMs < NORMAL_START_MS) return false;
  return (
    containers.some(({ trouble }) => trouble !== 'none') || (conditionAgeMs(ready, now) ?? ageMs) >= NORMAL_START_MS
  );
}

function isReady({ status }: Pod): boolean {
  return isConditionTrue(status?.conditions, 'Ready');
}

/** The ordinal of the pod, which its name ends with. */
function indexOf({ metadata }: Pod): number {
  const index = Number(metadata?.labels?.[INDEX] ?? /\d+$/.exec(metadata?.name ?? '')?.[0]);
  return Number.isInteger(index) ? index : Number.POSITIVE_INFINITY;
}
