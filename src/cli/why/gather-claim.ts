/** Gathers the evidence about a claim: its object, volume and events, the pods that use it, and how full it is. */
import {
  PERSISTENT_VOLUME_CLAIMS,
  type PersistentVolumeClaim,
  type Pod,
  PODS,
  quantityValue,
  STORAGE_CLASSES,
} from '../../api/index.ts';
import { claimNames, type ClaimSubjectEvidence, type VolumeUsage } from '../../diagnosis/index.ts';
import { type Asker } from './ask.ts';
import { gatherPod } from './gather-pod.ts';
import { gatherClaimStorage } from './gather-storage.ts';
import { gatherClaim } from './gather-volumes.ts';
import { MAX_LISTED, MAX_METRICS_BYTES } from './limits.ts';

export interface ClaimWish {
  readonly namespaceFlag: string;
  /** Whether the node of a pod that uses it is asked how full it is. */
  readonly withUsage: boolean;
}

/** @throws StatusError when there is no such claim, or it may not be read */
export async function gatherClaimSubject(
  asker: Asker,
  namespace: string,
  name: string,
  { namespaceFlag, withUsage }: ClaimWish,
): Promise<ClaimSubjectEvidence> {
  const [claim, pods] = await Promise.all([
    gatherClaim(asker, namespace, name, true),
    asker.list(`pods in namespace ${namespace}`, PODS, { namespace, limit: MAX_LISTED }),
  ]);
  if (claim?.claim === undefined) {
    // The refusal of the server itself is the answer.
    await asker.session.client.get(PERSISTENT_VOLUME_CLAIMS, namespace, name, asker.session.signal);
  }
  const users = pods.filter((pod) => !isOver(pod) && claimNames(pod).includes(name));
  const running = users.find(({ status, spec }) => status?.phase === 'Running' && spec?.nodeName);
  const usage = withUsage && running !== undefined ? await gatherUsage(asker, running, name) : undefined;
  const className = claim?.claim?.spec?.storageClassName ?? '';
  const isPending = claim?.claim?.status?.phase === 'Pending';
  const storageClass =
    className === '' || !isPending
      ? undefined
      : await asker.get(`storageclass/${className}`, STORAGE_CLASSES, undefined, className);
  const unready = isPending ? users.filter(({ status }) => status?.phase === 'Pending') : [];
  const placeless = unready.find(({ spec }) => (spec?.nodeName ?? '') === '') ?? unready[0];
  const waiting =
    placeless === undefined ? undefined : await gatherPod(asker, placeless, { namespaceFlag, killings: [] });
  const storage = await gatherClaimStorage(asker, claim?.volume, users, isSmall(claim?.claim));
  const known = storageClass?.kind === 'found' || storageClass?.kind === 'missing';
  return {
    now: asker.now,
    namespace,
    claim: claim ?? { name, missing: false, events: [] },
    users: users.map(({ metadata }) => metadata?.name ?? ''),
    ...(waiting && { waiting }),
    ...(usage === undefined ? {} : { usage }),
    ...(storage && { storage }),
    ...(known ? { classExists: storageClass.kind === 'found' } : {}),
    notLookedAt: asker.notLookedAt,
    namespaceFlag,
  };
}

/** It has less than it asks for. */
function isSmall(claim: PersistentVolumeClaim | undefined): boolean {
  const wanted = claim?.spec?.resources?.requests?.['storage'];
  const has = claim?.status?.capacity?.['storage'];
  return wanted !== undefined && has !== undefined && quantityValue(has) < quantityValue(wanted);
}

function isOver({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

interface Summary {
  readonly pods?: readonly {
    readonly podRef?: { readonly uid?: string };
    readonly volume?: readonly (VolumeUsage & { readonly pvcRef?: { readonly name?: string } })[];
  }[];
}

/** What the kubelet measured of the volume. Undefined: it cannot be asked, or has not measured it. */
async function gatherUsage(asker: Asker, pod: Pod, claim: string): Promise<VolumeUsage | undefined> {
  const node = pod.spec?.nodeName ?? '';
  const url = `/api/v1/nodes/${encodeURIComponent(node)}/proxy/stats/summary`;
  const answer = await asker.text(`figures of node/${node}`, url, MAX_METRICS_BYTES);
  if (answer.kind !== 'found') return undefined;
  try {
    const summary = JSON.parse(answer.value) as Summary;
    const own = summary.pods?.find(({ podRef }) => podRef?.uid === pod.metadata?.uid);
    return own?.volume?.find(({ pvcRef }) => pvcRef?.name === claim);
  } catch {
    asker.note(`figures of node/${node}: they are no JSON`);
    return undefined;
  }
}
