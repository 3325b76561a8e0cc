/** Probes that ask a port at which the program does not listen, or that its container does not have. Not a rule by itself. */
import type { Probe } from '../../evidence/kinds.ts';
import { configFile } from '../../facts/configs/config-files.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { lastLine, quoteLine } from '../../facts/words/last-words.ts';
import {
  isAnsweredBySibling,
  listeningOf,
  listeningQuote,
  listensInside,
  listensInstead,
} from '../../facts/probes/listening.ts';
import { secondsUntilFailed } from '../../facts/probes/probe-failures.ts';
import { probePort } from '../../facts/probes/probe-port.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { listed, quotable } from '../../facts/words/text.ts';
import type { Quote, RankedFinding } from '../../finding.ts';
import { PROVING_LIFE_MS } from '../../limits.ts';
import { title } from '../ends/exit-code.ts';
import { lostReadiness } from './readiness.ts';
import { type ProbeCase, baseOf, consequence, quotes, field } from './probe-case.ts';
import { outlived, secondsLeftBy } from './probe-starts.ts';

/** The port that a probe's command asks on its own host: "pg_isready -p 5433", "nc -z localhost 6380". */
export function commandPort({ exec }: Probe): number | undefined {
  const text = (exec?.command ?? []).join(' ').slice(0, 1000);
  const named = /(?:^|\s)(?:-p|-P|--port)[= ]?(\d{2,5})\b|\b(?:localhost|127\.0\.0\.1)[: ](\d{2,5})\b/.exec(text);
  const host = /(?:^|\s)(?:-h|--host)[= ]?([\w.-]{1,253})/.exec(text)?.[1];
  if (host !== undefined && !/^(?:localhost|127\.|\/)/.test(host)) return undefined;
  const port = named?.[1] ?? named?.[2];
  return port === undefined ? undefined : Number(port);
}

/** A probe of an unknown port name is never sent, so it neither kills nor passes. */
export function noSuchPort(one: ProbeCase): RankedFinding {
  const { container, probe, facts, type, effect } = one;
  const [handler, { port } = { port: '' }] = probe.httpGet
    ? (['httpGet', probe.httpGet] as const)
    : (['tcpSocket', probe.tcpSocket] as const);
  const who = effect === 'unready' ? consequence(one) : `the ${type} probe of ${title(container)} can never ask`;
  const ports = (container.spec.ports ?? []).map(({ name = '', containerPort }) => `${name} ${containerPort}`.trim());
  return {
    ...baseOf(one),
    id: 'probe-port',
    rank: 88,
    says: `${who}: no port of its container is called ${port}${ports.length === 0 ? '' : ` (it has ${listed(ports)})`}`,
    evidence: quotes(one, field(one, `${handler}.port`, port), {
      source: 'field',
      path: `${container.path}.ports`,
      value: ports.length === 0 ? 'none' : ports.join(', '),
    }),
    try: facts.commands.edit,
  };
}

interface Elsewhere {
  readonly says: string;
  readonly quotes: readonly Quote[];
}

/**
 * The other port on which the node saw the container listen. A container that answered on the probe's port before has not
 * moved.
 */
export function seenElsewhere(one: ProbeCase, port: number | undefined): Elsewhere | undefined {
  const { facts, container, type } = one;
  const ports = listeningOf(container, type);
  if (port === undefined || ports === undefined) return undefined;
  const quotes = listeningQuote(container, type);
  const inside = listensInside(ports, port);
  if (inside !== undefined)
    return { says: `${inside}, where no probe reaches it${insideText(facts, container)}`, quotes };
  if (ports.some((each) => each.port === port) || hasAnswered(one, port)) return undefined;
  const instead = listensInstead(facts, container, ports);
  if (instead === undefined) return undefined;
  return { says: `nothing listens on port ${port}${shortTime(one, port)}, but ${instead}`, quotes };
}

/** What it says of it itself, and the configuration that it has. */
function insideText(facts: PodFacts, container: ContainerFacts): string {
  const said = container.lines.findLast((line) => ONLY_INSIDE.test(line));
  const { file, origin } = configFile(facts, container) ?? {};
  const of = origin?.config;
  const told = said === undefined ? '' : `, and its log says: ${quotable(said).replace(/\.$/, '')}`;
  return `${told}${of === undefined ? '' : `; its configuration ${file ?? ''} is of ${of.kind} ${of.name}`}`;
}

/** "Starting in local only mode", "bind is localhost only" */
const ONLY_INSIDE =
  /\blocal(?:host)?[ -]only\b|\bonly\b.{0,40}\b(?:localhost|loopback|this (?:machine|host)|127\.0\.0\.1)\b/i;

