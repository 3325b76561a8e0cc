/** Rule: another process already listens on the port, in the pod or, with the host's network, on the node. */
import { anyOf } from '../../log-analysis/index.ts';
import type { ContainerFacts } from '../facts/container-facts.ts';
import { endedByItself, lastWord, linesAround, rankOfWord } from '../facts/last-words.ts';
import { listenPort } from '../../log-analysis/index.ts';
import { quotable } from '../facts/text.ts';
import type { PodFacts } from '../facts/pod-facts.ts';
import type { Quote } from '../finding.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../rule.ts';
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
const ABOUT = /\bport\b|listen|bind|serve|in use|\baddress\b/i;

const ofContainer: ContainerRule = (facts, container) => {
  if (!endedByItself(container)) return NOTHING;
  const word = lastWord(container, IN_USE);
  if (word === undefined) return NOTHING;
  const lines = linesAround(container, word).filter((line, place) => place === 0 || ABOUT.test(line));
  const named = lines.flatMap((line) => listenPort(line) ?? [])[0]?.toString();
  const declared = named === undefined ? declaredPort(container) : undefined;
  const port = named ?? declared?.port;
  const where = facts.pod.spec?.hostNetwork === true ? 'its node' : 'its pod';
  return [
    explainedEnd(facts, container, {
      id: 'port-in-use',
      rank: rankOfWord(88, word),
      says: `${title(container)} cannot listen${port === undefined ? '' : ` on port ${port}`}: something in ${where} does already${port === undefined ? ` (${quotable(word.line).replace(/\.+$/, '')})` : ''}`,
      line: word.line,
      more: [
        ...(declared === undefined ? [] : [declared.quote]),
        ...others(facts, container, port),
        ...argumentsOf(container),
      ],
      try: [...whoListens(facts, container), ...facts.commands.edit],
    }),
  ];
};

export const portInUse: PodRule = eachContainer(ofContainer);

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
