/** Rule: an init container, or a sidecar that has not started, waits: for what, since when, and whether that waits for it in turn. */
import { parseTime } from '../../../lib/index.ts';
import { besideWaiting, type DecisiveLine, failsAgain } from '../../../log-analysis/index.ts';
import type { ServiceEvidence } from '../../evidence/pod-evidence.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import {
  dependencyTrouble,
  isOfPod,
  missingText,
  namedPeers,
  serviceBehind,
  variablePeers,
  waitingInits,
} from '../../facts/peers/dependencies.ts';
import { quoteLine } from '../../facts/words/last-words.ts';
import { podNameTrouble } from '../../facts/peers/pod-names.ts';
import { awaitedThing, peerText, placeText } from '../../facts/peers/spec-peers.ts';
import { formatAge, listed, quotable } from '../../facts/words/text.ts';
import { type WrongPeer, wrongPeer, wrongPeers } from '../../facts/peers/wrong-peers.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import type { Quote, RankedFinding } from '../../finding.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { blameOf, serviceCommands, serviceQuote } from '../peers/dependencies.ts';
import { because } from '../peers/peer-words.ts';
import { argumentsOf, title } from '../ends/exit-code.ts';
import { heldUpBy } from '../probes/held-up.ts';
import { isSlowInit, waitingWord } from '../probes/readiness.ts';

