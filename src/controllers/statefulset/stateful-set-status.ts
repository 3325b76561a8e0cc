/** Computes a StatefulSet's status from its pods. Pure. Upstream: computeReplicaStatus, completeRollingUpdate. */
import {
  type ControllerRevision,
  isDeleting,
  nameOf,
  type Pod,
  type StatefulSet,
  type StatefulSetStatus,
} from '../../api/index.ts';
import { availableInMs, isPodReady } from '../pods/pod-state.ts';
import { revisionNameOf } from './identity.ts';

export interface SetRevisions {
  /** That of the pods below the partition, and of all pods before an update. */
  readonly current: ControllerRevision;
  /** That of the set's present template. */
  readonly update: ControllerRevision;
  readonly collisionCount: number;
}

export interface StatusView {
  readonly set: StatefulSet;
  readonly revisions: SetRevisions;
  readonly pods: readonly Pod[];
  /** Wall ms. */
  readonly now: number;
}

export function isRunningAndReady(pod: Pod): boolean {
  return pod.status?.phase === 'Running' && isPodReady(pod);
}

/** Ready for long enough. */
export function isAvailable(set: StatefulSet, pod: Pod, now: number): boolean {
  return isRunningAndReady(pod) && availableInMs(pod, set.spec?.minReadySeconds ?? 0, now) === 0;
}

/** Absent counts are zero, as upstream leaves them out. */
export function statefulSetStatus(view: StatusView): StatefulSetStatus {
  const { set, revisions, pods, now } = view;
  const { current, update, collisionCount } = revisions;
  const wanted = set.spec?.replicas ?? 1;
  const created = pods.filter(({ status }) => (status?.phase ?? '') !== '');
  const staying = created.filter((pod) => !isDeleting(pod));
  const replicas = created.length;
  const readyReplicas = created.filter(isRunningAndReady).length;
  const updatedReplicas = staying.filter((pod) => revisionNameOf(pod) === nameOf(update)).length;
  const complete =
    set.spec?.updateStrategy?.type === 'RollingUpdate' &&
    [replicas, readyReplicas, updatedReplicas].every((count) => count === wanted);
  const currentReplicas = complete
    ? updatedReplicas
    : staying.filter((pod) => revisionNameOf(pod) === nameOf(current)).length;
  const { conditions } = set.status ?? {};
  const { generation } = set.metadata ?? {};
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    replicas,
    ...(readyReplicas === 0 ? {} : { readyReplicas }),
    ...(currentReplicas === 0 ? {} : { currentReplicas }),
    ...(updatedReplicas === 0 ? {} : { updatedReplicas }),
    currentRevision: nameOf(complete ? update : current),
    updateRevision: nameOf(update),
    collisionCount,
    ...(conditions === undefined ? {} : { conditions }),
    availableReplicas: created.filter((pod) => isAvailable(set, pod, now)).length,
  };
}
