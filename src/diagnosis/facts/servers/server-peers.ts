/** Finds the service of which pods are ready, and that a container's last words are about. Pure. */
import { losesLink, peerIn } from '../../../log-analysis/index.ts';
import type { PodEvidence, ServiceEvidence } from '../../evidence/pod-evidence.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { allPeers, isItself, namedPeers, onlyPeer, serviceBehind } from '../peers/dependencies.ts';
import { hasWord } from '../words/text.ts';

/** What a client says before it says that it has lost the connection. */
const CONNECTED = /\bconnected to \S/i;

/** The lines that may say what a server told the container. */
export function wordsOfPeer({ reading, failing, lines: log }: ContainerFacts): readonly string[] {
  const { decisive, lastLine } = reading;
  const connected = losesLink(decisive?.line ?? '') ? log.findLast((line) => CONNECTED.test(line)) : undefined;
  const lines = [
    decisive?.line,
    ...(decisive?.related ?? []),
    failing?.line,
    decisive === undefined ? lastLine : '',
    connected,
  ];
  return lines.filter((line): line is string => line !== undefined && line !== '');
}

/** That of the peer which the words name, else of the only one that its specification names, else of the only one that its code quotes. */
export function serverOf(
  { services, pod }: Pick<PodEvidence, 'services' | 'pod'>,
  container: ContainerFacts,
): ServiceEvidence | undefined {
  const namespace = pod.metadata?.namespace ?? 'default';
  const words = wordsOfPeer(container);
  const named = words.flatMap((line) => peerIn(line).host ?? []);
  const peers = namedPeers(container);
  const [awaited, ...more] = new Set(peers.map(({ host }) => host));
  const only = onlyPeer(container)?.host ?? (more.length === 0 ? awaited : undefined);
  const spoken = spokenOf(container, words);
  for (const host of [...named, ...[spoken ?? []].flat(), ...(only === undefined ? [] : [only])]) {
    const service = serviceBehind(services, host, namespace);
    if (service !== undefined) return serves(service) ? service : undefined;
  }
  // Where nothing names a peer, these are those that its code quotes.
  const [quoted, ...others] = named.length > 0 || allPeers(container).some((peer) => !isItself(peer)) ? [] : services;
  return quoted !== undefined && others.length === 0 && serves(quoted) ? quoted : undefined;
}

/** The only peer whose name is a word of the lines: "payments answered 400 in 43 ms". */
function spokenOf(container: ContainerFacts, words: readonly string[]): string | undefined {
  const hosts = new Set(
    allPeers(container)
      .filter((peer) => !isItself(peer))
      .map(({ host }) => host)
      .filter((host) => words.some((line) => hasWord(line, host.split('.')[0] ?? host))),
  );
  const [only, ...more] = hosts;
  return more.length > 0 ? undefined : only;
}

/** Whether pods of it are ready. */
export function serves({ missing, ready, selector, externalName }: ServiceEvidence): boolean {
  return !missing && ready > 0 && selector !== undefined && externalName === undefined;
}
