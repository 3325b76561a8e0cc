/**
 * NodeRestriction: checks of objects beyond what paths can tell. A kubelet changes only its own Node, its own lease, and the
 * pods that are bound to it; the only pods that it creates are mirrors of its static ones. It may not set what steers pods to
 * nodes (labels that others trust, taints). Pure, but for `restrictNode`.
 */
import { forbidden, type Node, type PersistentVolumeClaim, type Pod, type ResourceSlice } from '../../api/index.ts';
import { nodeOfUser } from '../authorization/node-authorizer.ts';
import { referencesOf } from '../authorization/pod-references.ts';
import { sameValue } from '../registry/object-meta.ts';
import { type ApiObject, omit } from '../registry/object.ts';
import { TOKEN_ISSUER } from '../tokens/limits.ts';
import type { Call } from '../call.ts';
import { readCurrent } from '../registry/read-current.ts';

export interface NodeWrite {
  readonly operation: 'create' | 'update' | 'delete';
  /** '' the object itself, else the subresource. */
  readonly part: string;
  /** The new one, or the one to go. */
  readonly object: ApiObject;
  /** For a change. */
  readonly old?: ApiObject;
}

const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

/** True for the API's picture of a static pod: no service account is given to it. */
export function isMirrorPod(object: ApiObject): boolean {
  return object.metadata.annotations?.[MIRROR_ANNOTATION] !== undefined;
}

/** Throws 403 when a kubelet reaches for what is not its own. */
export async function restrictNode(call: Call, write: NodeWrite): Promise<void> {
  const node = nodeOfUser(call.user);
  if (node === undefined) return;
  const { row } = call.registration;
  const problem =
    problemOfNodeWrite(node, row.group === '' ? row.resource : `${row.resource}.${row.group}`, write) ??
    (row.resource === 'pods' && write.operation === 'create'
      ? await problemOfOwner(call, node, write.object)
      : undefined);
  if (problem !== undefined) throw forbidden(row, write.object.metadata.name ?? '', problem);
}

/** Why the kubelet of `node` may not write this. `resource`: "pods", "leases.coordination.k8s.io". */
export function problemOfNodeWrite(node: string, resource: string, write: NodeWrite): string | undefined {
  const name = write.object.metadata.name ?? '';
  switch (resource) {
    case 'nodes':
      if (name !== node) return `node "${node}" is not allowed to modify node "${name}"`;
      return nodeProblem(node, write);
    case 'pods':
      return podProblem(node, write);
    case 'persistentvolumeclaims':
      return claimProblem(node, write);
    case 'leases.coordination.k8s.io':
      return name === node ? undefined : 'can only access node lease with the same name as the requesting node';
    case 'csinodes.storage.k8s.io':
      return name === node ? undefined : 'can only access CSINode with the same name as the requesting node';
    case 'resourceslices.resource.k8s.io':
      return sliceProblem(node, write);
    default:
      return undefined;
  }
}

/** A change is authorized by the slice that is there, and its node never changes. */
function sliceProblem(node: string, { operation, object }: NodeWrite): string | undefined {
  const { spec } = object as unknown as ResourceSlice;
  if (operation === 'update' || spec.nodeName === node) return undefined;
  return `can only ${operation} ResourceSlice with the same NodeName as the requesting node`;
}

function nodeProblem(node: string, { operation, object, old }: NodeWrite): string | undefined {
  if (operation === 'delete') return undefined;
  const { spec } = object as Node;
  const before = old as Node | undefined;
  if (spec?.configSource !== undefined && !sameValue(spec.configSource, before?.spec?.configSource))
    return `node "${node}" is not allowed to update configSource to a new non-nil configSource`;
  const strange = changedLabels(object.metadata.labels, old?.metadata.labels).filter(isForbiddenLabel).toSorted();
  if (old === undefined) {
    if (strange.length === 0) return undefined;
    return `node "${node}" is not allowed to set the following labels: ${strange.join(', ')}`;
  }
  if (!sameValue(spec?.taints ?? [], before?.spec?.taints ?? []))
    return `node "${node}" is not allowed to modify taints`;
  // An owner that is not there would have the garbage collector delete the node, and its taints with it.
  if (!sameValue(object.metadata.ownerReferences ?? [], old.metadata.ownerReferences ?? []))
    return `node "${node}" is not allowed to modify ownerReferences`;
  return strange.length === 0 ? undefined : `is not allowed to modify labels: ${strange.join(', ')}`;
}

function changedLabels(
  now: Readonly<Record<string, string>> = {},
  before: Readonly<Record<string, string>> = {},
): string[] {
  const names = new Set([...Object.keys(now), ...Object.keys(before)]);
  return [...names].filter((name) => now[name] !== before[name]);
}

/** Labels of Kubernetes' own domains that a kubelet may set on itself (upstream: kubeletapis.IsKubeletLabel). */
const KUBELET_LABELS: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
  'node.kubernetes.io/instance-type',
  'beta.kubernetes.io/instance-type',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
]);
const KUBELET_DOMAINS = ['kubelet.kubernetes.io', 'node.kubernetes.io'];

function isForbiddenLabel(label: string): boolean {
  const slash = label.indexOf('/');
  const domain = slash < 0 ? '' : label.slice(0, slash);
  if (isWithin(domain, 'node-restriction.kubernetes.io')) return true;
  if (!isWithin(domain, 'kubernetes.io') && !isWithin(domain, 'k8s.io')) return false;
  return !KUBELET_LABELS.has(label) && !KUBELET_DOMAINS.some((own) => isWithin(domain, own));
}

