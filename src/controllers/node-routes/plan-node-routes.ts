/**
 * Plans the ConfigMap from which nodes learn how to reach each other's pods. A node may read it, and so needs no right to
 * look at other Node objects. Pure.
 */
import { CONFIG_MAPS, type ConfigMap, type Node } from '../../api/index.ts';
import { NODE_ROUTES, routeOf } from '../../network/index.ts';
import type { Operation } from '../operation.ts';

/** A machine alone needs none; once there are some, they are kept right. */
export function planNodeRoutes(nodes: readonly Node[], existing: ConfigMap | undefined): readonly Operation[] {
  const routes = nodes.map(routeOf).filter(({ podCIDRs, addresses }) => podCIDRs.length > 0 && addresses.length > 0);
  const data = Object.fromEntries(
    routes
      .toSorted((a, b) => (a.node < b.node ? -1 : 1))
      .map(({ node, ...rest }) => [node, JSON.stringify(rest)] as const),
  );
  if (existing === undefined) {
    if (routes.length < 2) return [];
    const annotations = {
      'kubernetes.io/description': 'Where the pods of each node are, for the other nodes to find them.',
    };
    const metadata = { ...NODE_ROUTES, annotations };
    const object: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
    return [{ verb: 'create', resource: CONFIG_MAPS, object }];
  }
  if (sameData(existing.data ?? {}, data)) return [];
  return [{ verb: 'update', resource: CONFIG_MAPS, object: { ...existing, data } as ConfigMap }];
}

function sameData(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(other);
  return Object.keys(one).length === names.length && names.every((name) => one[name] === other[name]);
}
