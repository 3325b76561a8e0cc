/** Which endpoints of a service get traffic from a node. Pure. Upstream: pkg/proxy/topology.go, CategorizeEndpoints. */
import type { Service } from '../../api/index.ts';
import type { Verdict, Verdicts } from './local-verdicts.ts';
import type { ServiceEndpoint } from './service-endpoint.ts';

/** The node that traffic comes from. */
export interface TrafficSource {
  readonly nodeName: string;
  readonly zone: string | undefined;
  /** What this node knows of its own pods (`Verdicts.of`). */
  readonly verdictOf: (podUid: string, address?: string) => Verdict | undefined;
}

/** The verdicts that count for a service. One that publishes unready addresses sends traffic to unready pods, too. */
export function verdictsFor(service: Service, verdicts: Pick<Verdicts, 'of'>): TrafficSource['verdictOf'] {
  if (service.spec?.publishNotReadyAddresses !== true) return (podUid, address) => verdicts.of(podUid, address);
  return (podUid, address) => {
    const verdict = verdicts.of(podUid, address);
    return verdict === 'unready' ? undefined : verdict;
  };
}

/**
 * The endpoints that get traffic under the policy Cluster: the ready ones, else those that still serve while they end, else
 * those that the slices call ready though this node knows that they died or are not ready: the last one serves on, because
 * other containers of its pod may. Nobody goes to a pod whose network is gone.
 */
export function usableEndpoints(
  endpoints: readonly ServiceEndpoint[],
  { verdictOf }: Pick<TrafficSource, 'verdictOf'>,
): readonly ServiceEndpoint[] {
  const judged = endpoints.map((endpoint) => ({
    endpoint,
    verdict: endpoint.podUid === undefined ? undefined : verdictOf(endpoint.podUid, endpoint.ip),
  }));
  const choices: readonly ((each: (typeof judged)[number]) => boolean)[] = [
    ({ endpoint, verdict }) => endpoint.ready && verdict === undefined,
    ({ endpoint, verdict }) =>
      endpoint.serving && ((endpoint.terminating && verdict === undefined) || verdict === 'leaving'),
    ({ endpoint, verdict }) => endpoint.ready && (verdict === 'dead' || verdict === 'unready'),
  ];
  for (const isChosen of choices) {
    const chosen = judged.filter(isChosen);
    if (chosen.length > 0) return chosen.map(({ endpoint }) => endpoint);
  }
  return [];
}

/** Whether one of them needs no last resort: it is ready, or serves while it ends, and this node knows nothing against it. */
export function hasGoodEndpoint(
  endpoints: readonly ServiceEndpoint[],
  { verdictOf }: Pick<TrafficSource, 'verdictOf'>,
): boolean {
  return endpoints.some(({ podUid, ready, serving, terminating }) => {
    const verdict = podUid === undefined ? undefined : verdictOf(podUid);
    if (verdict === 'leaving') return serving;
    return verdict === undefined && (ready || (serving && terminating));
  });
}

/** Under the policy Local: the same choice among those of this node alone. */
export function localEndpoints(
  endpoints: readonly ServiceEndpoint[],
  source: Pick<TrafficSource, 'nodeName' | 'verdictOf'>,
): readonly ServiceEndpoint[] {
  return usableEndpoints(
    endpoints.filter(({ nodeName }) => nodeName === source.nodeName),
    source,
  );
}

/**
 * Those of `usable` that the hints of traffic distribution name for this node: by node if every ready one has such a hint and one
 * names this node, else by zone likewise, else all (KEP-4444, KEP-3015).
 */
export function preferredEndpoints(
  usable: readonly ServiceEndpoint[],
  { nodeName, zone }: Pick<TrafficSource, 'nodeName' | 'zone'>,
): readonly ServiceEndpoint[] {
  if (usable.some(({ ready }) => !ready)) return usable;
  const byNode = hinted(usable, ({ forNodes }) => forNodes, nodeName);
  return byNode ?? (zone === undefined ? undefined : hinted(usable, ({ forZones }) => forZones, zone)) ?? usable;
}

/** Undefined: a hint is missing, or none names this place. */
function hinted(
  endpoints: readonly ServiceEndpoint[],
  hintsOf: (endpoint: ServiceEndpoint) => readonly string[] | undefined,
  place: string,
): readonly ServiceEndpoint[] | undefined {
  if (endpoints.some((endpoint) => (hintsOf(endpoint) ?? []).length === 0)) return undefined;
  const named = endpoints.filter((endpoint) => hintsOf(endpoint)?.includes(place));
  return named.length === 0 ? undefined : named;
}