/** A container that declares the port may still begin to listen there, so the finding names the time that the probe leaves it. */
function shortTime({ container, probe, effect }: ProbeCase, port: number): string {
  const isDeclared = (container.spec.ports ?? []).some(({ containerPort }) => containerPort === port);
  return (effect === 'killed' || effect === 'killing') && isDeclared
    ? ` within the ${secondsLeftBy(probe)}s that the probe leaves it`
    : '';
}

function hasAnswered(one: ProbeCase, port: number): boolean {
  const { facts, container, type, effect } = one;
  if (isAnsweredBySibling(facts, container, port)) return true;
  if (effect !== 'killed' && effect !== 'killing') return lostReadiness(facts, container);
  const startup = type === 'liveness' ? container.spec.startupProbe : undefined;
  if (startup !== undefined && probePort(container, startup) === port) return true;
  const startMs = startup === undefined ? 0 : secondsUntilFailed(startup) * 1000;
  const ended = container.deaths.filter((death) => type !== 'startup' || death !== container.death);
  return ended.some((death) => (death.livedMs ?? 0) >= PROVING_LIFE_MS && outlived(one, death, startMs));
}

const LISTENS = /(?:listening|listen|serving|started|running|bound)\b/i;
/** "listening on :8080", "listening on IPv4 interface eth0, 10.2.0.8#5353"; the beginning of an address is no port. */
const SAYS_PORT = /(?:listening|listen|serving|started|running|bound)\b.*?[:\s#@](\d{2,5})\b(?!\.\d|:\d|#\d)/i;
const ON_LOOPBACK = /127\.0\.0\.1|localhost|\[::1\]/;

/** The other port that the container's log names, or that it declares instead; not where log or node tell that it has the one that is asked. */
export function toldElsewhere({ container, type, probe }: ProbeCase, port: number | undefined): Elsewhere | undefined {
  if (port === undefined || listeningOf(container, type)?.some((each) => each.port === port) === true) return undefined;
  const word = lastLine(container, SAYS_PORT);
  const said = word?.match[1];
  const there = container.lines.filter((line) => LISTENS.test(line) && hasPort(line, port));
  if (word !== undefined && said !== undefined && there.length === 0 && Number(said) < 65_536) {
    return elsewhere(port, `it says that it listens on ${said}`, quoteLine(container, word.line));
  }
  // A command asks from within.
  const inside = probe.exec === undefined && there.every((line) => ON_LOOPBACK.test(line)) ? there.at(-1) : undefined;
  if (inside !== undefined)
    return elsewhere(port, 'it listens on its own loopback address alone', quoteLine(container, inside));
  if (there.length > 0) return undefined;
  const ports = (container.spec.ports ?? []).filter(({ protocol }) => protocol === undefined || protocol === 'TCP');
  if (ports.length === 0 || ports.some(({ containerPort }) => containerPort === port)) return undefined;
  const value = ports.map(({ containerPort }) => containerPort).join(', ');
  return elsewhere(port, `it declares ${value}`, { source: 'field', path: `${container.path}.ports`, value });
}

/** ":5353", "#5353", " 5353" */
function hasPort(line: string, port: number): boolean {
  for (let at = line.indexOf(`${port}`); at !== -1; at = line.indexOf(`${port}`, at + 1)) {
    if (/[:\s#@]/.test(line[at - 1] ?? '') && !/^(?:\d|\.\d)/.test(line.slice(at + `${port}`.length))) return true;
  }
  return false;
}

function elsewhere(port: number, says: string, quote: Quote): Elsewhere {
  return { says: `nothing listens on port ${port}, and ${says}`, quotes: [quote] };
}

/** The program listens, and on another port than the probe asks. */
export function wrongPort(one: ProbeCase, port: number | undefined, { says, quotes: seen }: Elsewhere): RankedFinding {
  const { facts, probe } = one;
  const [name] = Object.keys({
    ...(probe.httpGet && { httpGet: 1 }),
    ...(probe.tcpSocket && { tcpSocket: 1 }),
    ...(probe.grpc && { grpc: 1 }),
  });
  const at =
    name === undefined
      ? field(one, 'exec.command', JSON.stringify(probe.exec?.command ?? []))
      : field(one, `${name}.port`, port);
  return {
    ...baseOf(one),
    id: 'probe-port',
    rank: 88,
    says: `${consequence(one)}: ${says}`,
    evidence: quotes(one, at, ...seen),
    try: facts.commands.edit,
  };
}
