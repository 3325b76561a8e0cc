/** Members of a cluster that a StatefulSet's pod names and that are gone, since the set was scaled down: too few are left to decide anything. Pure. */
import type { StatefulSet } from '../../../api/index.ts';
import type { SetEvidence } from '../../evidence/pod-evidence.ts';
import { configTexts } from '../configs/config-texts.ts';
import type { ContainerFacts } from './container-facts.ts';
import type { PodFacts } from './pod-facts.ts';
import { hasOrdinal, setOf } from '../peers/pod-names.ts';
import { commandText } from '../peers/spec-peers.ts';

export interface LostMembers {
  readonly set: SetEvidence;
  /** "etcd-1", "etcd-2", in order. */
  readonly gone: readonly string[];
  /** How many members it knows of, with those that are there. */
  readonly all: number;
  /** Where they are named: "command", "ConfigMap zoo, key zoo.cfg", "log". */
  readonly at: string;
  /** The line of its log that says what it lacks. */
  readonly line: string;
}

/** What programs say that decide by majority, when too few of them are there. */
const QUORUM =
  /\bquorum\b|\bmajority\b|\bminority\b|\bno (?:\w{1,20} )?(?:leader|primary|master)\b|\b(?:leader|primary|master) (?:is )?not (?:available|discovered|elected|found|known)|NoPrimary|\belection\b|\belect(?:ed|ing)?\b|non-primary|\bprim(?:ary)? (?:view|component|not possible)|CLUSTERDOWN|Cluster state changed: fail|cluster is down|Mnesia tables|waiting for (?:\w{1,20} )?(?:members|peers|nodes)\b/i;
/** What they say once they are enough. */
const DECIDED =
  /\b(?:became|elected|elect|new) (?:as )?(?:the )?(?:leader|primary|master)\b|\b(?:leader|primary|master) (?:was |is |has been )?elected\b|transition to primary|"newState":"PRIMARY"|Synchronized with group|cluster state changed: ok|\bLEADING\b|\bFOLLOWING\b/i;
/** Lines at the end of a log in which that is looked for. */
const LAST_LINES = 60;
/** A larger cluster than any that decides by majority. */
const MAX_ORDINAL = 99;
/** Characters of a text in which members are looked for. */
const MAX_TEXT = 64 * 1024;

/** Undefined: none is gone, or those that are there are the majority, or its log says nothing of it. */
export function lostMembers(facts: PodFacts, container: ContainerFacts): LostMembers | undefined {
  const { evidence, name } = facts;
  const owner = evidence.owners.find(({ kind }) => kind === 'StatefulSet');
  if (owner === undefined) return undefined;
  const set = setOf(owner as StatefulSet);
  const own = Number(/-(\d{1,5})$/.exec(name)?.[1] ?? Number.NaN);
  if (set.replicas === 0 || set.replicas > MAX_ORDINAL || !hasOrdinal(set, own)) return undefined;
  const last = container.lines.slice(-LAST_LINES);
  const line = last.findLast((each) => QUORUM.test(withoutCode(each)) || DECIDED.test(each));
  if (line === undefined || DECIDED.test(line)) return undefined;
  const texts = [
    { at: 'command', text: commandText(container.spec, container.environment) },
    ...container.environment.map(({ name: variable, value }) => ({ at: `variable ${variable}`, text: value })),
    ...configTexts(facts, container),
    { at: 'log', text: last.join('\n') },
  ];
  const there = new Set(evidence.siblings.map(({ metadata }) => metadata?.name ?? ''));
  const ordinals = new Set<number>();
  let at: string | undefined;
  for (const each of texts) {
    const found = ordinalsIn(each.text, set.name).filter(
      (ordinal) => !hasOrdinal(set, ordinal) && !there.has(`${set.name}-${ordinal}`),
    );
    if (found.length > 0) at ??= each.at;
    for (const ordinal of found) ordinals.add(ordinal);
  }
  const all = set.replicas + ordinals.size;
  if (at === undefined || set.replicas * 2 > all) return undefined;
  const gone = [...ordinals].toSorted((a, b) => a - b).map((ordinal) => `${set.name}-${ordinal}`);
  return { set, gone, all, at, line };
}

/** The line without names of classes and places in code, which speak of what they are for. */
function withoutCode(line: string): string {
  return /^\s+at \S/.test(line) ? '' : line.replaceAll(/[\w$]{1,80}(?:\.[\w$]{1,80}){2,20}/g, '');
}

/** The ordinals of the pods of the set that a text names. */
function ordinalsIn(text: string, set: string): readonly number[] {
  const found: number[] = [];
  const short = text.slice(0, MAX_TEXT);
  for (let from = short.indexOf(`${set}-`); from !== -1; from = short.indexOf(`${set}-`, from + 1)) {
    const before = short[from - 1] ?? ' ';
    const [, digits] = /^(\d{1,2})(?![\w-])/.exec(short.slice(from + set.length + 1, from + set.length + 4)) ?? [];
    if (!/[\w-]/.test(before) && digits !== undefined) found.push(Number(digits));
  }
  return found;
}
