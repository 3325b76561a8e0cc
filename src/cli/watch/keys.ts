/** What keys mean. Pure. */

export type Key =
  | 'up'
  | 'down'
  | 'page-up'
  | 'page-down'
  | 'home'
  | 'end'
  | 'enter'
  | 'back'
  | { readonly letter: string };

const SEQUENCES: Readonly<Record<string, Key>> = {
  '\u001B[A': 'up',
  '\u001BOA': 'up',
  '\u001B[B': 'down',
  '\u001BOB': 'down',
  '\u001B[5~': 'page-up',
  '\u001B[6~': 'page-down',
  '\u001B[H': 'home',
  '\u001B[1~': 'home',
  '\u001B[F': 'end',
  '\u001B[4~': 'end',
  '\r': 'enter',
  '\n': 'enter',
  '\u001B': 'back',
  '\u007F': 'back',
  '\b': 'back',
};

const ESCAPE = '\u001B';

/** Terminals send the keys of one moment together, and some keys as several characters. Unknown sequences mean nothing. */
export function keysOf(typed: string): readonly Key[] {
  const keys: Key[] = [];
  for (let at = 0; at < typed.length; ) {
    const sequence = sequenceAt(typed, at);
    const key = SEQUENCES[sequence];
    if (key !== undefined) keys.push(key);
    else if (!sequence.startsWith(ESCAPE) && sequence >= ' ') keys.push({ letter: sequence });
    at += sequence.length;
  }
  return keys;
}

function sequenceAt(typed: string, at: number): string {
  if (typed[at] !== ESCAPE) return String.fromCodePoint(typed.codePointAt(at) ?? 0);
  // ESC [ parameters letter, or ESC O letter; ESC alone is the key of that name.
  let end = at + 1;
  if (typed[end] !== '[' && typed[end] !== 'O') return ESCAPE;
  do end += 1;
  while (end < typed.length && !/[A-Za-z~]/.test(typed[end] ?? ''));
  return typed.slice(at, end + 1);
}
