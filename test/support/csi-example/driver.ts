/** The example driver: identity, controller and node service at one socket, as most drivers are one program. */
import type { ConnectRouter } from '@connectrpc/connect';
import { Identity, Node, PluginCapability_Service_Type as Service } from '../../../src/csi/gen/csi_pb.js';
import { controllerService } from './controller-service.ts';
import { Controller } from './gen/csi-controller_pb.js';
import { nodeService } from './node-service.ts';
import { serve } from './serve.ts';
import { settings } from './settings.ts';
import { Store } from './store.ts';

export function driver(): void {
  const volumes = new Store('volumes');
  const snapshots = new Store('snapshots');
  const capabilities = [
    Service.CONTROLLER_SERVICE,
    ...(settings.staysOnNode ? [Service.VOLUME_ACCESSIBILITY_CONSTRAINTS] : []),
  ];
  serve(settings.socket, (router: ConnectRouter) => {
    router.service(Identity, {
      getPluginInfo: () => ({ name: settings.driver, vendorVersion: '1.0.0' }),
      getPluginCapabilities: () => ({
        capabilities: capabilities.map((type) => ({ type: { case: 'service', value: { type } } })),
      }),
      probe: () => ({ ready: true }),
    });
    router.service(Controller, controllerService(volumes, snapshots));
    router.service(Node, nodeService(volumes));
  });
}
