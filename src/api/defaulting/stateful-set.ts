/** Defaults of stateful and daemon sets (upstream SetDefaults_StatefulSet, SetDefaults_DaemonSet). They fill a draft in place. */
import type { DaemonSet, StatefulSet } from '../types.gen.ts';
import { defaultPersistentVolumeClaim } from './persistent-volume.ts';
import { defaultPodTemplate } from './pod-template.ts';

const REVISION_HISTORY_LIMIT = 10;

export function defaultStatefulSet(set: StatefulSet): void {
  const { spec } = set;
  if (spec === undefined) return;
  defaultPodTemplate((spec.template ??= {}));
  spec.podManagementPolicy ||= 'OrderedReady';
  const strategy = (spec.updateStrategy ??= {});
  if (!strategy.type) {
    strategy.type = 'RollingUpdate';
    strategy.rollingUpdate ??= {};
  }
  if (strategy.type === 'RollingUpdate' && strategy.rollingUpdate !== undefined) strategy.rollingUpdate.partition ??= 0;
  const retention = (spec.persistentVolumeClaimRetentionPolicy ??= {});
  retention.whenDeleted ||= 'Retain';
  retention.whenScaled ||= 'Retain';
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= REVISION_HISTORY_LIMIT;
  for (const claim of spec.volumeClaimTemplates ?? []) {
    claim.apiVersion = 'v1';
    claim.kind = 'PersistentVolumeClaim';
    defaultPersistentVolumeClaim(claim);
  }
}

export function defaultDaemonSet(set: DaemonSet): void {
  const { spec } = set;
  if (spec === undefined) return;
  defaultPodTemplate((spec.template ??= {}));
  const strategy = (spec.updateStrategy ??= {});
  strategy.type ||= 'RollingUpdate';
  if (strategy.type === 'RollingUpdate') {
    const rolling = (strategy.rollingUpdate ??= {});
    rolling.maxUnavailable ??= 1;
    rolling.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= REVISION_HISTORY_LIMIT;
}
