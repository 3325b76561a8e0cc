/** Finds what stands beside "waiting for database" in a loop that waits: the words of the tool that asked, which name whom and why. Pure. */
import { isBad } from './grammar/index.ts';
import { shortened } from './describe.ts';
import { maskSecrets } from './mask-secrets.ts';
import { nameCount, worldNames } from './names.ts';
import { shape } from './pick.ts';
import type { RoledLine } from './traces.ts';
import { understoodLog } from './understood-log.ts';

/** Lines of the end that are looked at. */
const LATELY_LINES = 60;
/** What stands there so often comes with each round. */
const OFTEN = 2;
/** Lines of one round. */
const ROUND = 5;
/** An answer that says no. */
const REFUSES = /\b[45]\d\d\b|\bno response\b|\bunavailable\b|\bdown\b/i;

/**
 * The line that comes with each round beside the one that says that it waits, secrets masked; undefined: there is none that says more.
 *
 * @param lines the log's last lines, oldest first
 * @param waiting what the program says of its waiting
 */
export function besideWaiting(lines: readonly string[], waiting: string): string | undefined {
  const { roled } = understoodLog(lines.slice(-LATELY_LINES));
  const wanted = shape(maskSecrets(waiting));
  const isWaiting = ({ said }: RoledLine): boolean => shape(maskSecrets(said)) === wanted;
  const at = roled.findLastIndex((line) => isWaiting(line));
  if (at === -1 || worldNames(roled[at]?.text ?? '') > 0) return undefined;
  const before = roled.slice(0, at).findLastIndex((line) => isWaiting(line));
  const round = roled.slice(Math.max(before + 1, at - ROUND), at);
  const times = (line: RoledLine): number => roled.filter((each) => shape(each.text) === shape(line.text)).length;
  const telling = round.filter((line) => line.role !== 'frame' && says(line.text) && times(line) >= OFTEN);
  const best = telling.findLast(({ text }) => nameCount(text) > 0) ?? telling.at(-1);
  return best === undefined ? undefined : shortened(maskSecrets(best.said));
}

function says(text: string): boolean {
  return isBad(text) || REFUSES.test(text);
}
