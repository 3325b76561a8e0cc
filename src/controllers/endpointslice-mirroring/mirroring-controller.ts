/** Mirrors Endpoints that people write into EndpointSlices. */
import { ENDPOINT_SLICES, ENDPOINTS, SERVICES } from '../../api/index.ts';
import { type EventRecorder, objectKey, referenceTo, splitKey, type Informers } from '../../client/index.ts';
import { serviceKeysOf, slicesOf } from '../endpointslice/endpointslice-controller.ts';
import { MAX_MIRRORED_ADDRESSES } from '../limits.ts';
import { type Controller, source } from '../controller.ts';
import { MIRRORING_NAME, planMirror } from './plan-mirror.ts';

/** Keys are services, whose names the Endpoints share. */
export function mirroringController(informers: Informers, events: EventRecorder): Controller {
  const services = informers.lister(SERVICES);
  const endpoints = informers.lister(ENDPOINTS);
  const slices = informers.lister(ENDPOINT_SLICES);
  return {
    name: 'endpointslice-mirroring-controller',
    sources: [
      source(ENDPOINTS, ({ object }) => [objectKey(object)]),
      source(SERVICES, ({ object }) => [objectKey(object)]),
      source(ENDPOINT_SLICES, serviceKeysOf(MIRRORING_NAME)),
    ],
    reconcile: async (key, context) => {
      const { namespace = '', name } = splitKey(key);
      const own = slicesOf(slices.list(namespace), name, MIRRORING_NAME);
      const mirrored = endpoints.getByKey(key);
      const { operations, invalid, skipped } = planMirror(services.getByKey(key), mirrored, own);
      if (operations.length > 0 && mirrored !== undefined) {
        const warn = (reason: string, message: string): void =>
          events.event(referenceTo(mirrored), 'Warning', reason, message);
        if (invalid > 0)
          warn('InvalidAddressToMirror', `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`);
        if (skipped > 0) {
          const text = `A max of ${MAX_MIRRORED_ADDRESSES} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`;
          warn('TooManyAddressesToMirror', text);
        }
      }
      await context.perform(operations);
    },
  };
}
