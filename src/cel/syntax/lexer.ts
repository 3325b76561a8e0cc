/** Splits an expression into tokens. Positions are counted in code points, as upstream's messages do. Pure. */
import type { Problem } from './problem.ts';

export type TokenKind = 'end' | 'ident' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'symbol';

export interface Token {
  readonly kind: TokenKind;
  /** As written; of strings and bytes with prefix and quotes. */
  readonly text: string;
  readonly at: number;
}

export interface Tokens {
  readonly tokens: readonly Token[];
  readonly problems: readonly Problem[];
}

const SYMBOLS = ['==', '!=', '<=', '>=', '&&', '||'];
const SINGLE = '<>!?:.,+-*/%()[]{}=';
const NUMBER = /(?:0x[0-9a-fA-F]+[uU]?|\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?|\d+[uU]?)/y;
const IDENT = /[A-Za-z_][A-Za-z0-9_]*/y;
const STRING_START = /(?:[bB][rR]?|[rR][bB]?)?(?:"""|'''|"|')/y;
const BLANK = /(?:[ \t\r\n\f]+|\/\/[^\n]*)/y;

export function tokenize(source: string): Tokens {
  const tokens: Token[] = [];
  const problems: Problem[] = [];
  let index = 0;
  let at = 0;
  const advance = (text: string): void => {
    index += text.length;
    at += countCodePoints(text);
  };
  while (index < source.length) {
    const blank = matchAt(BLANK, source, index);
    if (blank !== undefined) {
      advance(blank);
      continue;
    }
    const token = tokenAt(source, index);
    if (token === undefined) {
      const text = badText(source, index);
      problems.push({ at, message: `Syntax error: token recognition error at: '${shown(text)}'` });
      advance(text);
      continue;
    }
    tokens.push({ ...token, at });
    advance(token.text);
  }
  tokens.push({ kind: 'end', text: '<EOF>', at });
  return { tokens, problems };
}

function tokenAt(source: string, index: number): { readonly kind: TokenKind; readonly text: string } | undefined {
  const opening = matchAt(STRING_START, source, index);
  if (opening !== undefined) return stringAt(source, index, opening);
  const ident = matchAt(IDENT, source, index);
  if (ident !== undefined) return { kind: 'ident', text: ident };
  const number = matchAt(NUMBER, source, index);
  if (number !== undefined) return { kind: kindOfNumber(number), text: number };
  const two = source.slice(index, index + 2);
  if (SYMBOLS.includes(two)) return { kind: 'symbol', text: two };
  const one = source[index] ?? '';
  if (one !== '=' && SINGLE.includes(one)) return { kind: 'symbol', text: one };
  return undefined;
}

function kindOfNumber(text: string): TokenKind {
  if (/[uU]$/.test(text)) return 'uint';
  return text.startsWith('0x') || /^\d+$/.test(text) ? 'int' : 'double';
}

const ESCAPE = /\\(?:[abfnrtv"'`?\\]|x[0-9a-fA-F]{2}|X[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})/y;

function stringAt(
  source: string,
  index: number,
  opening: string,
): { readonly kind: TokenKind; readonly text: string } | undefined {
  const quote = /["']+$/.exec(opening)?.[0] ?? '';
  const prefix = opening.slice(0, opening.length - quote.length).toLowerCase();
  const raw = prefix.includes('r');
  let here = index + opening.length;
  while (here < source.length) {
    if (source.startsWith(quote, here)) {
      const text = source.slice(index, here + quote.length);
      return { kind: prefix.includes('b') ? 'bytes' : 'string', text };
    }
    const character = source[here] ?? '';
    if (quote.length === 1 && (character === '\n' || character === '\r')) return undefined;
    if (character === '\\' && !raw) {
      const escape = matchAt(ESCAPE, source, here);
      if (escape === undefined) return undefined;
      here += escape.length;
    } else here += 1;
  }
  return undefined;
}

/** What is skipped after a place where no token begins: up to the mistake within a string, else one character. */
function badText(source: string, index: number): string {
  const opening = matchAt(STRING_START, source, index);
  if (opening === undefined) return String.fromCodePoint(source.codePointAt(index) ?? 0);
  const lineEnd = source.indexOf('\n', index);
  return source.slice(index, lineEnd === -1 ? source.length : Math.max(lineEnd, index + 1));
}

function shown(text: string): string {
  return text.replaceAll('\n', String.raw`\n`).replaceAll('\t', String.raw`\t`).replaceAll('\r', String.raw`\r`);
}

function matchAt(pattern: RegExp, source: string, index: number): string | undefined {
  pattern.lastIndex = index;
  return pattern.exec(source)?.[0];
}

/** The length of a text as users count it: surrogate pairs are one. */
export function countCodePoints(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length - 1; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xd800 && unit < 0xdc00) {
      const next = text.charCodeAt(index + 1);
      if (next >= 0xdc00 && next < 0xe000) {
        count -= 1;
        index += 1;
      }
    }
  }
  return count;
}
