/** All that happens to nodes that fail, and to the pods on them: four controllers around one opinion of ourselves. */
import { LEASES, NODES } from '../../api/index.ts';
import type { ControllerSetup } from '../controller-setup.ts';
import { type Controller, source } from '../controller.ts';
import { taintEvictionController } from '../taint-eviction/taint-eviction-controller.ts';
import { nodeLifecycleController } from './node-lifecycle-controller.ts';
import { SelfWatch } from './self-watch.ts';
import { DEFAULT_NODE_LIFECYCLE } from './settings.ts';
import { zoneEvictionController } from './zone-eviction-controller.ts';

export function nodeFailureControllers(setup: ControllerSetup): readonly Controller[] {
  const { informers } = setup;
  const { ownNodeName, nodeLifecycle: settings = DEFAULT_NODE_LIFECYCLE } = setup.settings;
  const events = setup.events('node-controller');
  const self = new SelfWatch({
    ...setup,
    events,
    leases: informers.lister(LEASES),
    graceMs: settings.nodeMonitorGracePeriodMs,
    ...(ownNodeName === undefined ? {} : { ownNodeName }),
  });
  return [
    self.controller(source(NODES, () => [])),
    nodeLifecycleController({ ...setup, events, settings, self }),
    zoneEvictionController({ ...setup, settings, self }),
    taintEvictionController({
      ...setup,
      events: setup.events('taint-eviction-controller'),
      lostNodesFrom: () => self.evictionsFrom(),
    }),
  ];
}
