/**
 * Defaults of what keeps a number of like pods (upstream `SetDefaults_Deployment`, `SetDefaults_ReplicaSet`,
 * `SetDefaults_ReplicationController`). They fill a draft in place.
 */
import type { Deployment, DeploymentSpec, ReplicaSet, ReplicationController } from '../types.gen.ts';
import { defaultPodTemplate } from './pod-template.ts';

const ROLLING_SHARE = '25%';
const REVISION_HISTORY_LIMIT = 10;
const PROGRESS_DEADLINE_SECONDS = 600;

export function defaultDeployment(deployment: Deployment): void {
  // Upstream's structs are never absent; validation refuses what is missing in them.
  const spec = (deployment.spec ??= {} as DeploymentSpec);
  deployment.status ??= {};
  spec.template ??= {};
  defaultPodTemplate(spec.template);
  spec.replicas ??= 1;
  const strategy = (spec.strategy ??= {});
  strategy.type ||= 'RollingUpdate';
  if (strategy.type === 'RollingUpdate') {
    strategy.rollingUpdate ??= {};
    strategy.rollingUpdate.maxUnavailable ??= ROLLING_SHARE;
    strategy.rollingUpdate.maxSurge ??= ROLLING_SHARE;
  }
  spec.revisionHistoryLimit ??= REVISION_HISTORY_LIMIT;
  spec.progressDeadlineSeconds ??= PROGRESS_DEADLINE_SECONDS;
}

export function defaultReplicaSet(replicaSet: ReplicaSet): void {
  const spec = (replicaSet.spec ??= {} as NonNullable<ReplicaSet['spec']>);
  replicaSet.status ??= { replicas: 0 };
  spec.template ??= {};
  defaultPodTemplate(spec.template);
  spec.replicas ??= 1;
}

/** Its template gives the labels and the selector that it lacks. */
export function defaultReplicationController(controller: ReplicationController): void {
  const spec = (controller.spec ??= {});
  controller.status ??= { replicas: 0 };
  defaultPodTemplate(spec.template);
  const labels = spec.template?.metadata?.labels;
  if (labels !== undefined) {
    if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels };
    if (controller.metadata !== undefined && Object.keys(controller.metadata.labels ?? {}).length === 0)
      controller.metadata.labels = { ...labels };
  }
  spec.replicas ??= 1;
}
