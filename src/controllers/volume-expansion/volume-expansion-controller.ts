/** Tells of claims that wait for their volumes to grow. Keys are claims. */
import {
  compareQuantities,
  namespacedName,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolumeClaim,
} from '../../api/index.ts';
import { type EventRecorder, type Informers, referenceTo } from '../../client/index.ts';
import { type Controller, source } from '../controller.ts';
import { planExpansion } from './plan-expansion.ts';

export function volumeExpansionController(informers: Informers, events: EventRecorder): Controller {
  const claims = informers.lister(PERSISTENT_VOLUME_CLAIMS);
  const volumes = informers.lister(PERSISTENT_VOLUMES);
  return {
    name: 'volume-expand',
    sources: [
      source(PERSISTENT_VOLUME_CLAIMS, (change) => {
        if (change.type === 'delete' || !change.object.spec?.volumeName) return [];
        const { object, previous } = change;
        // Each wish is told once, and once more by a server that begins.
        const isNews = previous === undefined || compareQuantities(askedBy(object), askedBy(previous)) > 0;
        return isNews ? [namespacedName(object)] : [];
      }),
      source(PERSISTENT_VOLUMES, () => []),
    ],
    reconcile: async (key) => {
      const claim = claims.getByKey(key);
      if (claim === undefined) return;
      const note = planExpansion(claim, volumes.get(undefined, claim.spec?.volumeName ?? ''));
      if (note !== undefined) events.event(referenceTo(claim), note.type, note.reason, note.message);
    },
  };
}

function askedBy({ spec }: PersistentVolumeClaim): string {
  return spec?.resources?.requests?.['storage'] ?? '0';
}
