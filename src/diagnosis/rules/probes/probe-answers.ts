/** Probes that get an answer, or none in time: paths, schemes, redirects, commands, and what the program says itself. Not a rule by itself. */
import type { DecisiveLine } from '../../../log-analysis/index.ts';
import { quoteLastLines, quoteLine } from '../../facts/words/last-words.ts';
import { listeningOf, listeningQuote } from '../../facts/probes/listening.ts';
import { probePath } from '../../facts/probes/probe-failures.ts';
import { probePort } from '../../facts/probes/probe-port.ts';
import { ownSocket } from '../../facts/pod/own-sockets.ts';
import { passwordLacked, swallowedIn } from '../../facts/probes/silent-commands.ts';
import { plural } from '../../facts/words/text.ts';
import { volumeOf } from '../../facts/files/mounts.ts';
import { servedInstead } from '../../facts/probes/served-paths.ts';
import { throttledBy } from '../../facts/pod/throttling.ts';
import type { ProbeType, Quote, RankedFinding } from '../../finding.ts';
import { commandForLog, saidBy, title } from '../ends/exit-code.ts';
import { lostReadiness } from './readiness.ts';
import {
  type ProbeCase,
  baseOf,
  consequence,
  asked,
  MAX_COMMAND,
  MAX_ANSWER,
  brief,
  quotes,
  field,
} from './probe-case.ts';
import { commandPort, seenElsewhere, toldElsewhere, wrongPort } from './probe-ports.ts';
import { neverAnswered, isStillStarting, tooEarly } from './probe-starts.ts';
import {
  fileOfAsked,
  saidOfAsked,
  saidOfRequest,
  heldAt,
  saidMeanwhile,
  saidWhile,
  saidUnresolved,
  warmingWord,
} from './probe-words.ts';

/** The container answers, and refuses the page or does not have it. */
export function wrongPath(one: ProbeCase): RankedFinding {
  const { probe, failure, facts, container } = one;
  const path = probe.httpGet?.path ?? '/';
  const port = probePort(container, probe);
  const what =
    failure.kind === 'not-found'
      ? `there is nothing at ${path}${port === undefined ? '' : ` on port ${port}`} (404)`
      : `${path} wants to know who asks (${/\d{3}$/.exec(failure.output)?.[0] ?? ''})`;
  const refusal = saidOfRequest(one, path);
  if (failure.kind === 'not-found' && refusal === undefined && container.notLoaded !== undefined)
    return applicationNotLoaded(one, container.notLoaded, what);
  return {
    ...baseOf(one),
    id: failure.kind === 'not-found' ? 'probe-path' : 'probe-unauthorized',
    rank: 88,
    says:
      refusal === undefined
        ? `${consequence(one)}, but the container answers: ${what}${failure.kind === 'not-found' ? rootText(one) || insteadText(one, path) : ''}`
        : `${consequence(one)}: ${asked(one)} answers ${/\d{3}$/.exec(failure.output)?.[0] ?? 'no'}, and its log says: ${brief(refusal, MAX_ANSWER)}`,
    evidence: quotes(one, field(one, 'httpGet.path', path)),
    try: [
      ...facts.commands.edit,
      ...(port === undefined ? [] : [facts.commands.kubectl('port-forward', `pod/${facts.name}`, String(port))]),
    ],
  };
}

