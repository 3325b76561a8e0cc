/** Events of claims by their names: a pod names its claims, and an event needs the object. */
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/index.ts';
import type { KubeClient } from '../../../client/index.ts';
import { errorMessage, type Logger } from '../../../lib/index.ts';
import type { VolumeEvents } from '../../types.ts';

/** Sends an event about a claim. Never blocks, never throws. */
export type ClaimEvent = (
  claim: { readonly namespace: string; readonly name: string },
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
) => void;

/** An event whose claim cannot be read is logged instead. */
export function createClaimEvents(client: KubeClient, events: Pick<VolumeEvents, 'claim'>, logger: Logger): ClaimEvent {
  return ({ namespace, name }, type, reason, message) => {
    client.get(PERSISTENT_VOLUME_CLAIMS, namespace, name).then(
      (claim) => events.claim(claim, type, reason, message),
      (error: unknown) =>
        logger.info('an event of a claim is not sent', { namespace, name, reason, error: errorMessage(error) }),
    );
  };
}
