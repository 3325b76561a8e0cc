/** The rollouts of a workload, from the revisions that its controller keeps: when each began and what it changed. Pure. */
import type { ControllerRevision, PodTemplateSpec, ReplicaSet } from '../../api/index.ts';
import { parseTime } from '../../lib/index.ts';
import type { Pod } from '../evidence/kinds.ts';
import type { Rollout } from '../evidence/rollout-evidence.ts';
import { templateChanges } from './template-changes.ts';

export const REVISION_ANNOTATION = 'deployment.kubernetes.io/revision';

/** One revision of a template. */
interface Revision {
  readonly number: number;
  readonly createdAt: number | undefined;
  readonly template: PodTemplateSpec;
  readonly makers: readonly string[];
}

/** @param sets the ReplicaSets of one Deployment @param pods its pods, as far as they are there */
export function rolloutsOfSets(
  workload: string,
  sets: readonly ReplicaSet[],
  pods: readonly Pod[],
): readonly Rollout[] {
  const revisions = sets.flatMap((set): readonly Revision[] => {
    const number = Number(set.metadata?.annotations?.[REVISION_ANNOTATION]);
    const template = set.spec?.template;
    if (!Number.isInteger(number) || template === undefined) return [];
    return [
      {
        number,
        createdAt: parseTime(set.metadata?.creationTimestamp ?? undefined),
        template,
        makers: [set.metadata?.uid ?? ''],
      },
    ];
  });
  return rollouts(workload, revisions, pods);
}

/** @param records the ControllerRevisions of one StatefulSet or DaemonSet */
export function rolloutsOfRecords(
  workload: string,
  records: readonly ControllerRevision[],
  pods: readonly Pod[],
): readonly Rollout[] {
  const revisions = records.map((record): Revision => {
    const { name = '', labels } = record.metadata ?? {};
    return {
      number: record.revision,
      createdAt: parseTime(record.metadata?.creationTimestamp ?? undefined),
      template: templateOf(record),
      makers: [name, labels?.['controller-revision-hash'] ?? labels?.['controller.kubernetes.io/hash'] ?? name],
    };
  });
  return rollouts(workload, revisions, pods);
}

/** The data of a revision is a patch that replaces the template. */
function templateOf({ data }: ControllerRevision): PodTemplateSpec {
  const { $patch: _, ...template } =
    (data as { spec?: { template?: PodTemplateSpec & { $patch?: string } } } | undefined)?.spec?.template ?? {};
  return template;
}

/** Whether the pod was made of the revision of this rollout. */
export function isOfRollout({ metadata }: Pod, { makers }: Pick<Rollout, 'makers'>): boolean {
  const label = metadata?.labels?.['controller-revision-hash'];
  if (label !== undefined && makers.includes(label)) return true;
  return metadata?.ownerReferences?.some(({ uid }) => makers.includes(uid)) === true;
}

function rollouts(workload: string, revisions: readonly Revision[], pods: readonly Pod[]): readonly Rollout[] {
  const sorted = revisions.toSorted((a, b) => a.number - b.number);
  const newest = sorted.at(-1);
  return sorted.map((revision, index): Rollout => {
    const before = sorted[index - 1];
    const at = beganAt(revision, sorted.slice(0, index), pods);
    return {
      workload,
      revision: revision.number,
      ...(at === undefined ? {} : { at: new Date(at).toISOString() }),
      ...(before === undefined ? {} : { from: before.number }),
      changes: before === undefined ? [] : templateChanges(before.template, revision.template),
      ...(newest === undefined || newest === revision
        ? {}
        : { changesSince: templateChanges(revision.template, newest.template) }),
      makers: revision.makers,
    };
  });
}

/** A revision that is older than a lower one was taken up again: then its first pod says when. */
function beganAt(revision: Revision, lower: readonly Revision[], pods: readonly Pod[]): number | undefined {
  const latest = Math.max(...lower.map(({ createdAt }) => createdAt ?? 0));
  if (revision.createdAt === undefined) return undefined;
  if (revision.createdAt >= latest) return revision.createdAt;
  const made = pods
    .filter((pod) => isOfRollout(pod, revision))
    .flatMap(({ metadata }) => parseTime(metadata?.creationTimestamp ?? undefined) ?? [])
    .filter((at) => at >= latest);
  return made.length === 0 ? undefined : Math.min(...made);
}

/** "rollout to revision 3 of deployment/web: container web image: a → b" */
export function rolloutText({ workload, revision, from, changes }: Rollout): string {
  const what = from === undefined ? '' : `: ${changes.length === 0 ? 'the same template' : changes.join('; ')}`;
  return `rollout to revision ${revision} of ${workload}${what}`;
}
