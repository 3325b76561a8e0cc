/** Announces the driver of its pod to the kubelet, as node-driver-registrar does. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Identity } from '../../../../src/csi/gen/csi_pb.js';
import { Registration } from '../../../../src/csi/gen/plugin-registration_pb.js';
import { clientAt, serve } from '../serve.ts';
import { settings } from '../settings.ts';

const RETRY_MS = 500;

export async function registrar(): Promise<void> {
  const identity = clientAt(Identity, settings.socket);
  const ask = (): Promise<{ name: string } | undefined> => identity.getPluginInfo({}).catch(() => undefined);
  let info = await ask();
  for (; info === undefined; info = await ask()) await sleep(RETRY_MS);
  const { name } = info;
  // The path of the driver's socket as the kubelet sees it.
  const endpoint = process.env['DRIVER_REG_SOCK_PATH'] ?? settings.socket;
  serve(`/registration/${name}-reg.sock`, (router) => {
    router.service(Registration, {
      getInfo: () => ({ type: 'CSIPlugin', name, endpoint, supportedVersions: ['1.0.0'] }),
      notifyRegistrationStatus: ({ pluginRegistered, error }) => {
        console.log(pluginRegistered ? `registered: ${name}` : `not registered: ${error}`);
        if (!pluginRegistered) setTimeout(() => process.exit(1), 100);
        return {};
      },
    });
  });
}
