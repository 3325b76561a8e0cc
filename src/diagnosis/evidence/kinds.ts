/** Shorthands for the API's types that evidence is made of. */
import type { DaemonSet, Deployment, Job, ReplicaSet, ReplicationController, StatefulSet } from '../../api/index.ts';

export type {
  Container,
  ContainerHistory,
  ContainerState,
  ContainerStateTerminated,
  ContainerStatus,
  DeathRecord,
  Event,
  FailedProbe,
  Hold,
  ListeningPort,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodCondition,
  PodListeningPort,
  PolicyRule,
  Probe,
  RoleBinding,
  StoppedProcess,
} from '../../api/index.ts';

/** A controller of pods, or of such a controller. */
export type WorkloadObject = Deployment | ReplicaSet | StatefulSet | DaemonSet | Job | ReplicationController;