/** Words after which an init container does not wait any more, whatever its command is. */
const GOES_ON = /\b(?:connected|is up|available|ready|done|succeeded|reached|found|resolved|accepting)\b/i;
const NOT_YET = /\b(?:not|no|n't|waiting|until|refused|failed|timed out)\b|n't\b/i;

const ofContainer: ContainerRule = (facts, container) => {
  if (!isSlowInit(facts, container)) return NOTHING;
  const deadlock = deadlockOf(facts, container);
  if (deadlock !== undefined) return [deadlock];
  const word = waitingWord(container);
  const awaited = awaitedBy(facts, container, word?.line);
  const again = container.kind === 'init' ? failsAgain(container.lines) : undefined;
  if (word === undefined && awaited === undefined && again === undefined) return NOTHING;
  // The rule about dependencies tells of a peer that refuses.
  if ((word === undefined || again !== undefined) && dependencyTrouble(container) !== undefined) return NOTHING;
  if (word === undefined && hasGoneOn(container)) return NOTHING;
  if (again !== undefined) return [failingInit(facts, container, again.said)];
  const beside = word === undefined ? undefined : besideWaiting(container.lines, word.line);
  if (beside !== undefined && isToldOfPeer(container, beside)) return NOTHING;
  const behind = awaited?.behind ?? '';
  const forWhat = awaited === undefined || word?.line.includes(awaited.text) === true ? '' : ` for ${awaited.text}`;
  return [
    {
      ...base(container),
      // What nobody has made does not come by waiting.
      ...(awaited?.service?.missing === true && { severity: 'critical' as const }),
      id: 'init-waits',
      rank: 45,
      says: `${title(container)} has waited${forWhat} for ${waited(facts, container)}, and the containers after it wait for its end${behind}${word === undefined ? '' : `: ${beside === undefined ? '' : `${beside}; `}${quotable(word.line)}`}`,
      ...(awaited?.service === undefined ? {} : blameOf(behind, [awaited.service])),
      evidence: [
        startQuote(container),
        ...(beside === undefined ? [] : [quoteLine(container, beside)]),
        ...(word === undefined ? [] : [quoteLine(container, word.line)]),
        ...(awaited === undefined ? [] : argumentsOf(container)),
        ...(awaited?.service === undefined ? [] : [serviceQuote(awaited.service)]),
      ],
      try: [
        facts.commands.kubectl('logs', facts.name, '-c', container.name),
        ...(awaited?.service === undefined ? [] : serviceCommands(facts, awaited.service)),
      ],
    },
  ];
};

/** Whether the rule about dependencies tells of the same line. */
function isToldOfPeer(container: ContainerFacts, line: string): boolean {
  const trouble = dependencyTrouble(container);
  return trouble !== undefined && trouble.word.fromEnd < 3 && trouble.word.line.includes(line);
}

/** It fails at the same with each try: of a known kind of cause the finding is about that. */
function failingInit(facts: PodFacts, container: ContainerFacts, said: DecisiveLine): RankedFinding {
  const { reading } = container;
  const decisive = { ...said, firmness: 'firm' as const };
  const found = heldUpBy(facts, { ...container, reading: { ...reading, decisive, others: [] } });
  // A file that it waits for is none that somebody forgot.
  const known = found?.id === 'missing-setting' ? undefined : found;
  const since = `has waited for ${waited(facts, container)}`;
  const others = 'the containers after it wait for its end';
  return {
    ...base(container),
    id: known?.id ?? 'init-waits',
    rank: known === undefined ? 45 : 80,
    says:
      known === undefined
        ? `${title(container)} ${since}, and ${others}; it fails with each try: ${quotable(said.line).replace(/\.+$/, '')}`
        : `${known.says}; it ${since}, and ${others}`,
    evidence: [startQuote(container), ...(known?.evidence ?? [quoteLine(container, said.line)])],
    try: known?.try ?? [facts.commands.kubectl('logs', facts.name, '-c', container.name)],
    ...(known?.blames && { blames: known.blames }),
  };
}

export const waitingInit: PodRule = eachContainer(ofContainer);

interface Awaited {
  readonly text: string;
  readonly host?: string;
  readonly service?: ServiceEvidence;
  /** ": service db has no endpoint that is ready" */
  readonly behind?: string;
}

/**
 * What its command waits for: peers, a file, or an object.
 *
 * @param says that it waits, in its own words; absent: it does not say so
 */
function awaitedBy(facts: PodFacts, container: ContainerFacts, says: string | undefined): Awaited | undefined {
  const { evidence, pod } = facts;
  const peers = container.kind === 'init' ? namedPeers(container) : [];
  const namespace = pod.metadata?.namespace ?? 'default';
  if (peers.length > 0) {
    const wrong = wrongPeers(facts, container, '').filter(({ host }) => peers.some((peer) => peer.host === host));
    const [first] = wrong;
    if (first !== undefined) return awaitedOf(facts, container, wrong);
    const host = peers[0]?.host ?? '';
    const service = serviceBehind(evidence.services, host, namespace);
    const below = service && podNameTrouble(facts, host, [service])?.says;
    return {
      text: peersText(peers),
      ...(service !== undefined && !service.missing && { service, behind: below ?? because('refused', [service]) }),
    };
  }
  const thing = awaitedThing(container.spec);
  if (thing !== undefined) return { text: thing };
  // Where the loop is one of its image, its specification may still name the only peer that is not there.
  const hidden = container.kind === 'init' && says !== undefined ? wrongPeer(facts, container, says) : undefined;
  return hidden === undefined ? undefined : awaitedOf(facts, container, [hidden]);
}

function peersText(peers: readonly Pick<WrongPeer, 'host' | 'port'>[]): string {
  return listed([...new Set(peers.map((peer) => peerText(peer)))]);
}

/** What is wrong with the first of the peers for which it waits. */
function awaitedOf(facts: PodFacts, container: ContainerFacts, wrong: readonly WrongPeer[]): Awaited | undefined {
  const [first] = wrong;
  if (first === undefined) return undefined;
  const { service, says, fault, port, host } = first;
  const text = peersText(wrong);
  if (service === undefined) return { text, behind: `: ${says.replace(/, which its .*$/, '')}` };
  const at = fault === 'missing' ? variablePlace(container, host) : undefined;
  const behind =
    podNameTrouble(facts, host, [service])?.says ??
    (at === undefined
      ? because('refused', [service], fault === 'not-ready' ? undefined : port)
      : `: ${missingText(service, at)}`);
  return { text, behind: behind || `: ${says}`, service };
}

/** "variable DB_HOST", where a variable has the host that its command or script asks for. */
function variablePlace(container: ContainerFacts, host: string): string | undefined {
  const found = variablePeers(container).find((peer) => peer.host === host);
  return found && placeText(found);
}

function hasGoneOn({ lines }: ContainerFacts): boolean {
  return lines.slice(-5).some((line) => GOES_ON.test(line) && !NOT_YET.test(line));
}

/** Init containers that wait for each other's services: none of them ever ends. */
function deadlockOf(facts: PodFacts, container: ContainerFacts): RankedFinding | undefined {
  const { pod, evidence } = facts;
  const own = waitingInits(pod).find((each) => each.container === container.name);
  if (own === undefined) return undefined;
  for (const { namespace, name } of own.services) {
    const chain = chainBack(facts, evidence.services, `${namespace}/${name}`, []);
    if (chain === undefined) continue;
    const others = chain.slice(0, -1);
    const steps = others.map(
      ({ service, by }) =>
        `service ${service.name}, whose pod ${by?.pod} waits in its init container ${by?.container} for`,
    );
    const last = chain.at(-1)?.service;
    const says =
      others.length === 0
        ? `${title(container)} waits for service ${last?.name}, which is of its own pod ${facts.name}: no pod gets ready before its init containers end`
        : `${title(container)} of pod ${facts.name} waits for ${steps.join(' ')} service ${last?.name}, which is of pod ${facts.name}: they wait for each other, and none ever starts`;
    return {
      ...base(container),
      id: 'init-deadlock',
      severity: 'critical',
      rank: 91,
      says,
      evidence: [
        startQuote(container),
        ...argumentsOf(container),
        ...chain.map(({ service }) => serviceQuote(service)),
      ],
      try: facts.commands.edit,
    };
  }
  return undefined;
}

interface Step {
  readonly service: ServiceEvidence;
  /** The init container behind the service that waits for the next step. */
  readonly by?: NonNullable<ServiceEvidence['waiting']>[number];
}

/** The way from a service over what its pods wait for back to the pod in question. */
function chainBack(
  facts: PodFacts,
  services: readonly ServiceEvidence[],
  key: string,
  passed: readonly string[],
): readonly Step[] | undefined {
  const service = services.find(({ namespace, name }) => `${namespace}/${name}` === key);
  if (service === undefined || passed.includes(key) || !allWait(service)) return undefined;
  if (isOfPod(service, facts.pod)) return [{ service }];
  for (const by of service.waiting ?? []) {
    for (const next of by.services) {
      const rest = chainBack(facts, services, `${next.namespace}/${next.name}`, [...passed, key]);
      if (rest !== undefined) return [{ service, by }, ...rest];
    }
  }
  return undefined;
}

/** Whether all pods of the service wait in init containers; any other may still get ready. */
function allWait({ missing, ready, notReady, waiting = [] }: ServiceEvidence): boolean {
  return !missing && ready === 0 && waiting.length > 0 && new Set(waiting.map(({ pod }) => pod)).size >= notReady;
}

function base(container: ContainerFacts) {
  return { severity: 'warning' as const, topic: `ready/${container.name}`, container: container.name };
}

function startedAt({ status }: ContainerFacts): string {
  return status?.state?.running?.startedAt ?? '';
}

function waited({ now }: PodFacts, container: ContainerFacts): string {
  return formatAge(now - (parseTime(startedAt(container)) ?? now));
}

function startQuote(container: ContainerFacts): Quote {
  return { source: 'field', path: `${container.path}: state.running.startedAt`, value: startedAt(container) };
}
