/** The strips of nodes with what the page adds to them: how full the disk is, and on which of them the API server runs. Pure. */
import type { EndpointSlice, Node } from '../../api/index.ts';
import type { NodeRow } from '../../overview/index.ts';
import type { PageNode } from '../../page/index.ts';

export interface NodeFacts {
  readonly nodes: readonly Node[];
  readonly slices: readonly EndpointSlice[];
  readonly diskUsedPercent: (node: string) => number | undefined;
  /** "v1.36.2"; undefined: the server did not say. */
  readonly serverVersion: string | undefined;
}

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

/** Nodes that have an address of the Service `kubernetes`: an API server of this cluster answers there. */
function serverNodes({ nodes, slices }: NodeFacts): ReadonlySet<string> {
  const addresses = new Set(
    slices
      .filter(({ metadata }) => metadata?.namespace === 'default' && isOfServer(metadata.labels))
      .flatMap(({ endpoints }) => (endpoints ?? []).flatMap((endpoint) => endpoint.addresses)),
  );
  const found = nodes.filter(({ status }) => (status?.addresses ?? []).some(({ address }) => addresses.has(address)));
  return new Set(found.map(({ metadata }) => metadata?.name ?? ''));
}

function isOfServer(labels: Readonly<Record<string, string>> | undefined): boolean {
  return labels?.['kubernetes.io/service-name'] === 'kubernetes';
}
