/** The interface over replica sets and replication controllers, which share one controller. */
import {
  type LabelSelector,
  labelSelectorOf,
  type KubeObject,
  type ParsedLabelSelector,
  type PodTemplateSpec,
  REPLICA_SETS,
  type ReplicaSet,
  type ReplicaSetStatus,
  REPLICATION_CONTROLLERS,
  type ReplicationController,
  type Resource,
} from '../../api/index.ts';

export interface Replicated extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly template?: PodTemplateSpec;
  };
  readonly status?: ReplicaSetStatus;
}

export interface ReplicatedKind<T extends Replicated> {
  readonly resource: Resource<T>;
  /** Name in the work queue's metrics. */
  readonly name: string;
  /** Source of its events. */
  readonly component: string;
  /** undefined: it selects nothing. */
  selectorOf(object: T): ParsedLabelSelector | undefined;
  /** Whether its status reports how many pods are being deleted. */
  readonly countsTerminating: boolean;
}

export const REPLICA_SET_KIND: ReplicatedKind<ReplicaSet> = {
  resource: REPLICA_SETS,
  name: 'replicaset',
  component: 'replicaset-controller',
  selectorOf: ({ spec }) => labelSelectorOf(spec?.selector),
  countsTerminating: true,
};

export const REPLICATION_CONTROLLER_KIND: ReplicatedKind<ReplicationController> = {
  resource: REPLICATION_CONTROLLERS,
  name: 'replicationcontroller',
  component: 'replication-controller',
  selectorOf: ({ spec }) => {
    const matchLabels = spec?.selector;
    if (matchLabels === undefined || Object.keys(matchLabels).length === 0) return undefined;
    const selector: LabelSelector = { matchLabels };
    return labelSelectorOf(selector);
  },
  countsTerminating: false,
};