/** What Apache says of the folder of its pages. */
const NO_ROOT = /DocumentRoot \[?(\/[^\]\s"']{1,300})\]? does not exist/;

/** "; its log says that the folder of its pages, /var/www/shop, is not there" */
function rootText({ container }: ProbeCase): string {
  const folder = container.lines.flatMap((line) => NO_ROOT.exec(line)?.[1] ?? [])[0];
  return folder === undefined ? '' : `, as the folder of its pages (DocumentRoot ${folder}) does not exist`;
}

/** "; its code has /health (ConfigMap menu-code, key m.js)" */
function insteadText({ facts, container }: ProbeCase, path: string): string {
  const instead = servedInstead(facts, container, path);
  return instead === undefined ? '' : `; ${instead}`;
}

/** What the page should come of has not been loaded, as the log says. */
function applicationNotLoaded(one: ProbeCase, cause: DecisiveLine, what: string): RankedFinding {
  const { facts, container } = one;
  const { commands, name } = facts;
  const isElsewhere = /\bcontainer log file\b/.test(cause.line);
  return {
    ...baseOf(one),
    id: 'application-not-loaded',
    rank: 88,
    says: `${consequence(one)}: ${what}, and its log says that an application was not loaded: ${brief(saidBy(cause), MAX_ANSWER)}`,
    evidence: quotes(one, ...[cause.line, ...cause.related].slice(0, 3).map((line) => quoteLine(container, line))),
    try: [
      commands.kubectl('logs', name, '-c', container.name),
      ...(isElsewhere ? [commands.kubectl('exec', name, '-c', container.name, '--', 'sh', '-c', OF_TOMCAT)] : []),
    ],
  };
}

/** Tomcat writes what goes wrong in an application into a file of its host. */
const OF_TOMCAT = 'tail -n 40 "${CATALINA_BASE:-/usr/local/tomcat}"/logs/localhost.*.log';

/** The container answers by the other of HTTP and HTTPS. */
export function wrongScheme(one: ProbeCase, scheme: 'HTTP' | 'HTTPS'): RankedFinding {
  const { probe, facts, container, type } = one;
  const asked = probe.httpGet?.scheme ?? 'HTTP';
  const port = probePort(container, probe);
  return {
    ...baseOf(one),
    id: 'probe-scheme',
    rank: 88,
    says: `${consequence(one)}, which asks${port === undefined ? '' : ` port ${port}`} by ${asked}, but the container answers by ${scheme}`,
    evidence: quotes(one, field(one, 'httpGet.scheme', asked)),
    try: facts.commands.edit,
    manifest: schemePatch(container.name, type, scheme),
  };
}

function schemePatch(container: string, type: ProbeType, scheme: string): string {
  return `containers:\n- name: ${container}\n  ${type}Probe:\n    httpGet:\n      scheme: ${scheme}\n`;
}

/** The connection opens, and nothing answers in TLS: a program of plain HTTP may wait for more of what it takes for a request. */
export function noHandshake(one: ProbeCase): RankedFinding {
  const { facts, probe, container, type, effect } = one;
  // One that answered before speaks TLS, and is only slow.
  const hasSpoken =
    effect === 'shaky' || (effect === 'unready' ? lostReadiness(facts, container) : !neverAnswered(one));
  if (hasSpoken) return tooTight(one);
  return {
    ...baseOf(one),
    id: 'probe-scheme',
    rank: 88,
    says: `${consequence(one)}, which asks port ${probePort(container, probe) ?? '?'} by HTTPS, but nothing there has ever answered in TLS: it may speak plain HTTP`,
    evidence: quotes(one, field(one, 'httpGet.scheme', 'HTTPS'), ...quoteLastLines(container, 1)),
    try: facts.commands.edit,
    manifest: schemePatch(container.name, type, 'HTTP'),
  };
}

/** The command of the probe does not start. */
export function noCommand(one: ProbeCase): RankedFinding {
  const { probe, facts } = one;
  const command = probe.exec?.command ?? [];
  return {
    ...baseOf(one),
    id: 'probe-command',
    rank: 88,
    says: isOneText(command)
      ? `${consequence(one)}: its command is one text, ${JSON.stringify(brief(command[0] ?? '', MAX_COMMAND))}, which no shell takes apart: it needs "sh", "-c" before it, or an entry for each word`
      : one.effect === 'shaky'
        ? `the ${one.type} probe of ${title(one.container)} can never run: its command ${command[0] ?? ''} ${cannotRun(one)}`
        : `${consequence(one)}, whose command ${command[0] ?? ''} ${cannotRun(one)}`,
    evidence: quotes(one, field(one, 'exec.command', JSON.stringify(command))),
    try: facts.commands.edit,
  };
}

/** Why its command does not start. */
function cannotRun({ facts, container, probe, failure }: ProbeCase): string {
  if (/is a directory/.test(failure.output)) return 'is a folder';
  if (/exec format error/.test(failure.output)) return 'is no program (a script needs its first line, "#!/bin/sh")';
  if (!/permission denied/.test(failure.output)) return 'is not in the image';
  const mounted = volumeOf(facts, container, probe.exec?.command?.[0] ?? '');
  if (mounted === undefined) return 'may not be executed (it has no execute bit, or its user may not)';
  return `may not be executed, as the files of volume ${mounted.volume.name} have no execute bit (set its defaultMode to 0555)`;
}

/** A command line with its arguments in a single entry. */
function isOneText([program = '', ...more]: readonly string[]): boolean {
  return more.length === 0 && /\S\s+\S/.test(program);
}

/** The connection was refused: the container listens on another port, is not ready yet, or is dead. */
export function nobodyListens(one: ProbeCase): RankedFinding {
  const { container, probe } = one;
  if (redirected(one) !== undefined) return { ...unwell(one), id: 'probe-redirect', rank: 88, fallback: false };
  const port = probePort(container, probe);
  const elsewhere = seenElsewhere(one, port) ?? toldElsewhere(one, port);
  if (elsewhere !== undefined) return wrongPort(one, port, elsewhere);
  if (neverAnswered(one)) return tooEarly(one, port);
  return unwell(one);
}

/** No answer comes within the time-out of the probe. */
export function tooTight(one: ProbeCase): RankedFinding {
  const { facts, container, probe, failure, effect } = one;
  const timeout = probe.timeoutSeconds ?? 1;
  const throttled = throttledBy(facts.evidence, container);
  const hangs =
    effect === 'paused' || (effect === 'unready' && lostReadiness(facts, container) && failure.count >= MANY_TIMEOUTS);
  const times = failure.count > 1 ? ` (${plural(failure.count, 'time')})` : '';
  const slow = throttled === undefined ? '' : ', while throttled at its CPU limit';
  const limit = container.spec.resources?.limits?.['cpu'];
  return {
    ...baseOf(one),
    id: 'probe-timeout',
    rank: effect === 'killed' ? 86 : 75,
    // The limit is the cause then, and its own rule reports it.
    fallback: throttled !== undefined,
    says: `${consequence(one)}: no answer from ${asked(one)} within its timeout of ${timeout}s${times}${slow}${hangs && effect === 'unready' ? ', although it answered before' : ''}${throttled === undefined ? saidUnresolved(container) || saidMeanwhile(container) || saidWhile(container) : ''}`,
    evidence: quotes(
      one,
      field(one, 'timeoutSeconds', probe.timeoutSeconds === undefined ? '1 (default)' : `${timeout}`),
      ...(throttled === undefined ? [] : [throttled.quote]),
      // There may be no throttling counters of a life that ended, so the limit is quoted.
      ...(limit !== undefined
        ? [{ source: 'field' as const, path: `${container.path}.resources.limits.cpu`, value: limit }]
        : []),
    ),
    try: facts.commands.edit,
    // More time helps a slow program, and none that does not answer any more.
    ...(!hangs && {
      manifest: `containers:\n- name: ${container.name}\n  ${one.type}Probe:\n    timeoutSeconds: ${Math.max(5, timeout * 2)}\n`,
    }),
  };
}

/** So many time-outs in a row are no slowness. */
const MANY_TIMEOUTS = 10;

/** The container itself reports a failure, or nothing listens. */
export function unwell(one: ProbeCase): RankedFinding {
  const { facts, container, type, probe, effect } = one;
  const asks = commandPort(probe);
  const elsewhere = asks === undefined ? undefined : toldElsewhere(one, asks);
  if (asks !== undefined && elsewhere !== undefined) return wrongPort(one, asks, elsewhere);
  if (probe.exec !== undefined && isStillStarting(one)) return tooEarly(one, undefined);
  const { commands, name } = facts;
  const seen = one.failure.kind === 'refused' ? listeningQuote(container, type) : [];
  const warming = warmingWord(one);
  if (warming !== undefined)
    return {
      ...baseOf(one),
      id: 'starting-up',
      severity: 'info',
      rank: 50,
      says: `${title(container)} is still starting${answer(one).replace(/, and its log says: .*/s, '')}; its log says: ${brief(warming, MAX_ANSWER)}`,
      evidence: quotes(one),
      try: [commands.kubectl('logs', name, '-c', container.name)],
    };
  return {
    ...baseOf(one),
    id: `${type}-failing`,
    rank: 50,
    fallback: true,
    says: `${consequence(one)}${seen.length === 0 || redirected(one) !== undefined ? answer(one) : `${silence(one)}${saidUnresolved(container) || saidMeanwhile(container) || saidWhile(container)}`}`,
    evidence: quotes(
      one,
      { source: 'field', path: probePath(container, type), value: JSON.stringify(probe).slice(0, 300) },
      ...seen,
      ...quotesOfLog(one),
    ),
    try: [
      effect === 'killed' ? commandForLog(facts, container) : commands.kubectl('logs', name, '-c', container.name),
      ...(effect === 'killed' ? [] : toTry(one)),
    ],
  };
}

function quotesOfLog(one: ProbeCase): readonly Quote[] {
  const { container } = one;
  const said = (one.failure.output === '' ? saidOfAsked(one)?.said : undefined) ?? container.failing;
  return said === undefined
    ? quoteLastLines(container, 2)
    : [said.line, ...said.related].slice(0, 2).map((line) => quoteLine(container, line));
}

/** "/a on port 8080 is redirected to HTTPS on port 443, where nothing listens", by the address that the failure names. */
function redirected(one: ProbeCase): string | undefined {
  const { failure, container, probe } = one;
  if (probe.httpGet === undefined) return undefined;
  const [, scheme = '', port] =
    /^Get "(https?):\/\/(?:\[[^\]]{1,60}\]|[^/:"]{1,253}):(\d{1,5})/.exec(failure.output) ?? [];
  const asks = (probe.httpGet.scheme ?? 'HTTP').toLowerCase();
  if (port === undefined || (Number(port) === probePort(container, probe) && scheme === asks)) return undefined;
  const end =
    failure.kind === 'refused'
      ? 'where nothing listens'
      : `which gives: ${brief(failure.output.replace(/^Get "[^"]*": /, ''), MAX_ANSWER)}`;
  return `${asked(one)} is redirected to ${scheme.toUpperCase()} on port ${port}, ${end}`;
}

