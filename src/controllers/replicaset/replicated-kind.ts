/** What replica sets and replication controllers have in common, and what each calls its own. */
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
  /** Of the work queue's metrics. */
  readonly name: string;
  /** Who speaks in its events. */
  readonly component: string;
  /** undefined: it selects nothing. */
  selectorOf(object: T): ParsedLabelSelector | undefined;
  /** Whether its status tells how many pods are on their way out. */
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
