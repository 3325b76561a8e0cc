/** Tells of an address in a sentence that no pod has it now, and which name of a peer the program may have asked for only once. Pure. */
import type { RankedFinding } from '../../finding.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { hasAddress } from '../words/text.ts';
import { allPeers, serviceOfHost } from './dependencies.ts';
import { peerText, placeText, type SpecPeer } from './spec-peers.ts';

/** "an address that no pod has now; …": undefined: somebody has it, or nobody knows. */
export function goneText(
  facts: PodFacts,
  container: ContainerFacts,
  address: string,
  port: number | undefined,
): string | undefined {
  const found = facts.evidence.addresses?.find((each) => each.address === address);
  if (found === undefined || found.pod !== undefined) return undefined;
  const named = peerAsked(facts, container, port);
  const by = named === undefined ? 'a program that asks for a name' : `${named}, and a program that asks for that`;
  return `an address that no pod has now; ${by} only once keeps that of a pod that is gone`;
}

/** The findings, each of a container that fails at such an address with that, and with the restart that lets it ask again. */
export function withGoneAddresses(facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  const gone = (facts.evidence.addresses ?? []).filter(({ pod }) => pod === undefined).map(({ address }) => address);
  if (gone.length === 0) return found;
  return found.map((finding) => {
    const container = facts.containers.find(({ name }) => name === finding.container);
    const address = gone.find((each) => hasAddress(finding.says, each));
    if (container === undefined || address === undefined) return finding;
    const port = portBehind(finding.says, address);
    const text = IS_TOLD.test(finding.says) ? undefined : goneText(facts, container, address, port);
    return {
      ...finding,
      says: text === undefined ? finding.says : `${finding.says}; ${address} is ${text}`,
      // What starts again by itself asks again.
      try: container.death === undefined ? [facts.commands.restart, ...finding.try] : finding.try,
    };
  });
}

const IS_TOLD = /\ban address that no pod has now; /;

function portBehind(text: string, address: string): number | undefined {
  const found = /^:(\d{2,5})\b/.exec(text.slice(text.indexOf(address) + address.length));
  return found === null ? undefined : Number(found[1]);
}

/** "its ConfigMap front, key nginx.conf, names api:8080": the only peer of that port; pods' addresses have the port that was asked for. */
function peerAsked({ pod }: PodFacts, container: ContainerFacts, port: number | undefined): string | undefined {
  const namespace = pod.metadata?.namespace ?? 'default';
  const isMeant = (peer: SpecPeer): boolean =>
    port !== undefined && (peer.port ?? peer.defaultPort) === port && serviceOfHost(peer.host, namespace) !== undefined;
  const peers = allPeers(container).filter(isMeant);
  const [first] = peers;
  if (first === undefined || new Set(peers.map(({ host }) => host)).size > 1) return undefined;
  return `its ${placeText(first)} names ${peerText(first)}`;
}