/** ": /health on port 8080 answers 500, and its log says: …" */
function answer(one: ProbeCase): string {
  const { failure, container, probe } = one;
  const redirect = redirected(one);
  if (redirect !== undefined) return `: ${redirect}`;
  const status = /statuscode: (\d{3})$/.exec(failure.output)?.[1];
  const output = brief(failure.output, MAX_ANSWER);
  const cause = container.failing ?? container.notLoaded;
  const said = cause === undefined ? undefined : brief(saidBy(cause), MAX_ANSWER);
  const held = said === undefined ? heldAt(container) : undefined;
  const log =
    held !== undefined
      ? `, and its log says ${held}`
      : said === undefined || output.includes(said)
        ? ''
        : `, and its log says: ${said}`;
  if (status !== undefined) return `: ${asked(one)} answers ${status}${log}`;
  if (probe.exec === undefined)
    return failure.kind === 'refused'
      ? saidUnresolved(container) || saidWhile(container)
      : `: ${asked(one)} gives: ${output}${log}`;
  if (output !== '') return `: ${asked(one)} says: ${output}${lastSaid(one)}`;
  const about = saidOfAsked(one);
  const told =
    about === undefined
      ? log
      : `, and its log says of ${about.name}: ${brief(saidBy(about.said), MAX_ANSWER)}${fileOfAsked(one, about.name)}`;
  return `: ${asked(one)} fails without a word${withoutWords(one)}${told}`;
}

