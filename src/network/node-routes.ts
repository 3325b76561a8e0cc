/** The ConfigMap that tells all nodes where the pods of each node are. Pure. */
import type { ConfigMap, Node } from '../api/index.ts';

export const NODE_ROUTES = { namespace: 'kube-system', name: 'mendlet-node-routes' } as const;

/** A node as others see it. */
export interface NodeRoute {
  readonly node: string;
  readonly podCIDRs: readonly string[];
  /** Its InternalIPs. */
  readonly addresses: readonly string[];
}

/** The content of the ConfigMap; unreadable entries are left out. */
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
