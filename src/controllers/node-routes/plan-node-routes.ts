/**
 * What a node must know of the others to reach their pods, in one ConfigMap that it may read: so it needs no right to look at
 * their Node objects. Pure.
 */
import { CONFIG_MAPS, type ConfigMap, type Node } from '../../api/index.ts';
import type { Operation } from '../operation.ts';

export const NODE_ROUTES = { namespace: 'kube-system', name: 'mendlet-node-routes' } as const;

/** A node as others see it. */
export interface NodeRoute {
  readonly node: string;
  readonly podCIDRs: readonly string[];
  /** Its InternalIPs. */
  readonly addresses: readonly string[];
}

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

/** What the ConfigMap says; an entry that says nothing we understand is left out. */
export function readNodeRoutes(configMap: ConfigMap | undefined): readonly NodeRoute[] {
  return Object.entries(configMap?.data ?? {}).flatMap(([node, text]) => {
    const { podCIDRs, addresses } = parsed(text);
    return isTexts(podCIDRs) && isTexts(addresses) ? [{ node, podCIDRs, addresses }] : [];
  });
}

function parsed(text: string): { readonly podCIDRs?: unknown; readonly addresses?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

export function routeOf({ metadata, spec, status }: Node): NodeRoute {
  const podCIDRs = [...new Set([spec?.podCIDR ?? '', ...(spec?.podCIDRs ?? [])])].filter((cidr) => cidr !== '');
  const internal = (status?.addresses ?? []).filter(({ type }) => type === 'InternalIP');
  return { node: metadata?.name ?? '', podCIDRs, addresses: internal.map(({ address }) => address) };
}

function sameData(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(other);
  return Object.keys(one).length === names.length && names.every((name) => one[name] === other[name]);
}