function isWithin(domain: string, parent: string): boolean {
  return domain === parent || domain.endsWith(`.${parent}`);
}

function podProblem(node: string, { operation, part, object, old }: NodeWrite): string | undefined {
  if (operation === 'create') return mirrorProblem(node, object);
  const { spec } = (old ?? object) as Pod;
  if (operation === 'delete') {
    const verb = part === 'eviction' ? 'evict' : 'delete';
    return spec?.nodeName === node
      ? undefined
      : `node "${node}" can only ${verb} pods with spec.nodeName set to itself`;
  }
  if (part !== 'status') return `unexpected operation "UPDATE", node "${node}" can only create and delete mirror pods`;
  if (spec?.nodeName !== node)
    return `node "${node}" can only update pod status for pods with spec.nodeName set to itself`;
  if (changedLabels(object.metadata.labels, old?.metadata.labels).length > 0)
    return `node "${node}" cannot update labels through pod status`;
  return undefined;
}

/** A mirror pod belongs to this node and refers to nothing, because the node could read objects that it refers to. */
function mirrorProblem(node: string, object: ApiObject): string | undefined {
  const pod = object as Pod;
  if (!isMirrorPod(object)) {
    return `pod does not have "${MIRROR_ANNOTATION}" annotation, node "${node}" can only create mirror pods`;
  }
  if (pod.spec?.nodeName !== node) return `node "${node}" can only create pods with spec.nodeName set to itself`;
  const owners = object.metadata.ownerReferences ?? [];
  const [owner] = owners;
  if (owners.length > 1) return `node "${node}" can only create pods with a single owner reference set to itself`;
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node)
    return `node "${node}" can only create pods with an owner reference set to itself`;
  if (owner.controller !== true)
    return `node "${node}" can only create pods with a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion === true) return `node "${node}" must not set blockOwnerDeletion on an owner reference`;
  return referenceProblem(node, pod);
}

const REFERENCES: readonly (readonly [string, string])[] = [
  ['serviceaccounts', 'a service account'],
  ['secrets', 'secrets'],
  ['configmaps', 'configmaps'],
  ['persistentvolumeclaims', 'persistentvolumeclaims'],
  ['resourceclaims', 'resourceclaims'],
];

function referenceProblem(node: string, pod: Pod): string | undefined {
  // As if it were no mirror: those name nothing.
  const named = referencesOf({ ...pod, metadata: omit(pod.metadata ?? {}, 'annotations') });
  const found = REFERENCES.find(([resource]) => named.some((vertex) => vertex.startsWith(`${resource}/`)));
  if (found !== undefined) return `node "${node}" can not create pods that reference ${found[1]}`;
  const sources = (pod.spec?.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
  if (sources.some(({ clusterTrustBundle }) => clusterTrustBundle !== undefined))
    return `node "${node}" can not create pods that reference clustertrustbundles`;
  // Upstream's ServiceAccount plugin says so about all mirror pods.
  if (sources.some(({ serviceAccountToken }) => serviceAccountToken !== undefined))
    return 'a mirror pod may not use ServiceAccountToken volume projections';
  return undefined;
}

/** The owner is this very node, not one of the same name before it. */
async function problemOfOwner({ server }: Call, node: string, object: ApiObject): Promise<string | undefined> {
  const uid = object.metadata.ownerReferences?.[0]?.uid ?? '';
  const found = await readCurrent(server, 'nodes', undefined, node);
  if (found === undefined) return `node "${node}" not found`;
  return uid === found.metadata.uid
    ? undefined
    : `node ${node} UID mismatch: expected ${uid} got ${found.metadata.uid}`;
}

/** A kubelet reports the size and the state of a claim. */
function claimProblem(node: string, { operation, part, object, old }: NodeWrite): string | undefined {
  if (operation !== 'update' || part !== 'status') return 'may only update PVC status';
  const plain = (claim: ApiObject): object => {
    const { status = {} } = claim as PersistentVolumeClaim;
    const rest = omit(status, 'capacity', 'conditions', 'allocatedResources', 'allocatedResourceStatuses');
    return { ...claim, metadata: omit(claim.metadata, 'resourceVersion', 'managedFields'), status: rest };
  };
  if (old === undefined || sameValue(plain(object), plain(old))) return undefined;
  return `node "${node}" is not allowed to update fields other than status.capacity and status.conditions`;
}

export interface AskedToken {
  readonly audiences: readonly string[];
  /** Of the pod that it is to be bound to. */
  readonly uid: string;
  /** Audiences that the CSI drivers of the pod's volumes ask for. */
  readonly ofDrivers: readonly string[];
}

/**
 * Why this node may not have a token bound to `pod` for these audiences.
 * @param pod undefined: bound to none
 */
export function problemOfNodeToken(
  node: string,
  pod: Pod | undefined,
  { audiences, uid, ofDrivers }: AskedToken,
): string | undefined {
  if (pod === undefined) return 'node requested token not bound to a pod';
  if (uid === '') return 'node requested token with a pod binding without a uid';
  if (pod.spec?.nodeName !== node) return 'node requested token bound to a pod scheduled on a different node';
  const named = (pod.spec.volumes ?? [])
    .flatMap((volume) => volume.projected?.sources ?? [])
    .flatMap(({ serviceAccountToken }) =>
      serviceAccountToken === undefined ? [] : [serviceAccountToken.audience || TOKEN_ISSUER],
    );
  const strange = audiences.find(
    (audience) => audience !== TOKEN_ISSUER && !named.includes(audience) && !ofDrivers.includes(audience),
  );
  if (strange === undefined) return undefined;
  return `audience ${JSON.stringify(strange)} not found in pod spec volume`;
}
