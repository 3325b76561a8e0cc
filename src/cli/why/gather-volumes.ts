/** Gathers a pod's claims with their volumes and events. */
import { EVENTS, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, type Pod } from '../../api/index.ts';
import { type ClaimEvidence, claimNames } from '../../diagnosis/index.ts';
import { type Asker, found } from './ask.ts';
import { MAX_CLAIMS, MAX_EVENTS } from './limits.ts';

export function gatherClaims(asker: Asker, pod: Pod): Promise<readonly ClaimEvidence[]> {
  const namespace = pod.metadata?.namespace;
  const names = claimNames(pod);
  if (names.length > MAX_CLAIMS) asker.note(`claims after the first ${MAX_CLAIMS}`);
  return Promise.all(names.slice(0, MAX_CLAIMS).map((name) => gatherClaim(asker, namespace, name))).then((all) =>
    all.flatMap((one) => one ?? []),
  );
}

/** `undefined`: the claim may not be read, which proves nothing about it. */
export async function gatherClaim(
  asker: Asker,
  namespace: string | undefined,
  name: string,
): Promise<ClaimEvidence | undefined> {
  const answer = await asker.get(`persistentvolumeclaim/${name}`, PERSISTENT_VOLUME_CLAIMS, namespace, name);
  if (answer.kind === 'missing') return { name, missing: true, events: [] };
  const claim = found(answer);
  if (claim === undefined) return undefined;
  const events =
    claim.status?.phase === 'Bound'
      ? []
      : await asker.list(`events of persistentvolumeclaim/${name}`, EVENTS, {
          namespace,
          fieldSelector: `involvedObject.uid=${claim.metadata?.uid ?? ''}`,
          limit: MAX_EVENTS,
        });
  const volumeName = claim.spec?.volumeName ?? '';
  if (volumeName === '') return { name, missing: false, claim, events };
  const volume = await asker.get(`persistentvolume/${volumeName}`, PERSISTENT_VOLUMES, undefined, volumeName);
  return { name, missing: false, claim, events, volume: found(volume), volumeMissing: volume.kind === 'missing' };
}
