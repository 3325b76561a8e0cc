/** Joins the two lines that .NET's console logger writes: "fail: Shop.Ledger[3]", and the message below it, indented. Pure. */
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
