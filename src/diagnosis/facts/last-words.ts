/** Finds causes that programs name in the last lines of their log. */
import type { Quote } from '../finding.ts';
import type { ContainerFacts } from './container-facts.ts';
import { tellingLines } from './telling-lines.ts';
import { quotable } from './text.ts';

export interface LastWord {
  readonly line: string;
  readonly match: RegExpExecArray;
  /** Distance from the end; 0: the last line. */
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

/** `rank`, reduced by up to 15 for lines that are further from the end. */
export function rankOfWord(rank: number, word: LastWord): number {
  return rank - Math.min(word.fromEnd, 30) / 2;
}

export function quoteLine(container: ContainerFacts, line: string): Quote {
  return { source: 'log', container: container.name, death: container.death?.number, line: quotable(line) };
}

/** The last significant lines, for findings without a more precise quotation. */
export function quoteLastLines(container: ContainerFacts, count: number): readonly Quote[] {
  return tellingLines(container.lines, count).map((line) => quoteLine(container, line));
}

/** Whether the container failed by itself, so that its last log lines may say why. */
export function endedByItself(container: ContainerFacts): boolean {
  const { death, killed } = container;
  return death !== undefined && killed === undefined && death.exitCode !== 0 && death.reason !== 'OOMKilled';
}
