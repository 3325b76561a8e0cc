/** The controllers of volumes that are folders of nodes. */
import type { Controller } from '../controller.ts';
import type { ControllerSetup, LocalVolumesSettings } from '../controller-setup.ts';
import { classController } from './class-controller.ts';
import { deletionController } from './deletion-controller.ts';
import { lookController } from './look-controller.ts';
import { nodeVolumes } from './node-volumes.ts';
import { provisioningController } from './provisioning-controller.ts';

/** The component of their events. */
const COMPONENT = 'mendlet.dev/local';

export function localVolumeControllers(setup: ControllerSetup, settings: LocalVolumesSettings): readonly Controller[] {
  const { client, clock, informers, logger } = setup;
  const events = setup.events(COMPONENT);
  const options = { client, informers, events, nodeVolumes: nodeVolumes(settings.connectionOf, clock) };
  return [
    classController(informers, settings.className),
    provisioningController(options),
    deletionController(options),
    lookController({ ...options, clock, logger: logger.child({ component: COMPONENT }) }),
  ];
}
