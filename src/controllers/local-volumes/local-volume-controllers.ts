/** The controllers of volumes that are folders of nodes. */
import type { Controller } from '../controller.ts';
import type { LocalVolumesSettings } from '../controller-setup.ts';
import type { SetOptions, SetParts } from '../run-set.ts';
import { claimProblemController } from './claim-problem-controller.ts';
import { classController } from './class-controller.ts';
import { deletionController } from './deletion-controller.ts';
import { giveUpController } from './give-up-controller.ts';
import { lookController } from './look-controller.ts';
import { nodeVolumes } from './node-volumes.ts';
import { provisioningController } from './provisioning-controller.ts';

/** The component of their events. */
const COMPONENT = 'mendlet.dev/local';

export function localVolumeControllers(
  setup: SetOptions & SetParts,
  settings: LocalVolumesSettings,
): readonly Controller[] {
  const { client, clock, informers, logger, metrics } = setup;
  const events = setup.events(COMPONENT);
  const options = { client, informers, events, nodeVolumes: nodeVolumes(settings.connectionOf, clock) };
  return [
    classController(informers, settings.className),
    provisioningController(options),
    deletionController(options),
    giveUpController({
      ...options,
      clock,
      givenUp: metrics.counter({
        name: 'mendlet_volumes_given_up_total',
        help: 'Volumes of lost nodes that were given up, by cause: request or policy.',
        labels: ['cause'],
      }),
    }),
    claimProblemController({ ...options, clock }),
    lookController({ ...options, clock, logger: logger.child({ component: COMPONENT }) }),
  ];
}
