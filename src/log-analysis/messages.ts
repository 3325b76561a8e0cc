/** Finds lines that are part of a message above them: fields below an error, help below a usage, and what a shell only mentions. Pure. */
import type { RoledLine } from './traces.ts';
import { isBad, isClosing, isTolerated } from './grammar/index.ts';

/** "  path: /etc/app.json" below "cannot open input file". */
const FIELD = /^[a-z][\w ]{1,30}: \S/;
/** Fields below one error. */
const MAX_PARTS = 6;
/** Begins a list of options and commands. */
export const USAGE =
  /^(?:usage(?: of \S{1,100})? ?:|(?:[\w-]{1,20} )?(?:options|flags|commands|arguments|subcommands):$)/i;
/** "  -t, --timeout NUM    Shutdown timeout" */
const OPTION = /^(?:-\w,? {1,3})?--[\w-]{2,40}(?:[ =][^\s]{1,40})? {2,}\S/;
const SHELL = /^\S{1,300}: (?:line )?\d{1,6}: .{1,200}: (?:command )?not found$/;

/** The lines; help below a usage, which may hold any words, is made a frame, that is no word of the program about itself. */
export function withoutHelp(roled: readonly RoledLine[]): readonly RoledLine[] {
  let inUsage = false;
  return roled.map((line): RoledLine => {
    if (USAGE.test(line.text)) inUsage = true;
    else if (line.indent > 0 && line.text.startsWith('-') && OPTION.test(line.text)) return { ...line, role: 'frame' };
    else if (inUsage && (line.indent > 0 || line.text.startsWith('-'))) return { ...line, role: 'frame' };
    else inUsage = false;
    return line;
  });
}

/** The positions of lines that say nothing by themselves: fields of an error, and what a program does without. */
export function partsOfMessages(roled: readonly RoledLine[]): ReadonlySet<number> {
  const found = new Set<number>();
  const misses = roled.some(({ said }) => SHELL.test(said));
  const lastError = misses ? roled.findLastIndex((line) => isOtherError(line)) : -1;
  for (const [position, line] of roled.entries()) {
    if (line.role === 'line' && line.level !== 'error' && line.level !== 'fatal' && isTolerated(line.text))
      found.add(position);
    // A script that went on to another error did without the command.
    if (position < lastError && SHELL.test(line.said)) found.add(position);
    for (let next = position + 1; next <= position + MAX_PARTS && isField(line, roled[next]); next += 1)
      found.add(next);
  }
  return found;
}

/** The line with its fields below it; undefined when it has none. */
export function withParts(roled: readonly RoledLine[], position: number): string | undefined {
  const line = roled[position];
  if (line === undefined) return undefined;
  const below = roled.slice(position + 1, position + 1 + MAX_PARTS);
  const end = below.findIndex((next) => !isField(line, next));
  const parts = end === -1 ? below : below.slice(0, end);
  return parts.length === 0 ? undefined : `${line.said} (${parts.map(({ said }) => said).join(', ')})`;
}

/** Only below a plain line of failure: indented, in the form of a field, and without a time or level of its own. */
function isField(line: RoledLine, next: RoledLine | undefined): boolean {
  if (next === undefined || next.indent === 0 || next.role !== 'line' || next.atMs !== undefined || line.indent > 0)
    return false;
  if (line.role === 'frame' || line.said.endsWith(':') || !(next.level === undefined || next.said !== next.text))
    return false;
  return FIELD.test(next.said) && isBad(line.text);
}

function isOtherError({ role, said, text, level }: RoledLine): boolean {
  return role !== 'frame' && (level === 'error' || isBad(text)) && !SHELL.test(said) && !isClosing(text);
}

/** What tools print below an error, some with their own name before it: "DETAIL: …", "initdb: hint: …". */
const DETAIL =
  /^(?:[\w.-]{1,40}: )?(?:DETAIL|HINT|CONTEXT|CAUSE|REASON|[Dd]etail|[Hh]int|[Hh]elp): |^Rejected by (?:CERT|OCSP) at depth=/;

export function isDetail(said: string): boolean {
  return DETAIL.test(said);
}

/** The position of the last line of the message that begins there: its trace, what goes on with it, and its details. */
export function endOfMessage(roled: readonly RoledLine[], begin: number): number {
  const next = roled.findIndex(
    ({ role, part, said }, position) => position > begin && role === 'line' && part !== true && !isDetail(said),
  );
  return next === -1 ? roled.length - 1 : next - 1;
}
