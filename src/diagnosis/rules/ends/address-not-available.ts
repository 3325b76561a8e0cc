/** Rule: a program cannot listen at an address that its pod does not have, or has none from which to connect. */
import { anyOf, formatHost, peerIn } from '../../../log-analysis/index.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { endedByItself, type LastWord, lastWord, linesAround, rankOfWord } from '../../facts/words/last-words.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { listed, quotable } from '../../facts/words/text.ts';
import type { RankedFinding } from '../../finding.ts';
import { eachContainer, type PodRule } from '../../rule.ts';
import { commandForLog, explainedEnd, saidBy, title } from './exit-code.ts';

/** A port that a server does not get, without a reason; one below 1024 may be forbidden. */
export const NOT_GIVEN =
  /\b(?:can't|cannot|could not|unable to|failed to) (?:bind|listen)\b(?: (?:to|on))?(?: (?:port|address|socket|endpoint))?.{0,60}[:@ ](?:1(?:02[4-9]|0[3-9]\d|[1-9]\d\d)|[2-9]\d{3}|[1-6]\d{4})\b|\bnot listening on \S{1,60} port \d{4,5}\b/i;
/** The words of the system. */
const NOT_AVAILABLE = anyOf(
  /cannot assign requested address/i,
  /EADDRNOTAVAIL/i,
  /address not available/i,
  /\berrno[=: ]{1,2}99\b/i,
);
const LISTENS = /\b(?:bind|binding|listen|listener|listening|bound)\b/i;
const CONNECTS = /\b(?:connect|connecting|dial)\b/i;
/** Lines at the end of a log in which the system's words stand. */
const LAST_LINES = 40;

export const addressNotAvailable: PodRule = eachContainer(ofContainer);

/** Whether it cannot listen because of an address, so that nobody else has its port. */
export function lacksAddress(facts: PodFacts, { lines }: ContainerFacts, word: LastWord): boolean {
  return (
    foreignPeer(facts, word.line) !== undefined || lines.slice(-LAST_LINES).some((line) => NOT_AVAILABLE.test(line))
  );
}

function ofContainer(facts: PodFacts, container: ContainerFacts): readonly RankedFinding[] {
  const word = endedByItself(container) ? wordOf(facts, container) : undefined;
  if (word === undefined) return [];
  const { decisive } = container.reading;
  const line = (decisive?.line === word.line ? saidBy(decisive) : quotable(word.line)).replace(/\.+$/, '');
  const isConnection = CONNECTS.test(word.line) && !LISTENS.test(word.line);
  return [
    explainedEnd(facts, container, {
      id: 'address-not-available',
      rank: rankOfWord(86, word),
      says: `${title(container)} ${isConnection ? connects(word.line) : listens(facts, container, word)}: ${line}`,
      line: word.line,
      try: [commandForLog(facts, container), ...facts.commands.edit],
    }),
  ];
}

function wordOf(facts: PodFacts, container: ContainerFacts): LastWord | undefined {
  const told = lastWord(container, NOT_GIVEN);
  return told !== undefined && lacksAddress(facts, container, told) ? told : lastWord(container, NOT_AVAILABLE);
}

function connects(line: string): string {
  const { host, port } = peerIn(line);
  const peer = host === undefined ? 'its peer' : formatHost(host, port);
  return `cannot connect to ${peer}, as its pod has no address or no port left for that`;
}

function listens(facts: PodFacts, container: ContainerFacts, word: LastWord): string {
  const { hostNetwork } = facts.pod.spec ?? {};
  const whose = `${hostNetwork === true ? 'its node' : 'its pod'} does not have`;
  const peer = linesAround(container, word).flatMap((line, place) =>
    place === 0 || LISTENS.test(line) ? (foreignPeer(facts, line) ?? []) : [],
  )[0];
  if (peer === undefined) return `cannot listen on an address that ${whose}`;
  const own = hostNetwork === true ? [] : addressesOf(facts);
  const has = own.length === 0 ? '' : ` (it has ${listed(own)})`;
  return `cannot listen on ${peer}, an address that ${whose}${has}`;
}

function addressesOf({ pod }: PodFacts): readonly string[] {
  const { podIP, podIPs = [] } = pod.status ?? {};
  const all = [podIP, ...podIPs.map(({ ip }) => ip)].flatMap((ip) => ip ?? []);
  return [...new Set(all)].filter((ip) => ip !== '');
}

/** "10.2.0.9:53", "10.2.0.9@53", "10.2.0.9" */
function boundIn(line: string): { readonly host?: string; readonly port?: number } {
  const peer = peerIn(line);
  if (peer.host !== undefined) return peer;
  const [, host, port] = /(?<![\w.])((?:\d{1,3}\.){3}\d{1,3})(?:[@#](\d{2,5}))?(?![\w.])/.exec(line) ?? [];
  return host === undefined ? {} : { host, ...(port !== undefined && { port: Number(port) }) };
}

/** "10.20.30.40:3478": an address with a port that is not its pod's; undefined: the line has none, or the pod's are not known. */
function foreignPeer(facts: PodFacts, line: string): string | undefined {
  const { host, port } = boundIn(line);
  if (host === undefined || !/^(?:\d{1,3}\.){3}\d{1,3}$/.test(host) || /^(?:127\.|0\.0\.0\.0$)/.test(host))
    return undefined;
  const isOnNode = facts.pod.spec?.hostNetwork === true;
  const own = addressesOf(facts);
  if (!isOnNode && (own.length === 0 || own.includes(host))) return undefined;
  return isOnNode && !NOT_AVAILABLE.test(line) ? undefined : formatHost(host, port);
}
