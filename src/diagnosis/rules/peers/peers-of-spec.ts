/** Tells with a finding that names no cause what is wrong with the peers that the container's specification names. Not a rule by itself. */
import { answeringPeer } from '../../facts/peers/answering-peer.ts';
import { configTexts } from '../../facts/configs/config-texts.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { plainUrlText } from '../../facts/peers/plain-urls.ts';
import { roleSetting, tlsOffSetting, tlsSetting, userSetting } from '../../facts/servers/peer-settings.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { saidLast } from '../../facts/words/said-last.ts';
import { signalOf } from '../../facts/pod/signals.ts';
import { hasWord } from '../../facts/words/text.ts';
import { linePeers, type WrongPeer, wrongPeer } from '../../facts/peers/wrong-peers.ts';
import type { RankedFinding } from '../../finding.ts';
import { blameOf, serviceCommands, serviceQuote } from './dependencies.ts';
import { because } from './peer-words.ts';

/** Findings about a peer that does not answer, of which more may be known. */
const OF_A_PEER = ['dependency-times-out', 'dependency-closes', 'dependency-fails', 'connections-exhausted'];

/** Findings that say what happened, and of which a peer may be the cause. */
const OPEN: ReadonlySet<string> = new Set([
  'exit-code',
  'readiness-failing',
  'liveness-failing',
  'startup-failing',
  'probe-timeout',
  'probe-too-early',
  'not-ready',
  'init-running',
  'fails-again',
  ...OF_A_PEER,
]);

/**
 * The findings, of which the first of each container tells it. What another rule says of the same service is left out then.
 *
 * @param found the most significant first
 */
export function withPeers(facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  const done = new Set<string>();
  const joined = new Set<string>();
  const told = found.map((finding) => {
    const container = facts.containers.find(({ name }) => name === finding.container);
    if (container === undefined || done.has(container.name)) return finding;
    done.add(container.name);
    const wrong = mayHavePeer(container, finding) ? wrongPeer(facts, container, saidLast(container)) : undefined;
    if (wrong === undefined || isTold(finding, wrong))
      return withSettings(facts, container, withAnswering(facts, container, finding));
    joined.add(container.name);
    return withPeer(facts, finding, wrong);
  });
  return told.filter(({ id, container = '' }) => id !== 'dependency-not-ready' || !joined.has(container));
}

/** Findings about a peer that is there, whatever the line says. */
const OF_ANY_PEER: ReadonlySet<string> = new Set(['missing-data', 'tls-mismatch', ...OF_A_PEER]);

/** The finding, with the peer that has answered what the container quotes, where the headline names none. */
function withAnswering(facts: PodFacts, container: ContainerFacts, finding: RankedFinding): RankedFinding {
  const isOfAny = OF_ANY_PEER.has(finding.id);
  if (!isOfAny && !mayHavePeer(container, finding)) return finding;
  const line = saidLast(container);
  const found = linePeers(line).length > 0 ? undefined : answeringPeer(facts, container, line, isOfAny);
  if (found === undefined || (found.peer !== undefined && hasWord(finding.says, found.peer.host))) return finding;
  return joinedWith(finding, found);
}

const MAY_WANT_TLS = /^(?:authentication-refused|not-allowed|tls-mismatch|exit-code|.*-failing)$/;

/** The finding, with the variable that holds the user whom its peer refuses, or that decides on TLS. */
function withSettings(facts: PodFacts, container: ContainerFacts, finding: RankedFinding): RankedFinding {
  const plainly =
    MAY_WANT_TLS.test(finding.id) && !hasPlainRules(facts, finding.says)
      ? tlsOffSetting(container, finding.says, configTexts(facts, container))
      : undefined;
  if (plainly !== undefined) return joinedWith(finding, plainly);
  if (finding.id === 'authentication-refused' || finding.id === 'not-allowed') {
    const user =
      userSetting(container, finding.says) ?? roleSetting(container, finding.says, configTexts(facts, container));
    return user === undefined ? finding : joinedWith(finding, user);
  }
  const plain = finding.id === 'dependency-closes' ? plainUrlText(container) : undefined;
  if (plain !== undefined) return joinedWith(finding, { says: plain, quotes: [] });
  const tls = finding.id === 'tls-mismatch' ? tlsSetting(container, finding.says) : undefined;
  return tls === undefined ? finding : joinedWith(finding, tls);
}

/** A server says "no encryption" of each connection without TLS that no rule of its fits; it wants TLS only where a rule says so. */
function hasPlainRules({ evidence }: PodFacts, says: string): boolean {
  if (!/pg_hba\.conf/.test(says)) return false;
  const rules = evidence.services
    .flatMap(({ server }) => server?.configs ?? [])
    .flatMap(({ texts = {} }) => Object.entries(texts).flatMap(([key, text]) => (/pg_hba/.test(key) ? [text] : [])));
  return rules.length > 0 && rules.every((text) => !/^\s*hostssl\b/m.test(text));
}

function joinedWith(finding: RankedFinding, more: Pick<WrongPeer, 'says' | 'quotes'>): RankedFinding {
  if (finding.says.includes(more.says)) return finding;
  return {
    ...finding,
    says: `${finding.says}; ${more.says}`,
    evidence: [...finding.evidence.slice(0, MAX_OWN), ...more.quotes, ...finding.evidence.slice(MAX_OWN)],
  };
}

/** A program that a signal ended, or that was never found, had no trouble with a peer. */
function mayHavePeer({ death }: ContainerFacts, { id, severity, blames }: RankedFinding): boolean {
  if (!OPEN.has(id) || (severity === 'info' && id !== 'fails-again')) return false;
  if (blames !== undefined && !OF_A_PEER.includes(id)) return false;
  const code = death?.exitCode;
  if (id !== 'exit-code' || code === undefined) return true;
  return code !== 0 && ![126, 127, 128].includes(code) && signalOf(code) === undefined;
}

/** Whether the headline says of its service, or of its address, what is known of it. */
function isTold({ says }: RankedFinding, { service, host }: WrongPeer): boolean {
  return service === undefined ? says.includes(`address ${host}`) : says.includes(`service ${service.name} `);
}

function withPeer(facts: PodFacts, finding: RankedFinding, wrong: WrongPeer): RankedFinding {
  const { service, says, quotes } = wrong;
  const behind = service === undefined ? [] : [service];
  return {
    ...finding,
    says: `${finding.says}; ${says}`,
    fallback: false,
    ...blameOf(because('refused', behind), behind),
    evidence: [
      ...finding.evidence.slice(0, MAX_OWN),
      ...quotes,
      ...behind.map(serviceQuote),
      ...finding.evidence.slice(MAX_OWN),
    ],
    try: [...behind.flatMap((each) => serviceCommands(facts, each)), ...finding.try],
  };
}

/** Pieces of evidence before those of the peer, which must not be left out. */
const MAX_OWN = 3;
