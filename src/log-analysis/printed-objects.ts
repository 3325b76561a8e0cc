/** Joins the lines of a record that was printed as JSON over several lines, so that it is read as one structured line. Pure. */

/** Lines of one record. */
const MAX_LINES = 60;

export interface PlacedLine {
  readonly text: string;
  /** The place of its first line among those given. */
  readonly index: number;
}

/** The lines; those between "{" and "}", each alone at the beginning of a line, are one where they are JSON. */
export function withPrintedObjects(lines: readonly string[]): readonly PlacedLine[] {
  const found: PlacedLine[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const whole = lines[index]?.trimEnd() === '{' ? objectAt(lines, index) : undefined;
    found.push({ text: whole?.text ?? lines[index] ?? '', index });
    index += (whole?.count ?? 1) - 1;
  }
  return found;
}

function objectAt(
  lines: readonly string[],
  begin: number,
): { readonly text: string; readonly count: number } | undefined {
  const below = lines.slice(begin + 1, begin + 1 + MAX_LINES);
  const end = below.findIndex((line) => /^[^\s]/.test(line));
  if (end === -1 || below[end]?.trimEnd() !== '}') return undefined;
  const text = ['{', ...below.slice(0, end + 1).map((line) => line.trim())].join(' ');
  try {
    JSON.parse(text);
    return { text, count: end + 2 };
  } catch {
    return undefined;
  }
}
