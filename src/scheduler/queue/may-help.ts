/** Decides whether an event may let a waiting pod fit: each filter that refused a node is asked. Pure. */
import { equalJson, matchesLabels, nodeSelectorMatches, VOLUME_SPACE_ANNOTATION } from '../../api/index.ts';
import { allTermsMatch, type NamespaceLabels, termMatches } from '../cluster/affinity-term.ts';
import type { NodeInfo } from '../cluster/node-info.ts';
import type { PodInfo } from '../cluster/pod-info.ts';
import type { FilterName } from '../filter/filter.ts';
import { portsClash } from '../filter/node-ports.ts';
import { spreadConstraintsOf } from '../filter/spread-constraint.ts';
import { toleratesHardTaints } from '../filter/taints.ts';
import type { ClusterEvent, DriverNews } from './cluster-event.ts';

export interface Waiting {
  readonly pod: PodInfo;
  /** Empty: there was no node at all. */
  readonly rejectedBy: ReadonlySet<FilterName>;
}

const NEWS_OF_LIMITS: ReadonlySet<DriverNews> = new Set([
  'CSINodeAdd',
  'CSINodeUpdate',
  'CSINodeDelete',
  'VolumeAttachmentDelete',
]);
const NEWS_OF_ROOM: ReadonlySet<DriverNews> = new Set([
  'CSIDriverUpdate',
  'CSIStorageCapacityAdd',
  'CSIStorageCapacityUpdate',
]);

/** Whether the pod is worth another attempt after the event. */
export function mayHelp({ pod, rejectedBy }: Waiting, event: ClusterEvent, namespaceLabels: NamespaceLabels): boolean {
  if (rejectedBy.size === 0) return event.kind === 'node';
  for (const filter of rejectedBy) if (HINTS[filter](pod, event, namespaceLabels)) return true;
  return false;
}

type Hint = (pod: PodInfo, event: ClusterEvent, namespaceLabels: NamespaceLabels) => boolean;

const HINTS: Readonly<Record<FilterName, Hint>> = {
  // A pod that tolerates the cordon was not refused for it, so only uncordoning helps.
  NodeUnschedulable: (_, event) =>
    event.kind === 'node' &&
    event.info.node?.spec?.unschedulable !== true &&
    isNews(event, ({ spec }) => spec?.unschedulable),
  NodeName: ({ pod }, event) => event.kind === 'node' && event.info.name === pod.spec?.nodeName,
  TaintToleration: ({ pod }, event) =>
    event.kind === 'node' &&
    isNews(event, ({ spec }) => spec?.taints) &&
    event.info.node !== undefined &&
    toleratesHardTaints(pod, event.info.node),
  NodeAffinity: ({ pod }, event) =>
    event.kind === 'node' &&
    isNews(event, ({ metadata }) => metadata?.labels) &&
    event.info.node !== undefined &&
    nodeSelectorMatches(pod, event.info.node),
  NodePorts: ({ hostPorts }, event) =>
    (event.kind === 'node' && event.before === undefined) ||
    (event.kind === 'pod-gone' && portsClash(hostPorts, event.pod)),
  NodeResourcesFit: (pod, event) => {
    if (event.kind === 'pod-gone' || event.kind === 'pod-shrunk') return true;
    return event.kind === 'node' && isNews(event, ({ status }) => status?.allocatable) && hasRoomFor(pod, event.info);
  },
  VolumeRestrictions: ({ namespace, claims }, event) =>
    (event.kind === 'pod-gone' &&
      event.pod.namespace === namespace &&
      claims.some((name) => event.pod.claims.includes(name))) ||
    isOwnClaim(namespace, claims, event),
  NodeVolumeLimits: ({ namespace, claims }, event) =>
    (event.kind === 'pod-gone' && event.pod.claims.length > 0) ||
    (event.kind === 'driver' && NEWS_OF_LIMITS.has(event.news)) ||
    isOwnClaim(namespace, claims, event),
  VolumeBinding: ({ namespace, claims }, event) =>
    event.kind === 'volume' ||
    (event.kind === 'driver' && NEWS_OF_ROOM.has(event.news)) ||
    isOwnClaim(namespace, claims, event) ||
    (event.kind === 'node' &&
      isNews(event, ({ metadata }) => [metadata?.labels, metadata?.annotations?.[VOLUME_SPACE_ANNOTATION]])),
  VolumeZone: ({ namespace, claims }, event) =>
    event.kind === 'volume' ||
    isOwnClaim(namespace, claims, event) ||
    (event.kind === 'node' && isNews(event, ({ metadata }) => metadata?.labels)),
  PodTopologySpread: ({ pod, namespace }, event) => {
    if (event.kind === 'node-gone') return true;
    if (event.kind === 'node') {
      return isNews(event, ({ metadata, spec }) => [metadata?.labels, spec?.taints]);
    }
    if (event.kind !== 'pod-placed' && event.kind !== 'pod-gone') return false;
    if (event.pod.namespace !== namespace) return false;
    const labels = [event.pod.labels, ...(event.kind === 'pod-placed' && event.before ? [event.before.labels] : [])];
    return spreadConstraintsOf(pod, 'DoNotSchedule').some(
      ({ selector }) => selector !== undefined && labels.some((each) => matchesLabels(selector, each)),
    );
  },
  InterPodAffinity: (pod, event, namespaceLabels) => {
    const { terms } = pod;
    if (event.kind === 'node') return isNews(event, ({ metadata }) => metadata?.labels);
    if (event.kind === 'namespace') return true;
    if (event.kind !== 'pod-placed' && event.kind !== 'pod-gone') return false;
    // A pod helps that came and matches the affinity, or that went (or changed) and was in conflict with the anti-affinity of
    // either.
    const gone = event.kind === 'pod-gone' ? event.pod : event.before;
    if (event.kind === 'pod-placed' && allTermsMatch(terms.affinity, event.pod, namespaceLabels)) return true;
    if (gone === undefined) return false;
    return (
      terms.antiAffinity.some((term) => termMatches(term, gone, namespaceLabels)) ||
      gone.terms.antiAffinity.some((term) => termMatches(term, pod, namespaceLabels)) ||
      // When the last matching pod has gone, this pod may be the first of its group.
      (terms.affinity.length > 0 && terms.affinity.some((term) => termMatches(term, gone, namespaceLabels)))
    );
  },
};

type NodeEvent = Extract<ClusterEvent, { kind: 'node' }>;

function isNews({ info, before }: NodeEvent, of: (node: NonNullable<NodeInfo['node']>) => unknown): boolean {
  return before === undefined || info.node === undefined || !equalJson(of(info.node), of(before));
}

/** Whether the pod would fit on the node if it were empty. */
function hasRoomFor({ amounts }: PodInfo, { allocatable }: NodeInfo): boolean {
  if ((allocatable['pods'] ?? 0) < 1) return false;
  return Object.entries(amounts).every(([name, amount]) => amount <= (allocatable[name] ?? 0));
}

function isOwnClaim(namespace: string, claims: readonly string[], event: ClusterEvent): boolean {
  if (event.kind !== 'claim') return false;
  const { metadata } = event.claim;
  return metadata?.namespace === namespace && claims.includes(metadata.name ?? '');
}
