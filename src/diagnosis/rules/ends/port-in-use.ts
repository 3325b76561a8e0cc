/** Rule: another process already listens on the port, in the pod or, with the host's network, on the node. */
import { anyOf } from '../../../log-analysis/index.ts';
import type { Pod } from '../../evidence/kinds.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { endedByItself, type LastWord, lastWord, linesAround, rankOfWord } from '../../facts/words/last-words.ts';
import { listenPort } from '../../../log-analysis/index.ts';
import { listed, quotable } from '../../facts/words/text.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { hasInCommand, type OwnPort, ownPorts } from '../../facts/pod/own-ports.ts';
import { keptText } from '../../facts/pod/rollout-overlap.ts';
import type { Quote } from '../../finding.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { lacksAddress, NOT_GIVEN } from './address-not-available.ts';
import { argumentsOf, explainedEnd, title } from './exit-code.ts';

const IN_USE = anyOf(
  /address already in use/i,
  /there may be another .{0,60} on port/i,
  /(?:another|some other) .{0,40}(?:running|listening) on port/i,
  /already listening on/i,
  /\bport \d{2,5} (?:is )?not (?:free|available)\b/i,
  /EADDRINUSE/i,
  /connection in use/i,
  /AddrInUse/i,
  /port (?:\d+ )?(?:is|was) already (?:allocated|in use)/i,
  /Only one usage of each socket/i,
);
/** Words of another reason. */
const GIVEN_REASON = /permission|denied|not permitted|no such|invalid|unknown|assign|resolv/i;
const ABOUT = /\bport\b|listen|bind|serve|in use|\baddress\b/i;

/** The line in which a container that ended says that a port is in use. */
export function portInUseWord(container: ContainerFacts): LastWord | undefined {
  if (!endedByItself(container)) return undefined;
  const word = lastWord(container, IN_USE) ?? lastWord(container, NOT_GIVEN);
  return word === undefined || (!IN_USE.test(word.line) && GIVEN_REASON.test(word.line)) ? undefined : word;
}

const ofContainer: ContainerRule = (facts, container) => {
  const word = portInUseWord(container);
  if (word === undefined || (!IN_USE.test(word.line) && lacksAddress(facts, container, word))) return NOTHING;
  const lines = linesAround(container, word).filter((line, place) => place === 0 || ABOUT.test(line));
  const named = lines.flatMap((line) => listenPort(line) ?? [])[0]?.toString();
  const isUdp = /\bUDP/i.test(word.line);
  const declared = named === undefined ? declaredPort(facts, container, isUdp) : undefined;
  const port = named ?? declared?.port;
  const holder = port === undefined ? undefined : holderOf(facts, container, port, isUdp);
  return [
    explainedEnd(facts, container, {
      id: 'port-in-use',
      rank: rankOfWord(88, word),
      says: `${title(container)} cannot listen${port === undefined ? '' : ` on port ${port}`}: ${holder?.says ?? nobodyKnown(facts, container, port)}${port === undefined ? ` (${quotable(word.line).replace(/\.+$/, '')})` : ''}`,
      line: word.line,
      more: [
        ...(holder?.quotes ?? []),
        ...(declared === undefined ? [] : [declared.quote]),
        ...others(facts, container, port),
        ...argumentsOf(container),
      ],
      try: [...(holder?.isSeen === true ? [] : whoListens(facts, container)), ...facts.commands.edit],
    }),
  ];
};

export const portInUse: PodRule = eachContainer(ofContainer);

/** Of an error without a port the only other container that listens is told. */
function nobodyKnown({ pod, evidence }: PodFacts, { name }: ContainerFacts, port: string | undefined): string {
  const seen = port === undefined ? (evidence.listening ?? []) : [];
  const others = seen.filter((each) => each.container !== undefined && each.container !== name);
  const owners = [...new Set(others.map((each) => each.container))];
  const [owner, ...more] = owners;
  if (owner !== undefined && more.length === 0) {
    const ports = [...new Set(others.map((each) => each.port))];
    return `container ${owner} of its pod listens on ${listed(ports.map(String))}`;
  }
  return `something in ${pod.spec?.hostNetwork === true ? 'its node' : 'its pod'} does already`;
}

interface Holder {
  readonly says: string;
  readonly quotes: readonly Quote[];
  /** Its node saw it; otherwise it may be another one. */
  readonly isSeen?: boolean;
}

