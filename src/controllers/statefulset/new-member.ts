/** The pod of one ordinal. Pure. Upstream: newVersionedStatefulSetPod. */
import {
  type ControllerRevision,
  nameOf,
  namespaceOf,
  type Pod,
  STATEFUL_SETS,
  type StatefulSet,
} from '../../api/index.ts';
import { templateOf } from '../history/revision.ts';
import { concernsPod, inheritAvoidedNodes } from '../pods/inherit-avoided-nodes.ts';
import { podFromTemplate } from '../pods/pod-from-template.ts';
import { volumesFor } from './claims.ts';
import { identityLabels, memberName, REVISION_LABEL, wantedOrdinals } from './identity.ts';

/**
 * The pod of an ordinal as it is created from a revision: stable name, host name and storage.
 * @param now wall ms
 */
export function newMember(set: StatefulSet, ordinal: number, revision: ControllerRevision, now: number): Pod {
  const name = memberName(set, ordinal);
  const fresh = podFromTemplate(STATEFUL_SETS, set, templateOf(revision));
  const pod = inheritAvoidedNodes(fresh, set, now, concernsPod(name));
  const { generateName: _, ...metadata } = pod.metadata ?? {};
  const subdomain = set.spec?.serviceName;
  return {
    ...pod,
    metadata: {
      ...metadata,
      namespace: namespaceOf(set),
      name,
      labels: { ...metadata.labels, ...identityLabels(set, ordinal), [REVISION_LABEL]: nameOf(revision) },
    },
    spec: {
      containers: [],
      ...pod.spec,
      hostname: name,
      ...(subdomain ? { subdomain } : {}),
      volumes: [...volumesFor(set, ordinal, pod.spec?.volumes ?? [])],
    },
  };
}

/**
 * Ordinals below the partition stay at the current revision; with OnDelete every new pod is of the newest. A rolling update
 * without a partition counts the pods that are not updated yet: they are the lowest ones.
 * @param currentReplicas counted now, not read from the status, which may still count the pod that this one replaces
 */
export function isHeldBack(set: StatefulSet, ordinal: number, currentReplicas: number): boolean {
  const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
  const { start } = wantedOrdinals(set);
  if (type !== 'RollingUpdate') return false;
  if (rollingUpdate === undefined) return ordinal < start + currentReplicas;
  return ordinal < start + (rollingUpdate.partition ?? 0);
}
