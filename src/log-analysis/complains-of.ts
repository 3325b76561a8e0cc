/** Finds what a server complains of again and again that names one of those who use it. Pure. */
import { maskSecrets } from './mask-secrets.ts';
import { understoodLog } from './understood-log.ts';
import { weigh } from './weigh.ts';

export interface ComplaintOf {
  /** Secrets masked. */
  readonly line: string;
  readonly times: number;
  /** The name that it has. */
  readonly name: string;
}

/** So often it is no accident. */
const OFTEN = 3;
/** The last of them stands so far above the end of the log, at most, as a share of the lines. */
const LATE = 0.5;
const MIN_SCORE = 22;
/** What brokers say of two clients with one name, without a word of failure. */
const THROWS_OUT = /\balready connected, closing old connection\b|\bsession taken over\b/i;
/** What they say of a client that they do not allow something. */
const DENIES = /\bDenied (?:PUBLISH|SUBSCRIBE)\b|\bNot authori[sz]ed\b/i;
/** Clients come and go. */
const GOES = /\b(?:dis)?connected\.?$|\bclosed (?:its|the) connection\.?$/i;
const MAX_LINE = 300;

/**
 * The last of the complaints that name one of the names, where there are several; undefined: there are not.
 *
 * @param lines the server's last lines, oldest first
 * @param names those of the user: of its pod, its address, and what it sends or asks for
 * @param secrets values that are known to be secret
 */
export function complainsOf(
  lines: readonly string[],
  names: readonly string[],
  secrets: readonly string[] = [],
): ComplaintOf | undefined {
  const { roled, dialects } = understoodLog(lines);
  const found = roled.flatMap((line, position) => {
    const name = line.role === 'frame' ? undefined : names.find((each) => holds(line.said, each));
    const isComplaint =
      throwsOut(line.said) ||
      DENIES.test(line.said) ||
      (!GOES.test(line.said) && (weigh(line, dialects, roled[position + 1])?.score ?? 0) >= MIN_SCORE);
    return name !== undefined && isComplaint && line.level !== 'debug' ? [{ line, position, name }] : [];
  });
  const last = found.at(-1);
  if (last === undefined || found.length < OFTEN || last.position < roled.length * LATE) return undefined;
  return { line: maskSecrets(last.line.said, secrets).slice(0, MAX_LINE), times: found.length, name: last.name };
}

/** Whether a broker says that it ends a session because another client has come with the same name. */
export function throwsOut(line: string): boolean {
  return THROWS_OUT.test(line);
}

/** The name as a whole: "orders.created" does not stand in "orders.created.dead". */
function holds(text: string, name: string): boolean {
  let from = text.indexOf(name);
  while (from !== -1) {
    const after = text.slice(from + name.length, from + name.length + 2);
    if (!/[\w.-]/.test(text[from - 1] ?? ' ') && !/^(?:[\w-]|\.\w)/.test(after)) return true;
    from = text.indexOf(name, from + 1);
  }
  return false;
}
