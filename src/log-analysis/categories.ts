/**
 * Joins lines that are one: .NET's console logger writes "fail: Shop.Ledger[3]" and the message below it, and Rust's chains of
 * errors stand indented below "Caused by:". Pure.
 */
import type { LogLine } from './parse-line.ts';

const CATEGORY = /^[\w.+`]{1,200}\[\d{1,6}\]$/;

/** The lines below a category have its level, and the category is left out. */
export function withCategories(lines: readonly LogLine[]): readonly LogLine[] {
  if (!lines.some((line) => isCategory(line))) return lines;
  let level: LogLine['level'];
  return lines.flatMap((line, place): readonly LogLine[] => {
    if (isCategory(line) && (lines[place + 1]?.indent ?? 0) > 0) {
      ({ level } = line);
      return [];
    }
    if (line.indent === 0) level = undefined;
    return level === undefined || line.level !== undefined ? [line] : [{ ...line, level }];
  });
}

function isCategory({ text, level, indent }: LogLine): boolean {
  return indent === 0 && level !== undefined && CATEGORY.test(text);
}

/** Causes that are told with an error. */
const MAX_CAUSES = 4;

/** Errors with the causes that stand below them: "cannot start: no file /a: not found". */
export function withCauses(lines: readonly LogLine[]): readonly LogLine[] {
  const found: LogLine[] = [];
  let causes: string[] | undefined;
  for (const [place, line] of lines.entries()) {
    if (ERROR_ALONE.test(line.text) && /^\d{1,2}: /.test(lines[place + 1]?.text ?? '')) {
      causes = [];
      found.push(line);
      continue;
    }
    if (line.text === 'Caused by:' && found.length > 0) {
      causes = [];
      continue;
    }
    if (causes === undefined || line.indent === 0) {
      causes = undefined;
      found.push(line);
      continue;
    }
    const cause = line.text.replace(/^\d{1,2}: +/, '');
    if (causes.length === MAX_CAUSES || !/[a-z]{2}/i.test(cause) || NO_CAUSE.test(cause)) continue;
    causes.push(cause);
    const head = found.at(-1);
    if (head !== undefined) {
      found[found.length - 1] = { ...head, text: joined(head.text, cause), said: joined(head.said, cause) };
    }
  }
  return found;
}

/** "Error:" with its causes in a numbered list below it. */
const ERROR_ALONE = /^(?:Error|error|ERROR):$/;

function joined(head: string, cause: string): string {
  return head.endsWith(':') ? `${head} ${cause}` : `${head}: ${cause}`;
}

/** Quoted code and frames. */
const NO_CAUSE = /^(?:\d* ?\||at |0x|in `)/;
