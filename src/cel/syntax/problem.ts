/** What is wrong with an expression, and how upstream prints it. Pure. */

/** A mistake in an expression's source. */
export interface Problem {
  /** Code points from the start of the source. */
  readonly at: number;
  readonly message: string;
}

/** Problems that one expression may report; more help nobody. */
export const MAX_PROBLEMS = 100;

/** Upstream shows no line that is longer. */
const MAX_SNIPPET = 16_384;
/** Once a text is as long, what else is wrong is told without its line. */
const MAX_TEXT = 64 * 1024;

/** The problems as upstream's compiler prints them, each with its line and a mark below its place, in the order of their places. */
export function formatProblems(source: string, problems: readonly Problem[]): string {
  const lines = source.split('\n').map((line) => Array.from(line));
  const sorted = problems.slice(0, MAX_PROBLEMS).toSorted((one, other) => one.at - other.at);
  let text = '';
  for (const problem of sorted) {
    const next = formatProblem(lines, problem, text.length < MAX_TEXT);
    text = text === '' ? next : `${text}\n${next}`;
  }
  return text;
}

function formatProblem(lines: readonly (readonly string[])[], { at, message }: Problem, showsLine: boolean): string {
  let row = 0;
  let column = at;
  while (row < lines.length - 1 && column > (lines[row]?.length ?? 0)) {
    column -= (lines[row]?.length ?? 0) + 1;
    row += 1;
  }
  const line = lines[row] ?? [];
  const head = `ERROR: <input>:${row + 1}:${column + 1}: ${message}`;
  if (!showsLine || line.length > MAX_SNIPPET) return head;
  const marks = line
    .slice(0, column)
    .map((character) => (isWide(character) ? '．' : '.'))
    .join('');
  const mark = isWide(line[column] ?? '') ? '＾' : '^';
  const shown = line.join('').replaceAll('\t', ' ');
  return `${head}\n | ${shown}\n | ${marks}${mark}`;
}

function isWide(character: string): boolean {
  return (character.codePointAt(0) ?? 0) >= 0x80;
}
