/** Gathers a pod's claims with their volumes and events. */
import {
  EVENTS,
  isLocalVolume,
  isVolumeOnNode,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type Pod,
  PODS,
  STORAGE_CLASSES,
  volumeHost,
} from '../../api/index.ts';
import { type ClaimEvidence, claimNames, type ClaimInUse, type NodeEvidence } from '../../diagnosis/index.ts';
import { nearNames } from '../../lib/index.ts';
import { type Asker, found } from './ask.ts';
import { gatherNode } from './gather-node.ts';
import { MAX_CLAIMS, MAX_EVENTS, MAX_LISTED } from './limits.ts';

export function gatherClaims(asker: Asker, pod: Pod): Promise<readonly ClaimEvidence[]> {
  const namespace = pod.metadata?.namespace;
  const names = claimNames(pod);
  if (names.length > MAX_CLAIMS) asker.note(`claims after the first ${MAX_CLAIMS}`);
  return Promise.all(names.slice(0, MAX_CLAIMS).map((name) => gatherClaim(asker, namespace, name))).then((all) =>
    all.flatMap((one) => one ?? []),
  );
}

/**
 * `undefined`: the claim may not be read, which proves nothing about it.
 * @param withEvents read them also of a claim that is bound
 */
export async function gatherClaim(
  asker: Asker,
  namespace: string | undefined,
  name: string,
  withEvents = false,
): Promise<ClaimEvidence | undefined> {
  const answer = await asker.get(`persistentvolumeclaim/${name}`, PERSISTENT_VOLUME_CLAIMS, namespace, name);
  if (answer.kind === 'missing') {
    const similar = await similarClaims(asker, namespace, name);
    return { name, missing: true, ...(similar.length > 0 && { similar }), events: [] };
  }
  const claim = found(answer);
  if (claim === undefined) return undefined;
  const events =
    !withEvents && claim.status?.phase === 'Bound'
      ? []
      : await asker.list(`events of persistentvolumeclaim/${name}`, EVENTS, {
          namespace,
          fieldSelector: `involvedObject.uid=${claim.metadata?.uid ?? ''}`,
          limit: MAX_EVENTS,
        });
  const volumeName = claim.spec?.volumeName ?? '';
  if (volumeName === '') {
    const otherClasses = await classesBeside(asker, claim.spec?.storageClassName ?? '');
    const volumes = await candidates(asker, events, otherClasses !== undefined);
    return {
      name,
      missing: false,
      claim,
      events,
      ...(otherClasses && { otherClasses }),
      ...(volumes && { volumes }),
    };
  }
  const volume = await asker.get(`persistentvolume/${volumeName}`, PERSISTENT_VOLUMES, undefined, volumeName);
  const known = found(volume);
  const home = known === undefined ? undefined : await gatherHome(asker, known);
  const volumeMissing = volume.kind === 'missing';
  return { name, missing: false, claim, events, volume: known, volumeMissing, ...(home && { home }) };
}

/** Names that a claim may be meant by. */
async function similarClaims(asker: Asker, namespace: string | undefined, name: string): Promise<readonly string[]> {
  const query = { ...(namespace === undefined ? {} : { namespace }), limit: MAX_LISTED };
  const all = await asker.list(`claims in namespace ${namespace ?? ''}`, PERSISTENT_VOLUME_CLAIMS, query);
  return nearNames(
    name,
    all.map(({ metadata }) => metadata?.name ?? ''),
  );
}

/** The volumes among which none fits; they are read only where nothing makes one. */
async function candidates(
  asker: Asker,
  events: ClaimEvidence['events'],
  isOfNoClass: boolean,
): Promise<readonly PersistentVolume[] | undefined> {
  const isUnmade =
    isOfNoClass ||
    events.some(
      ({ reason, message = '' }) =>
        reason === 'FailedBinding' || (reason === 'ProvisioningFailed' && /not found/.test(message)),
    );
  if (!isUnmade) return undefined;
  return await asker.listAll('persistentvolumes', PERSISTENT_VOLUMES, { limit: MAX_LISTED });
}

/** The StorageClasses that there are, where that of the name does not exist; undefined: it does, none is named, or they could not be read. */
async function classesBeside(asker: Asker, name: string): Promise<readonly string[] | undefined> {
  if (name === '') return undefined;
  const answer = await asker.get(`storageclass/${name}`, STORAGE_CLASSES, undefined, name);
  if (answer.kind !== 'missing') return undefined;
  const all = await asker.listAll('storageclasses', STORAGE_CLASSES, { limit: MAX_LISTED });
  return all?.map(({ metadata }) => metadata?.name ?? '').toSorted();
}

/** The node with the folder. It is known by its host name, which nearly always is its name, too. */
async function gatherHome(asker: Asker, volume: PersistentVolume): Promise<NodeEvidence | undefined> {
  const host = volumeHost(volume);
  if (!isLocalVolume(volume) || host === '') return undefined;
  const named = await gatherNode(asker, host);
  if (named.node !== undefined && isVolumeOnNode(volume, named.node)) return named;
  const labelSelector = `kubernetes.io/hostname=${host}`;
  const [node] = await asker.list(`node with host name ${host}`, NODES, { labelSelector, limit: 1 });
  return node?.metadata?.name === undefined ? named : gatherNode(asker, node.metadata.name);
}

export async function gatherClaimInUse(asker: Asker, name: string, namespaceFlag: string): Promise<ClaimInUse> {
  const { client, namespace, signal } = asker.session;
  // A missing claim is the caller's error.
  await client.get(PERSISTENT_VOLUME_CLAIMS, namespace, name, signal);
  const [claim, all] = await Promise.all([
    gatherClaim(asker, namespace, name),
    asker.list(`pods in namespace ${namespace}`, PODS, { namespace, limit: MAX_LISTED }),
  ]);
  const isOver = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';
  const pods = all.filter((pod) => !isOver(pod) && claimNames(pod).includes(name));
  const evidence = claim ?? { name, missing: true, events: [] };
  return { now: asker.now, namespace, claim: evidence, pods, notLookedAt: asker.notLookedAt, namespaceFlag };
}
