/** Gathers the evidence about a PersistentVolume: its events, its claim, its attachments, and the driver that serves it. */
import { driverVolumeOf, EVENTS, isDeleting, PERSISTENT_VOLUMES } from '../../api/index.ts';
import type { VolumeSubjectEvidence } from '../../diagnosis/index.ts';
import { type Asker } from './ask.ts';
import { gatherClaimSubject } from './gather-claim.ts';
import { attachmentsOf, gatherStorage } from './gather-storage.ts';
import { gatherClaim } from './gather-volumes.ts';
import { MAX_EVENTS } from './limits.ts';

/** @throws StatusError when there is no such volume, or it may not be read */
export async function gatherVolumeSubject(asker: Asker, name: string): Promise<VolumeSubjectEvidence> {
  const volume = await asker.session.client.get(PERSISTENT_VOLUMES, undefined, name, asker.session.signal);
  const { namespace, name: claimName = '' } = volume.spec?.claimRef ?? {};
  const driver = driverVolumeOf(volume.spec)?.driver;
  const [events, attachments, claim] = await Promise.all([
    asker.list(`events of persistentvolume/${name}`, EVENTS, {
      fieldSelector: `involvedObject.kind=PersistentVolume,involvedObject.name=${name}`,
      limit: MAX_EVENTS,
    }),
    driver === undefined ? [] : attachmentsOf(asker, name),
    namespace === undefined ? undefined : gatherClaim(asker, namespace, claimName),
  ]);
  const isItsClaim = claim?.claim !== undefined && claim.claim.metadata?.uid === volume.spec?.claimRef?.uid;
  const needsDriver = isDeleting(volume) || volume.status?.phase === 'Released' || volume.status?.phase === 'Failed';
  const storage =
    driver === undefined
      ? undefined
      : await gatherStorage(asker, { attachments, drivers: needsDriver ? [driver] : [], nodeNames: [] });
  const subject =
    isItsClaim && namespace !== undefined
      ? await gatherClaimSubject(asker, namespace, claimName, { namespaceFlag: `-n ${namespace}`, withUsage: false })
      : undefined;
  return {
    now: asker.now,
    volume,
    events,
    ...(subject && { claim: subject }),
    ...(claim !== undefined && { claimMissing: !isItsClaim }),
    ...(storage && { storage }),
    notLookedAt: asker.notLookedAt,
  };
}
