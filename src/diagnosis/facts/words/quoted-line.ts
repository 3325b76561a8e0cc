/** Finds the line of a container's log that a headline quotes. Pure. */
import type { ContainerFacts } from '../pod/container-facts.ts';

/** Characters of a line by which a quotation of it is known. */
const QUOTED_AT_LEAST = 40;

/** Undefined: it quotes none. */
export function quotedLine({ failing, standsAt, reading }: ContainerFacts, says: string): string | undefined {
  const lines = [failing?.line, standsAt?.said.line, reading.decisive?.line];
  return lines.find((line) => line !== undefined && line !== '' && says.includes(line.slice(0, QUOTED_AT_LEAST)));
}
