/** Causes that programs name themselves, in the last lines of their log. */
import type { Quote } from '../finding.ts';
import type { ContainerFacts } from './container-facts.ts';
import { tellingLines } from './telling-lines.ts';
import { quotable } from './text.ts';

export interface LastWord {
  readonly line: string;
  readonly match: RegExpExecArray;
  /** 0: the very last line. */
  readonly fromEnd: number;
}

/** The last line that matches. */
export function lastWord(container: ContainerFacts, pattern: RegExp): LastWord | undefined {
  const { lines } = container;
  for (let fromEnd = 0; fromEnd < lines.length; fromEnd++) {
    const line = lines[lines.length - 1 - fromEnd] ?? '';
    const match = pattern.exec(line);
    if (match !== null) return { line, match, fromEnd };
  }
  return undefined;
}

/** The nearer to the end, the more telling: within 30 ranks of `rank`. */
export function rankOfWord(rank: number, word: LastWord): number {
  return rank - Math.min(word.fromEnd, 30) / 2;
}

export function quoteLine(container: ContainerFacts, line: string): Quote {
  return { source: 'log', container: container.name, death: container.death?.number, line: quotable(line) };
}

/** The last lines that tell something, for findings that know no better. */
export function quoteLastLines(container: ContainerFacts, count: number): readonly Quote[] {
  return tellingLines(container.lines, count).map((line) => quoteLine(container, line));
}

/** It ended badly, by itself: then its last words may say why. */
export function endedByItself(container: ContainerFacts): boolean {
  const { death, killed } = container;
  return death !== undefined && killed === undefined && death.exitCode !== 0 && death.reason !== 'OOMKilled';
}
