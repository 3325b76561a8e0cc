/** Finds causes that programs name in the last lines of their log: the decisive line first. */
import type { Quote } from '../../finding.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { isSentSignal, signalOf } from '../pod/signals.ts';
import { quotable } from './text.ts';

export interface LastWord {
  readonly line: string;
  readonly match: RegExpExecArray;
  /** Distance from the decisive line, or from the end when there is none; 0: the line itself. */
  readonly fromEnd: number;
}

/** What a program advises names no cause. */
const ADVICE = /^(?:[\w.-]{1,40}: )?(?:hint|help): /i;

/** The distance of errors beside a decisive line that is weak. */
const BESIDE = 6;

/**
 * The line that matches: the decisive one, or one that belongs to it. Other errors count only beside a decisive line that is
 * weak, and other lines only when there is none. Lines before a recovery never count.
 */
export function lastWord(container: ContainerFacts, pattern: RegExp): LastWord | undefined {
  const { decisive, others, live } = container.reading;
  const code = decisive?.code ?? [];
  const related = (decisive?.related ?? []).filter((line) => !ADVICE.test(line) && !code.includes(line));
  const own = decisive === undefined ? [] : [decisive.line, ...related];
  const first = firstMatch(own, pattern);
  if (first !== undefined) return { ...first, fromEnd: 0 };
  if (decisive?.firmness === 'firm') return undefined;
  const beside = firstMatch(others, pattern);
  if (beside !== undefined) return { ...beside, fromEnd: BESIDE };
  const last = firstMatch(live.toReversed(), pattern);
  return last === undefined
    ? undefined
    : { ...last, fromEnd: decisive === undefined ? last.place : BESIDE + last.place };
}

function firstMatch(lines: readonly string[], pattern: RegExp) {
  for (const [place, line] of lines.entries()) {
    const match = pattern.exec(line);
    if (match !== null) return { line, match, place };
  }
  return undefined;
}

/** "  code: '42P01',": what Node.js prints of an error below its message and its frames. */
const PROPERTY = /^\s{1,12}\[?(?:code|errno|sqlState)\]?: ['"]?\w{2,60}['"]?,?$/;
const PROPERTY_LINES = 30;

/** The decisive line, where a property of its error matches, as its code does in any language of the message. */
export function propertyWord({ reading, lines }: ContainerFacts, pattern: RegExp): LastWord | undefined {
  const { decisive } = reading;
  if (decisive === undefined || decisive.index < 0) return undefined;
  const own = lines
    .slice(decisive.index + 1, decisive.index + 1 + PROPERTY_LINES)
    .filter((line) => PROPERTY.test(line));
  const found = firstMatch(own, pattern);
  return found === undefined ? undefined : { line: decisive.line, match: found.match, fromEnd: 0 };
}

/** The lines that may name what a word lacks, the nearest first. */
export function linesAround({ reading }: ContainerFacts, word: LastWord): readonly string[] {
  return [word.line, ...(reading.decisive?.related ?? []), ...reading.others, ...reading.live.slice(-8).toReversed()];
}

/** The last line of the log that matches, whatever it is about. */
export function lastLine({ lines }: ContainerFacts, pattern: RegExp): LastWord | undefined {
  const last = firstMatch(lines.toReversed(), pattern);
  return last === undefined ? undefined : { ...last, fromEnd: last.place };
}

/** `rank`, reduced by up to 15 for lines that are further from the decisive one. */
export function rankOfWord(rank: number, word: LastWord): number {
  return rank - Math.min(word.fromEnd, 30) / 2;
}

export function quoteLine(container: ContainerFacts, line: string): Quote {
  return { source: 'log', container: container.name, death: container.death?.number, line: quotable(line) };
}

/** The decisive line and what belongs to it, else the last lines. */
export function quoteLastLines(container: ContainerFacts, count: number): readonly Quote[] {
  const { decisive, live } = container.reading;
  const lines = decisive === undefined ? lastOf(live, container.lines, count) : [decisive.line, ...decisive.related];
  return lines.slice(0, count).map((line) => quoteLine(container, line));
}

function lastOf(live: readonly string[], all: readonly string[], count: number): readonly string[] {
  return (live.length === 0 ? all : live).slice(-count);
}

/** A program that ends within this time ends at its start, ms. */
const AT_START_MS = 10_000;

/** Whether it ended at its start, and its log is known, and has nothing in it. */
export function saidNothing({ evidence }: PodFacts, { name, death, lines, status }: ContainerFacts): boolean {
  const { previous, current } = evidence.logs[name] ?? {};
  const isCurrent = status?.state?.terminated !== undefined;
  const log = death?.log ?? (isCurrent ? (current ?? previous) : (previous ?? current));
  return death !== undefined && (death.livedMs ?? 0) < AT_START_MS && lines.length === 0 && log !== undefined;
}

/** Whether the container failed by itself, so that its last log lines may say why. */
export function endedByItself(container: ContainerFacts): boolean {
  const { death, killed } = container;
  if (death === undefined || killed !== undefined || death.reason === 'OOMKilled') return false;
  // One that is started again and again although its last word is an uncaught error has failed, whatever its code is.
  if (death.exitCode === 0) return isLooping(container) && container.reading.decisive?.firmness === 'firm';
  return death.exitCode !== 0 && !isSentSignal(signalOf(death.exitCode));
}

function isLooping({ status }: ContainerFacts): boolean {
  return status?.state?.waiting?.reason === 'CrashLoopBackOff';
}
