/** The strips of nodes with what the page adds to them: how full the disk is, and on which of them the API server runs. Pure. */
import { type EndpointSlice, isInRange, type Node, parseIpv4Range } from '../../api/index.ts';
import type { NodeRow } from '../../overview/index.ts';
import type { PageNode } from '../../page/index.ts';

export interface NodeFacts {
  readonly nodes: readonly Node[];
  readonly slices: readonly EndpointSlice[];
  readonly diskUsedPercent: (node: string) => number | undefined;
  /** "v1.36.2"; undefined: the server did not say. */
  readonly serverVersion: string | undefined;
}

/** API servers that are looked for. */
const MAX_SERVERS = 16;

export function pageNodes(rows: readonly NodeRow[], facts: NodeFacts): readonly PageNode[] {
  const servers = serverNodes(facts);
  return rows.map((row) => {
    const diskUsedPercent = facts.diskUsedPercent(row.name);
    return {
      ...row,
      ...(diskUsedPercent === undefined ? {} : { diskUsedPercent }),
      ...(servers.has(row.name) ? { server: facts.serverVersion ?? '' } : {}),
    };
  });
}

/**
 * Nodes that have an address of the Service `kubernetes`, or whose pods' range has it (the address of their bridge): an API server of
 * this cluster answers there.
 */
function serverNodes({ nodes, slices }: NodeFacts): ReadonlySet<string> {
  const addresses = slices
    .filter(({ metadata }) => metadata?.namespace === 'default' && isOfServer(metadata.labels))
    .flatMap(({ endpoints }) => (endpoints ?? []).flatMap((endpoint) => endpoint.addresses))
    .slice(0, MAX_SERVERS);
  const found = nodes.filter((node) => addresses.some((address) => isAt(node, address)));
  return new Set(found.map(({ metadata }) => metadata?.name ?? ''));
}

function isAt({ status, spec }: Node, wanted: string): boolean {
  if ((status?.addresses ?? []).some(({ address }) => address === wanted)) return true;
  const range = parseIpv4Range(spec?.podCIDR ?? '');
  return range !== undefined && isInRange(range, wanted);
}

function isOfServer(labels: Readonly<Record<string, string>> | undefined): boolean {
  return labels?.['kubernetes.io/service-name'] === 'kubernetes';
}
