/** Selects the pods that spread together: those of the same services and the same controller. Pure. */
import {
  labelSelectorOf,
  type LabelSelector,
  type ParsedLabelSelector,
  type Pod,
  type ReplicaSet,
  type ReplicationController,
  type Service,
  type StatefulSet,
} from '../../api/index.ts';
import { readSelector } from './affinity-term.ts';

export interface SpreadSources {
  services(namespace: string): readonly Service[];
  replicationController(namespace: string, name: string): ReplicationController | undefined;
  replicaSet(namespace: string, name: string): ReplicaSet | undefined;
  statefulSet(namespace: string, name: string): StatefulSet | undefined;
}

/** Undefined: no service selects the pod, and it has no controller. */
export function spreadSelectorOf(pod: Pod, sources: SpreadSources): ParsedLabelSelector | undefined {
  const { namespace = '', labels = {}, ownerReferences = [] } = pod.metadata ?? {};
  const joined: Record<string, string> = {};
  for (const { spec } of sources.services(namespace)) {
    const selector = Object.entries(spec?.selector ?? {});
    if (selector.length > 0 && selector.every(([key, value]) => labels[key] === value)) {
      for (const [key, value] of selector) joined[key] = value;
    }
  }
  const owner = ownerReferences.find(({ controller }) => controller === true);
  let byOwner: ParsedLabelSelector = [];
  if (owner?.kind === 'ReplicationController' && owner.apiVersion === 'v1') {
    Object.assign(joined, sources.replicationController(namespace, owner.name)?.spec?.selector);
  } else if (owner?.kind === 'ReplicaSet') {
    byOwner = read(sources.replicaSet(namespace, owner.name)?.spec?.selector);
  } else if (owner?.kind === 'StatefulSet') {
    byOwner = read(sources.statefulSet(namespace, owner.name)?.spec?.selector);
  }
  const all = [...(labelSelectorOf({ matchLabels: joined }) ?? []), ...byOwner];
  return all.length === 0 ? undefined : all;
}

function read(selector: LabelSelector | undefined): ParsedLabelSelector {
  return readSelector(selector) ?? [];
}
