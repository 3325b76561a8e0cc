/** What a program's log says while a probe of it fails: an error, what it waits for, its last word. Not a rule by itself. */
import { configFiles } from '../../facts/configs/config-files.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { lastLine } from '../../facts/words/last-words.ts';
import { hasWord } from '../../facts/words/text.ts';
import { type DecisiveLine, lastFailure, standingFault } from '../../../log-analysis/index.ts';
import { comesWithRequests, isRepeating, withUnresolved } from '../../facts/words/unresolved.ts';
import { saidBy } from '../ends/exit-code.ts';
import { lackedCapability } from '../ends/permissions.ts';
import { lostReadiness } from './readiness.ts';
import { type ProbeCase, MAX_ANSWER, brief } from './probe-case.ts';

/** What the log says of a request that the probe makes: it names its path, or comes with each one. */
export function saidOfRequest({ container }: ProbeCase, path: string): string | undefined {
  const { failing } = container;
  if (failing === undefined) return undefined;
  const isNamed =
    failing.line.includes(`"GET ${path} `) || (path.length > MIN_TELLING_PATH && failing.line.includes(path));
  return isNamed || comesWithRequests(container, failing.line) ? saidBy(failing) : undefined;
}

/** A name with dots in a command; a path or a file of code is none. */
const NAME = /(?<![\w./@-])[a-z0-9][\w-]{0,62}(?:\.[a-z][\w-]{0,62}){1,8}(?![\w/(=-])/gi;
const NO_NAME = /^localhost\b|\.(?:sh|py|js|rb|pl|jar|conf|cfg|ini|ya?ml|json|txt|log|sock|pid|local)$/i;
/** Names, each with those above it, that are looked for. */
const MAX_ASKED = 8;

/** What the log says that went wrong of the name that a probe's command asks for: "zone corp.example/IN: has no NS records". */
export function saidOfAsked({
  container,
  probe,
}: ProbeCase): { readonly name: string; readonly said: DecisiveLine } | undefined {
  const command = (probe.exec?.command ?? []).join(' ').slice(0, 1000);
  const names = [...command.matchAll(NAME)].map(([name]) => name).filter((name) => !NO_NAME.test(name));
  const all = [...new Set(names.flatMap((name) => [name, ...above(name)]))].slice(0, MAX_ASKED);
  const standing = standingFault(container.lines)?.said;
  for (const name of all) {
    const lines = container.lines.filter((line) => hasWord(line, name));
    const [first] = lines.flatMap((line) => lastFailure([line]) ?? []);
    if (first === undefined) continue;
    // What a server says of a part that it does not serve may have the reason before it.
    const isReason = standing !== undefined && hasWord(standing.line, name) && !standing.line.startsWith(first.line);
    return { name, said: isReason ? standing : first };
  }
  return undefined;
}

/** "; /etc/names/db.corp.example is of ConfigMap zones": the only file of its ConfigMaps and Secrets that is named after it. */
export function fileOfAsked({ facts, container }: ProbeCase, name: string): string {
  const named = configFiles(facts, container).filter(({ file }) => hasWord(file.slice(file.lastIndexOf('/')), name));
  const [only, ...more] = named;
  const { config } = only?.origin ?? {};
  return only === undefined || config === undefined || more.length > 0
    ? ''
    : `; ${only.file} is of ${config.kind} ${config.name}`;
}

/** "corp.example" of "www.corp.example" */
function above(name: string): readonly string[] {
  const labels = name.split('.');
  return labels.slice(1, -1).map((_, at) => labels.slice(at + 1).join('.'));
}

/** Shorter paths stand in others by accident. */
const MIN_TELLING_PATH = 3;

/** Words of programs that are not ready to work yet, databases that recover among them. */
export const STARTING =
  /\b(?:starting|initiali[sz]ing|recover(?:y|ing)|redo|replay\w*|loading|warming|migrating|booting|applying)\b/i;

/** Words of a program that works at its start: it is slow, and waits for nobody. */
const AT_START =
  /\b(?:migrat\w+|load\w+|index\w+|recover\w*|redo|replay\w*|warm\w*|initiali[sz]\w+|import\w+|compil\w+|build\w*|download\w+|unpack\w+|progress)\b|\d ?%/i;

/** "again and again: waiting for schema version 42", of a program that waits for somebody else, or tries the same for ever. */
export function heldAt({ standsAt }: ContainerFacts): string | undefined {
  if (standsAt === undefined || standsAt.how === 'silent') return undefined;
  if (standsAt.how === 'repeats' && AT_START.test(standsAt.said.line)) return undefined;
  return `${standsAt.times > 1 ? 'again and again' : 'at last'}: ${brief(saidBy(standsAt.said), MAX_ANSWER)}`;
}

/** "; it says: redo in progress", "; its last word: binding to ldaps://ldap:636" */
export function saidOfStart(container: ContainerFacts): string {
  const { standsAt } = container;
  const word = lastLine(container, STARTING);
  const isLast = standsAt !== undefined && word?.line.includes(standsAt.said.line) !== true;
  if (isLast) return `; its last word: ${brief(saidBy(standsAt.said), MAX_ANSWER)}`;
  return word === undefined ? '' : `; it says: ${brief(word.line, MAX_ANSWER)}`;
}

/** "; its log says: …", of an error that a program without an answer wrote meanwhile. */
export function saidMeanwhile(container: ContainerFacts): string {
  const { failing } = container;
  if (failing?.firmness !== 'firm') return '';
  const lacks = lackedCapability(container, failing.line);
  return `; its log says: ${brief(saidBy(failing), MAX_ANSWER)}${lacks === undefined ? '' : ` (it ${lacks.says})`}`;
}

/** "; its log says again and again: …", of a program that waits. */
export function saidWhile(container: ContainerFacts): string {
  const held = heldAt(container);
  return held === undefined ? '' : `; its log says ${held}`;
}

/** "; its log says: …", of an error that nothing later in the log overcame. */
export function saidUnresolved(container: ContainerFacts): string {
  const { decisive } = withUnresolved(container).reading;
  const again = isRepeating(container) ? ' again and again' : '';
  return decisive?.firmness === 'firm' ? `; its log says${again}: ${brief(saidBy(decisive), MAX_ANSWER)}` : '';
}

/** A program that says for longer that it is starting is not believed any more, ms. */
const MAX_WARMING_MS = 15 * 60_000;

/** What a program that was never ready says of its start, in its last lines. */
export function warmingWord(one: ProbeCase): string | undefined {
  const { facts, container, effect } = one;
  const startedAt = Date.parse(container.status?.state?.running?.startedAt ?? '');
  if (effect !== 'unready' || container.failing !== undefined || lostReadiness(facts, container)) return undefined;
  if (Number.isNaN(startedAt) || facts.now - startedAt > MAX_WARMING_MS) return undefined;
  const word = lastLine(container, STARTING);
  return word !== undefined && word.fromEnd < 3 ? word.line : undefined;
}
