/** Keeps the ConfigMap that tells all nodes where each node's pods are. */
import { CONFIG_MAPS, type Node, NODES } from '../../api/index.ts';
import type { Change, Informers } from '../../client/index.ts';
import { type Controller, source } from '../controller.ts';
import { planNodeRoutes } from './plan-node-routes.ts';
import { NODE_ROUTES, routeOf } from '../../network/index.ts';

const OURS = { fieldSelector: `metadata.name=${NODE_ROUTES.name}` };
const ALL = 'nodes';

/** There is one key: the ConfigMap has them all. */
export function nodeRoutesController(informers: Informers): Controller {
  const nodes = informers.lister(NODES);
  const configMaps = informers.lister(CONFIG_MAPS, OURS);
  return {
    name: 'node-routes',
    concurrency: 1,
    sources: [
      source(NODES, (change) => (concernsRoutes(change) ? [ALL] : [])),
      source(CONFIG_MAPS, ({ object }) => (object.metadata?.namespace === NODE_ROUTES.namespace ? [ALL] : []), OURS),
    ],
    reconcile: (_key, context) =>
      context.perform(planNodeRoutes(nodes.list(), configMaps.get(NODE_ROUTES.namespace, NODE_ROUTES.name))),
  };
}

/** A heartbeat changes nothing here. */
function concernsRoutes(change: Change<Node>): boolean {
  if (change.type === 'delete' || change.previous === undefined) return true;
  return JSON.stringify(routeOf(change.object)) !== JSON.stringify(routeOf(change.previous));
}