/** A probe that finds a heartbeat too old tells nothing of what the program hangs at. */
const IS_STALE =
  /\bheart ?beat\b|\bstale\b|\bolder than\b|\bstuck\b|\bhang(?:s|ing)\b|not (?:been )?updated|no progress/i;

/** "; the last that it said: acquiring lock of locks:7000" */
function lastSaid({ container, failure }: ProbeCase): string {
  const { decisive, lastError, lastLine, live } = container.reading;
  const said = decisive?.line ?? lastError?.line ?? lastLine ?? live.at(-1);
  return said === undefined || !IS_STALE.test(failure.output)
    ? ''
    : `; the last that it said: ${brief(said, MAX_ANSWER).replace(/\.+$/, '')}`;
}

/** " (grep -q keeps what redis-cli answers to itself); its server wants a password (…), and the probe gives none" */
function withoutWords({ facts, container, probe }: ProbeCase): string {
  const swallowed = swallowedIn(probe);
  const lacked = passwordLacked(facts, container, probe);
  const kept = swallowed === undefined ? '' : ` (${swallowed.by} keeps what ${swallowed.program} answers to itself)`;
  return lacked === undefined ? kept : `${kept}; its server wants a password (${lacked}), and the probe gives none`;
}

/** The probe's command, without what keeps its words. */
function toTry({ facts, container, probe, failure }: ProbeCase): readonly string[] {
  const { command } = probe.exec ?? {};
  if (command === undefined) return [];
  const bare = failure.output.trim() === '' ? swallowedIn(probe)?.bare : undefined;
  const words = bare === undefined ? command : /^[\w@%+=:,./ -]+$/.test(bare) ? bare.split(/\s+/) : ['sh', '-c', bare];
  return [facts.commands.kubectl('exec', facts.name, '-c', container.name, '--', ...words)];
}

/** ": nothing listens on port 8080", by the node's list of listening ports. */
function silence({ facts, container, probe, type }: ProbeCase): string {
  const port = probePort(container, probe);
  const isThere = listeningOf(container, type)?.some((each) => each.port === port) === true;
  if (port === undefined || isThere) return '';
  const socket = ownSocket(facts, container);
  return `: nothing listens on port ${port}${socket === undefined ? '' : `, and ${socket}`}`;
}
