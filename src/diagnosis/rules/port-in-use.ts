/** Rule: another process already listens on the port, in the pod or, with the host's network, on the node. */
import { anyOf } from '../../log-analysis/index.ts';
import type { ContainerFacts } from '../facts/container-facts.ts';
import { endedByItself, type LastWord, lastWord, linesAround, rankOfWord } from '../facts/last-words.ts';
import { listenPort } from '../../log-analysis/index.ts';
import { quotable } from '../facts/text.ts';
import type { PodFacts } from '../facts/pod-facts.ts';
import { keptText } from '../facts/rollout-overlap.ts';
import type { Quote } from '../finding.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../rule.ts';
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
const GIVEN_REASON = /permission|denied|not permitted|no such|invalid|unknown|assign|resolve/i;
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
  const declared = named === undefined ? declaredPort(container) : undefined;
  const port = named ?? declared?.port;
  const holder = port === undefined ? undefined : holderOf(facts, container, port, /\bUDP/i.test(word.line));
  return [
    explainedEnd(facts, container, {
      id: 'port-in-use',
      rank: rankOfWord(88, word),
      says: `${title(container)} cannot listen${port === undefined ? '' : ` on port ${port}`}: ${holder?.says ?? nobodyKnown(facts)}${port === undefined ? ` (${quotable(word.line).replace(/\.+$/, '')})` : ''}`,
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

function nobodyKnown({ pod }: PodFacts): string {
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

/** Only the pods of the same controller are known. */
function onNode(facts: PodFacts, port: string): Holder | undefined {
  const { spec } = facts.pod;
  const { siblings } = facts.evidence;
  if (spec?.hostNetwork !== true) return undefined;
  const other = siblings.find(
    (sibling) =>
      sibling.spec?.nodeName === spec.nodeName &&
      sibling.status?.phase === 'Running' &&
      sibling.spec?.containers.some(({ ports = [] }) =>
        ports.some(({ hostPort, containerPort }) =>
          sibling.spec?.hostNetwork === true ? String(containerPort) === port : String(hostPort) === port,
        ),
      ),
  );
  if (other === undefined) return undefined;
  const name = other.metadata?.name ?? '';
  const says = `Running on node ${spec.nodeName}, and declares port ${port} of it`;
  return {
    says: `pod ${name} of its node declares it${keptText(facts, [other])}`,
    quotes: [{ source: 'object', object: `pod/${name}`, says }],
  };
}

/** The port on which its specification says that it listens, when its log does not: the only one of its ports, variables or arguments. */
function declaredPort({ path, spec }: ContainerFacts): { readonly port: string; readonly quote: Quote } | undefined {
  const ports = (spec.ports ?? []).map(({ containerPort }, index) => ({
    port: String(containerPort),
    quote: {
      source: 'field',
      path: `${path}.ports[${index}].containerPort`,
      value: String(containerPort),
    } satisfies Quote,
  }));
  if (ports.length === 1) return ports[0];
  const variables = (spec.env ?? []).flatMap(({ name, value = '' }, index) => {
    const port = /(?:^|_)(?:PORT|LISTEN|BIND|ADDR(?:ESS)?)$/.test(name)
      ? /(?:^|:)(\d{2,5})$/.exec(value)?.[1]
      : undefined;
    return port === undefined
      ? []
      : [{ port, quote: { source: 'field', path: `${path}.env[${index}] (${name})`, value } satisfies Quote }];
  });
  if (variables.length === 1) return variables[0];
  const words = [...(spec.command ?? []), ...(spec.args ?? [])].join(' ').slice(0, 2000);
  const [port, ...more] = [
    ...words.matchAll(/(?:--?(?:[\w-]{0,30}port|listen|bind|addr(?:ess)?|p)[= ]\S{0,80}?)(\d{2,5})(?=\s|$)/gi),
  ];
  if (port?.[1] === undefined || more.length > 0) return undefined;
  return { port: port[1], quote: { source: 'field', path: `${path}.args`, value: quotable(port[0]) } };
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
