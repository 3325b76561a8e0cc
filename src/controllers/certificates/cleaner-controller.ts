/** Deletes requests for certificates that have had their time (upstream: csrcleaner). */
import { CERTIFICATE_SIGNING_REQUESTS, type CertificateSigningRequest, uidOf } from '../../api/index.ts';
import type { Informers } from '../../client/index.ts';
import { type Clock, parseTime } from '../../lib/index.ts';
import { type Controller, source } from '../controller.ts';
import { DECIDED_LIFE_MS, PENDING_LIFE_MS } from './limits.ts';

/** Keys are names of requests. */
export function cleanerController(informers: Informers, clock: Clock): Controller {
  const requests = informers.lister(CERTIFICATE_SIGNING_REQUESTS);
  return {
    name: 'certificatesigningrequest-cleaner',
    sources: [source(CERTIFICATE_SIGNING_REQUESTS, ({ type, key }) => (type === 'apply' ? [key] : []))],
    reconcile: async (key, context) => {
      const request = requests.getByKey(key);
      if (request === undefined) return undefined;
      const leftMs = remainingMs(request, clock.now().wall);
      if (leftMs > 0) return { requeueAfterMs: leftMs };
      const resource = CERTIFICATE_SIGNING_REQUESTS;
      await context.perform([{ verb: 'delete', resource, name: key, options: { uid: uidOf(request) } }]);
      return undefined;
    },
  };
}

/** How long it stays: an hour after its end (issued, denied, failed), else a day. @param wall now, ms */
export function remainingMs({ metadata, status }: CertificateSigningRequest, wall: number): number {
  const ended = (status?.conditions ?? []).filter(
    ({ type }) => type === 'Denied' || type === 'Failed' || (type === 'Approved' && Boolean(status?.certificate)),
  );
  const created = parseTime(metadata?.creationTimestamp) ?? wall;
  const ends = ended.map(({ lastUpdateTime }) => (parseTime(lastUpdateTime) ?? created) + DECIDED_LIFE_MS);
  return Math.min(created + PENDING_LIFE_MS, ...ends) - wall;
}