/** Whom the node saw; else a container of the pod that declares the port; else, on the node's network, a known pod of that node. */
function holderOf(facts: PodFacts, container: ContainerFacts, port: string, isUdp: boolean): Holder | undefined {
  const others = facts.containers.filter(({ name }) => name !== container.name);
  const { listening = [], listeningUdp = [] } = facts.evidence;
  const lists = isUdp ? [listeningUdp, listening] : [listening, listeningUdp];
  const seen = lists.flat().find((each) => String(each.port) === port);
  const owner = others.find(({ name }) => name === seen?.container);
  if (owner !== undefined) {
    const process = seen?.process === undefined ? '' : ` (${quotable(seen.process)})`;
    const says = `a process of ${title(owner)}${process} listens on port ${port}`;
    const object = `pod/${facts.name}, as its node sees it now`;
    return {
      says: `${title(owner)} of its pod${process} listens there`,
      quotes: [{ source: 'object', object, says }],
      isSeen: true,
    };
  }
  const declares = others.find(
    ({ kind, spec }) => kind !== 'init' && spec.ports?.some(({ containerPort }) => String(containerPort) === port),
  );
  if (declares !== undefined) return { says: `${title(declares)} of its pod declares it`, quotes: [] };
  return onNode(facts, port);
}

/** Pods of its node that have the port of the node, or are in its network, too, and listen there by their specification. */
function onNode(facts: PodFacts, port: string): Holder | undefined {
  const { spec, metadata } = facts.pod;
  if (spec?.hostNetwork !== true) return undefined;
  const { siblings, placement } = facts.evidence;
  const others = [...siblings, ...(placement?.pods ?? [])].filter(
    (other) =>
      other.metadata?.uid !== metadata?.uid &&
      other.spec?.nodeName === spec.nodeName &&
      other.status?.phase === 'Running',
  );
  const declaring = others.find((other) => declaresOnNode(other, port));
  if (declaring !== undefined) return holderOnNode(facts, declaring, port, 'declares');
  const using = others.find(
    (other) => other.spec?.hostNetwork === true && other.spec.containers.some((each) => hasInCommand(each, port)),
  );
  return using === undefined ? undefined : holderOnNode(facts, using, port, 'has in its command');
}

function declaresOnNode({ spec }: Pod, port: string): boolean {
  return (spec?.containers ?? []).some(({ ports = [] }) =>
    ports.some(({ hostPort, containerPort }) =>
      spec?.hostNetwork === true ? String(containerPort) === port : String(hostPort) === port,
    ),
  );
}

function holderOnNode(facts: PodFacts, other: Pod, port: string, how: 'declares' | 'has in its command'): Holder {
  const { name = '', namespace } = other.metadata ?? {};
  const who = namespace === facts.pod.metadata?.namespace ? name : `${namespace ?? ''}/${name}`;
  const quote = `Running on node ${facts.pod.spec?.nodeName ?? ''}`;
  return how === 'declares'
    ? {
        says: `pod ${who} of its node declares it${keptText(facts, [other])}`,
        quotes: [{ source: 'object', object: `pod/${who}`, says: `${quote}, and declares port ${port} of it` }],
      }
    : {
        says: `pod ${who} is in the network of its node, too, and has that port in its command`,
        quotes: [
          { source: 'object', object: `pod/${who}`, says: `${quote} with hostNetwork, and has ${port} in its command` },
        ],
      };
}

/** The port on which its specification says that it listens, when its log does not: the only one, or the one that another has. */
function declaredPort(facts: PodFacts, container: ContainerFacts, isUdp: boolean): OwnPort | undefined {
  const all = ownPorts(container);
  const [only, ...more] = all;
  if (more.length === 0) return only;
  const [taken, ...others] = all.filter(({ port }) => holderOf(facts, container, port, isUdp) !== undefined);
  return others.length > 0 ? undefined : taken;
}

/** Asks a running container of the pod who listens, as containers of a pod share its network. */
function whoListens(facts: PodFacts, { name }: ContainerFacts): readonly string[] {
  const other = facts.containers.find((one) => one.name !== name && one.status?.state?.running !== undefined);
  if (other === undefined) return [];
  return [facts.commands.kubectl('exec', facts.name, '-c', other.name, '--', 'netstat', '-tlnp')];
}

/** Quotes hostNetwork, and the containers of the pod that declare the port. */
function others(facts: PodFacts, { name }: ContainerFacts, port: string | undefined): readonly Quote[] {
  const host: readonly Quote[] =
    facts.pod.spec?.hostNetwork === true ? [{ source: 'field', path: 'spec.hostNetwork', value: 'true' }] : [];
  const declared = facts.containers.flatMap((other): readonly Quote[] =>
    other.name === name
      ? []
      : (other.spec.ports ?? []).flatMap(({ containerPort }, index): readonly Quote[] =>
          String(containerPort) === port
            ? [{ source: 'field', path: `${other.path}.ports[${index}].containerPort`, value: String(containerPort) }]
            : [],
        ),
  );
  return [...host, ...declared];
}
