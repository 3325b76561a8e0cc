/** The caller of webhooks with what the server knows of its own Services. */
import { ENDPOINT_SLICES, type EndpointSlice } from '../../api/index.ts';
import type { ServerContext } from '../call.ts';
import { listCurrent, readCurrent } from '../registry/read-current.ts';
import { WebhookCaller } from './webhook-caller.ts';

const SERVICE_NAME = 'kubernetes.io/service-name';

export function createWebhookCaller(server: ServerContext, onOtherName: () => void): WebhookCaller {
  const { clock, random } = server.ports;
  return new WebhookCaller({
    clock,
    random,
    connections: server.connections.origin,
    onOtherName,
    services: {
      service: (namespace, name) => readCurrent(server, 'services', namespace, name),
      slices: async (namespace, name) => {
        const all = await listCurrent(server, server.registry.get(ENDPOINT_SLICES), namespace);
        return all.filter(({ metadata }) => metadata.labels?.[SERVICE_NAME] === name) as unknown as EndpointSlice[];
      },
    },
  });
}
