/**
 * The pod of a DaemonSet on one node. Pure. It is bound to its node by an affinity to the node's name and placed by the
 * scheduler like any other. Upstream: pkg/controller/daemon/util.
 */
import {
  type Affinity,
  type DaemonSet,
  DAEMON_SETS,
  type NodeSelectorTerm,
  type Pod,
  type PodSpec,
  type Toleration,
} from '../../api/index.ts';
import { podFromTemplate } from '../pods/pod-from-template.ts';

/** On pods and revisions: the hash of the template. */
export const HASH_LABEL = 'controller-revision-hash';
const GENERATION_LABEL = 'pod-template-generation';
const GENERATION_ANNOTATION = 'deprecated.daemonset.template.generation';
const NODE_NAME_FIELD = 'metadata.name';

/** A daemon belongs to its node as long as that exists, whatever the node's health. */
const TOLERATIONS: readonly (readonly [key: string, effect: string])[] = [
  ['node.kubernetes.io/not-ready', 'NoExecute'],
  ['node.kubernetes.io/unreachable', 'NoExecute'],
  ['node.kubernetes.io/disk-pressure', 'NoSchedule'],
  ['node.kubernetes.io/memory-pressure', 'NoSchedule'],
  ['node.kubernetes.io/pid-pressure', 'NoSchedule'],
  ['node.kubernetes.io/unschedulable', 'NoSchedule'],
];
const HOST_NETWORK_TOLERATION = ['node.kubernetes.io/network-unavailable', 'NoSchedule'] as const;

/** The template's tolerations, and those that every daemon has. */
export function daemonTolerations(spec: PodSpec | undefined): readonly Toleration[] {
  const given = spec?.tolerations ?? [];
  const all = spec?.hostNetwork === true ? [...TOLERATIONS, HOST_NETWORK_TOLERATION] : TOLERATIONS;
  const added = all
    .map(([key, effect]): Toleration => ({ key, operator: 'Exists', effect }))
    .filter(
      ({ key, effect }) =>
        !given.some((one) => one.key === key && one.effect === effect && one.operator === 'Exists' && !one.value),
    );
  return [...given, ...added];
}

/** The pod for a node, to be created. */
export function newDaemonPod(set: DaemonSet, nodeName: string, hash: string): Pod {
  const pod = podFromTemplate(DAEMON_SETS, set, set.spec?.template);
  const generation = set.metadata?.annotations?.[GENERATION_ANNOTATION];
  const labels = {
    ...pod.metadata?.labels,
    [HASH_LABEL]: hash,
    ...(generation === undefined ? {} : { [GENERATION_LABEL]: generation }),
  };
  const spec = { containers: [], ...pod.spec };
  return {
    ...pod,
    metadata: { ...pod.metadata, labels },
    spec: {
      ...spec,
      tolerations: [...daemonTolerations(spec)],
      affinity: affinityTo(spec.affinity, nodeName),
    },
  };
}

/** The node's name takes the place of what the template requires of nodes: this node was found to meet that. */
function affinityTo(affinity: Affinity | undefined, nodeName: string): Affinity {
  const term = { matchFields: [{ key: NODE_NAME_FIELD, operator: 'In', values: [nodeName] }] };
  return {
    ...affinity,
    nodeAffinity: {
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] },
    },
  };
}

/** The node that a daemon's pod is on, or is meant for; undefined when it does not say. */
export function targetNodeOf({ spec }: Pod): string | undefined {
  if (spec?.nodeName) return spec.nodeName;
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return terms.map(nodeOfTerm).find((name) => name !== undefined);
}

function nodeOfTerm({ matchFields = [] }: NodeSelectorTerm): string | undefined {
  const field = matchFields.find(({ key, operator }) => key === NODE_NAME_FIELD && operator === 'In');
  return field?.values?.length === 1 ? field.values[0] : undefined;
}

/** The hash of the template that a pod is made of; '' when it has none. */
export function hashOf(pod: Pod): string {
  return pod.metadata?.labels?.[HASH_LABEL] ?? '';
}
