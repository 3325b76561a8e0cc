/** Finds in the log of a container that seems well what says that a variable is not set which the container sets. Pure. */
import { type FailsAgain, lastFailure, saysAgain } from '../../../log-analysis/index.ts';
import type { Variable } from './environment.ts';

const SAYS_UNSET: readonly RegExp[] = [
  /\b([A-Z][A-Z0-9_]{2,60}):? (?:parameter (?:null or )?not set|unbound variable|is not set|not set|must be set|is required|undefined)\b/,
  /\bKeyError: '([A-Z][A-Z0-9_]{2,60})'/,
  /\b(?:missing|undefined|unset) (?:env(?:ironment)?(?: variable)?|variable):? ["'`]?([A-Z][A-Z0-9_]{2,60})\b/i,
];

/** Lines of the end that are read. */
const LAST_LINES = 120;

/** Of one that seems well: what says last that a variable is not set which its container sets; undefined: nothing. */
export function notHandedOn(lines: readonly string[], environment: readonly Variable[]): FailsAgain | undefined {
  const lately = lines.slice(-LAST_LINES);
  const isOfContainer = (line: string): boolean =>
    SAYS_UNSET.some((pattern) => {
      const name = pattern.exec(line)?.[1];
      return environment.some((each) => each.name === name && each.value !== '');
    });
  const at = lately.findLastIndex((line) => isOfContainer(line));
  const said = at === -1 ? undefined : lastFailure(lately.slice(0, at + 1));
  if (said === undefined || !isOfContainer(said.line)) return undefined;
  return { said, times: lately.filter((line) => saysAgain(line, said.line)).length, isBesideWork: true };
}
