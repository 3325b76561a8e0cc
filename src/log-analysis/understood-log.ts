/** Reads the lines of a log: their parts and roles, and the dialects that they speak. Pure. */
import { withBareCauses } from './bare-causes.ts';
import { withCategories, withCauses } from './categories.ts';
import { withContinuations } from './continuations.ts';
import { DIALECTS } from './dialects/all.ts';
import type { Dialect } from './dialects/dialect.ts';
import { MAX_LINES_READ } from './limits.ts';
import { withoutHelp } from './messages.ts';
import { parseLine } from './parse-line.ts';
import { withPrintedObjects } from './printed-objects.ts';
import { type RoledLine, traceRoles } from './traces.ts';

export interface UnderstoodLog {
  readonly roled: readonly RoledLine[];
  readonly dialects: readonly Dialect[];
}

/** @param lines oldest first; only the last `MAX_LINES_READ` are read */
export function understoodLog(lines: readonly string[]): UnderstoodLog {
  const from = Math.max(0, lines.length - MAX_LINES_READ);
  const read = lines.slice(from);
  const parsed = withCauses(
    withCategories(withPrintedObjects(read).flatMap(({ text, index }) => parseLine(text, from + index))),
  );
  const roled = withContinuations(withBareCauses(withoutHelp(traceRoles(parsed))));
  return { roled, dialects: dialectsOf(read, roled) };
}

function dialectsOf(lines: readonly string[], roled: readonly RoledLine[]): readonly Dialect[] {
  const heads = lines.map((line) => line.slice(0, 400));
  return DIALECTS.filter(
    ({ recognises }) =>
      heads.some((line) => recognises.test(line)) ||
      roled.some(({ text, said }) => recognises.test(text) || recognises.test(said)),
  );
}
