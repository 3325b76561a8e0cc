/** Rule: an ordinary init container serves, as its log or its sockets tell, so that it does not end, and its pod never gets on. */
import { parseTime } from '../../../lib/index.ts';
import type { PodListeningPort } from '../../evidence/kinds.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { lastLine, type LastWord, quoteLine } from '../../facts/words/last-words.ts';
import { placeText } from '../../facts/probes/listening.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { formatAge, listed, quotable } from '../../facts/words/text.ts';
import type { Quote } from '../../finding.ts';
import { SERVING_INIT_MS } from '../../limits.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { argumentsOf, title } from '../ends/exit-code.ts';
import { waitingWord } from '../probes/readiness.ts';

/** Words of a server about itself. */
const SERVES =
  /\b(?:now )?(?:listening|serving)\b.{0,60}?(?:\b(?:on|at|port|address)\b|:\d{2,5}\b)|\bready (?:to accept|for|to serve) connections\b|\baccepting (?:\w+ )?connections\b|\b(?:running|started|up) (?:on|at) (?:port\b|https?:|\S{1,60}:\d{2,5}\b)|\bprocess up\b|\bserver (?:is )?(?:started|up|running|ready)\b/i;
/** Words of the same kind about somebody else, or about an end. */
const NOT_ITSELF = /\b(?:not|no|until|wait(?:ing|s|ed)?|fail(?:ed|s)?|refused|unable|cannot|stop(?:ped|ping)?|shut)\b/i;
/** Words of work that ends; a server of its own may be a part of it. */
const AT_WORK =
  /\b(?:restor|import|migrat|copy|copi|load|dump|backup|back(?:ing)? up|index|upgrad|replay|convert|extract|download|seed|synchroni[sz]|sync)\w*/i;
/** Lines at the end of a log that say what it does just now. */
const LATEST = 3;

/** Whether an init container has run for so long that its sockets may say why it does not end. */
export function isLongerThanWork({ now, finished, deleting }: PodFacts, { kind, status }: ContainerFacts): boolean {
  const startedAt = parseTime(status?.state?.running?.startedAt ?? undefined);
  return kind === 'init' && startedAt !== undefined && !finished && !deleting && now - startedAt > SERVING_INIT_MS;
}

const ofContainer: ContainerRule = (facts, container) => {
  if (!isLongerThanWork(facts, container) || isAtWork(container)) return NOTHING;
  const ports = (facts.evidence.listening ?? []).filter((port) => port.container === container.name);
  const word = servingWord(container);
  // Where the node tells of the sockets, a line alone may be about another program.
  if (ports.length === 0 && (word === undefined || facts.evidence.listening !== undefined)) return NOTHING;
  const startedAt = container.status?.state?.running?.startedAt ?? '';
  const how = ports.length > 0 ? `it listens on ${portsText(ports)}` : `it says: ${quotable(word?.line ?? '')}`;
  const age = formatAge(facts.now - (parseTime(startedAt) ?? facts.now));
  return [
    {
      id: 'init-serves',
      // A server may still be a part of work that ends, which nothing here rules out.
      severity: 'warning',
      rank: 84,
      topic: `ready/${container.name}`,
      container: container.name,
      says: `${title(container)} has run for ${age} and does not end (${how}): the containers wait for its end; a sidecar needs restartPolicy: Always`,
      evidence: [
        { source: 'field', path: `${container.path}: state.running.startedAt`, value: startedAt },
        ...portQuotes(ports),
        ...(word === undefined ? [] : [quoteLine(container, word.line)]),
        ...argumentsOf(container),
      ],
      try: facts.commands.edit,
      manifest: `initContainers:\n- name: ${container.name}\n  restartPolicy: Always\n`,
    },
  ];
};

export const servingInit: PodRule = eachContainer(ofContainer);

/** What it says of its serving, as long as nothing of another kind came after. */
function servingWord(container: ContainerFacts): LastWord | undefined {
  const word = lastLine(container, SERVES);
  return word === undefined || NOT_ITSELF.test(word.line) ? undefined : word;
}

/** Whether it says at the end of its log that it waits, or that it works at something that ends. */
function isAtWork(container: ContainerFacts): boolean {
  if (waitingWord(container) !== undefined) return true;
  return container.lines.slice(-LATEST).some((line) => AT_WORK.test(line) && !SERVES.test(line));
}

/** "127.0.0.1:6432 and 8080" */
function portsText(ports: readonly PodListeningPort[]): string {
  return listed([...new Set(ports.map((port) => placeText(port).replace(/ only$/, '')))]);
}

function portQuotes(ports: readonly PodListeningPort[]): readonly Quote[] {
  return ports.slice(0, 2).map((port) => ({
    source: 'object',
    object: `port ${placeText(port)}`,
    says: `its node sees ${quotable(port.process ?? 'a process')} of container ${port.container ?? ''} listen there`,
  }));
}
