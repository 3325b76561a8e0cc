/** Finds lines that go on with the message of the line above them, and are no words of their own. Pure. */
import type { RoledLine } from './traces.ts';
import { isAccess, isBad, isClosing, isConsequence } from './grammar/index.ts';

/** "Execution error (FileNotFoundException) at a.B/c (B.java:1)." */
export const ERROR_AT = /^[A-Z]\w{1,30} error\b.{0,200}\(\S{1,200}:-?\d+(?::\d+)?\)\.$/;

/** Lines of one message. */
const MAX_LINES = 12;

/**
 * The lines; one that goes on with a message is marked: between an error's class and its frames, indented below an
 * error, or without a time below an error that has one.
 */
export function withContinuations(roled: readonly RoledLine[]): readonly RoledLine[] {
  const parts = new Set<number>();
  for (const position of roled.keys()) {
    if (parts.has(position)) continue;
    const count = Math.max(messageBeforeFrames(roled, position), below(roled, position));
    for (let each = position + 1; each <= position + count; each += 1) parts.add(each);
  }
  if (parts.size === 0) return roled;
  return roled.map((line, position): RoledLine => (parts.has(position) ? { ...line, part: true } : line));
}

/** How many lines of a message stand between an error and its first frame; 0 when no frame comes. */
function messageBeforeFrames(roled: readonly RoledLine[], position: number): number {
  const { role } = roled[position] ?? {};
  if (role !== 'head' && role !== 'cause') return 0;
  for (let count = 0; count <= MAX_LINES; count += 1) {
    const next = roled[position + 1 + count];
    if (next?.role === 'frame') return /^(?:at |from |#\d|in )/.test(next.said) ? count : 0;
    if (next === undefined || next.role !== 'line' || !isUnlogged(next)) return 0;
  }
  return 0;
}

/** Symfony's console prints the place of an error above its message: "In JsonFile.php line 347:". */
const PHP_PLACE = /^In \S{1,200}\.php line \d+:$/;

function indentedBelow(roled: readonly RoledLine[], position: number): number {
  const below = roled.slice(position + 1, position + 1 + MAX_LINES);
  const end = below.findIndex(({ indent, atMs }) => indent === 0 || atMs !== undefined);
  return end === -1 ? below.length : end;
}

/** How many lines below an error go on with it. */
function below(roled: readonly RoledLine[], position: number): number {
  const line = roled[position];
  if (line === undefined || (line.role !== 'line' && line.role !== 'head')) return 0;
  if (PHP_PLACE.test(roled[position - 1]?.said ?? '')) return indentedBelow(roled, position);
  if (line.indent > 0) return 0;
  if (ERROR_AT.test(line.said)) return roled[position + 1]?.role === 'line' ? 1 : 0;
  const isError = line.level === 'error' || line.level === 'fatal';
  const after = roled[position + 1];
  // Most lines have nothing below them that could belong to them: they are spared the words of failure.
  if (after === undefined || after.role !== 'line' || after.atMs !== undefined || isAccess(after.text)) return 0;
  if (!isError && (after.indent === 0 || !isBad(line.text))) return 0;
  let count = 0;
  for (let next = roled[position + 1]; next !== undefined && count < MAX_LINES; next = roled[position + 1 + count]) {
    if (next.role !== 'line' || next.atMs !== undefined || isAccess(next.text)) break;
    const isIndented = next.indent > 0 && (next.level === undefined || next.said !== next.text);
    const isUnstamped = isError && line.atMs !== undefined && isUnlogged(next) && next.unfolded !== true;
    if (!isIndented && !(isUnstamped && !isClosing(next.text) && !isConsequence(next.text))) break;
    count += 1;
  }
  return count;
}

/** "Message: …" begins with a word of a level, but no logger wrote it. */
function isUnlogged({ level, atMs, said, text }: RoledLine): boolean {
  return (level === undefined || (level === 'info' && said !== text)) && atMs === undefined;
}

/** Lines that are told with the first. */
const TOLD_LINES = 5;
const TOLD_CHARACTERS = 280;

/** "/app/main.c:3:5: error: …": below it stands the code. */
const HAS_PLACE = /^\S{1,300}:\d+(?:[:.]\d+)?: /;

/** "Potential solutions:" */
const ADVICE_TITLE = /^(?:potential|possible|suggested) (?:solutions?|causes?|fix(?:es)?):$/i;

/** A message with its parts, in words of failure first when it is long; undefined when there are none. */
export function toldWithParts(roled: readonly RoledLine[], position: number): string | undefined {
  const line = roled[position];
  if (line === undefined || HAS_PLACE.test(line.said)) return undefined;
  const end = roled.findIndex(({ part }, place) => place > position && part !== true);
  const all = roled.slice(position + 1, end === -1 ? roled.length : end);
  const advice = all.findIndex(({ text }) => ADVICE_TITLE.test(text));
  const parts = (advice === -1 ? all : all.slice(0, advice)).filter(({ text }) => /\w/.test(text));
  if (parts.length === 0) return undefined;
  const isLong = parts.length > TOLD_LINES || parts.reduce((sum, { said }) => sum + said.length, 0) > TOLD_CHARACTERS;
  const bad = isLong ? parts.filter(({ text }) => isBad(text)) : [];
  // The first line below says what it is about.
  const told = (bad.length > 0 ? [...new Set([...parts.slice(0, 1), ...bad])] : parts).slice(0, TOLD_LINES);
  return [line, ...told].map(({ said }) => said).join(' ');
}
