/** Which row of the overview a node's day belongs to: nodes know pods and what controls them, and rows are of those on top. Pure. */
import { controllerOf, type KubeObject, type WorkloadDay, type WorkloadName } from '../../api/index.ts';
import type { Overview, OverviewFacts } from '../../overview/index.ts';

/** Kinds of nodes' days as rows call them. */
const SHORT: Readonly<Record<string, string>> = {
  Deployment: 'deploy',
  StatefulSet: 'sts',
  DaemonSet: 'ds',
  ReplicaSet: 'rs',
  ReplicationController: 'rc',
  Job: 'job',
  CronJob: 'cronjob',
  Pod: 'pod',
};

/** The name of a day's row, whose kind is a row's. */
export function rowNames(overview: Overview, facts: OverviewFacts): (day: WorkloadDay) => WorkloadName {
  const byUid = new Map<string, WorkloadName>();
  for (const { kind, namespace, name, pods } of overview.rows)
    for (const { uid } of pods) byUid.set(uid, { kind, namespace, name });
  const tops: readonly (readonly [kind: string, objects: readonly KubeObject[]])[] = [
    ['deploy', facts.deployments],
    ['sts', facts.statefulSets],
    ['ds', facts.daemonSets],
    ['cronjob', facts.cronJobs],
    ['rc', facts.replicationControllers],
    // Those that something else made come last, and are found by that.
    ['rs', facts.replicaSets],
    ['job', facts.jobs],
  ];
  for (const [kind, objects] of tops) {
    for (const object of objects) {
      const { uid = '', namespace = '', name = '' } = object.metadata ?? {};
      byUid.set(uid, byUid.get(controllerOf(object)?.uid ?? '') ?? { kind, namespace, name });
    }
  }
  return ({ pods, owners, kind, namespace, name }) => {
    const known = [...pods, ...owners]
      .flatMap((uid) => byUid.get(uid) ?? [])
      .find((each) => each.namespace === namespace);
    return known ?? { kind: SHORT[kind] ?? kind, namespace, name };
  };
}
