/** Reads numbers, strings and bytes as they are written in expressions. Pure. */
import { joinBytes, utf8 } from '../values/bytes.ts';
import { MAX_INT, MAX_UINT, Uint, type Value } from '../values/value.ts';
import type { Token } from './lexer.ts';

/** The value of a literal's token, or the message that says what is wrong with it. */
export function readLiteral(token: Token, negative = false): { readonly value: Value } | { readonly message: string } {
  switch (token.kind) {
    case 'int':
      return readInt(token.text, negative);
    case 'uint':
      return readUint(token.text.slice(0, -1));
    case 'double': {
      const value = Number(token.text);
      if (!Number.isFinite(value)) return { message: 'invalid double literal' };
      return { value: negative ? -value : value };
    }
    case 'string':
      return readString(token.text);
    default:
      return readBytes(token.text);
  }
}

function readInt(text: string, negative: boolean): { readonly value: Value } | { readonly message: string } {
  // The length is looked at first: reading thousands of digits takes time by their square.
  const magnitude = text.length > 40 ? MAX_UINT : BigInt(text);
  const value = negative ? -magnitude : magnitude;
  return value > MAX_INT || value < -MAX_INT - 1n ? { message: 'invalid int literal' } : { value };
}

function readUint(text: string): { readonly value: Value } | { readonly message: string } {
  const value = text.length > 40 ? MAX_UINT + 1n : BigInt(text);
  return value > MAX_UINT ? { message: 'invalid uint literal' } : { value: new Uint(value) };
}

interface Quoted {
  readonly body: string;
  readonly raw: boolean;
}

function unquote(text: string): Quoted {
  const quote = /^[a-zA-Z]*("""|'''|"|')/.exec(text) ?? ['', ''];
  const head = quote[0].length;
  const tail = (quote[1] ?? '').length;
  const body = text
    .slice(head, text.length - tail)
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '\n');
  return { body, raw: /[rR]/.test(text.slice(0, head - tail)) };
}

const ESCAPES = /\\(?:([abfnrtv"'`?\\])|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2}))/g;
const NAMED: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

function readString(text: string): { readonly value: Value } | { readonly message: string } {
  const { body, raw } = unquote(text);
  if (raw || !body.includes('\\')) return { value: body };
  let isWrong = false;
  const value = body.replace(ESCAPES, (_, named: string | undefined, ...codes: (string | undefined)[]) => {
    if (named !== undefined) return NAMED[named] ?? named;
    const [byte, short, long, octal] = codes;
    const code = octal === undefined ? Number.parseInt(byte ?? short ?? long ?? '', 16) : Number.parseInt(octal, 8);
    if (code > 0x10_ff_ff || (code >= 0xd800 && code < 0xe000)) {
      isWrong = true;
      return '';
    }
    return String.fromCodePoint(code);
  });
  return isWrong ? { message: 'invalid unicode code point' } : { value };
}

function readBytes(text: string): { readonly value: Value } | { readonly message: string } {
  const { body, raw } = unquote(text);
  if (raw || !body.includes('\\')) return { value: utf8(body) };
  const parts: Uint8Array[] = [];
  let last = 0;
  for (const match of body.matchAll(ESCAPES)) {
    const [whole, named, byte, short, long, octal] = match;
    if (short !== undefined || long !== undefined) return { message: 'unable to unescape string' };
    parts.push(utf8(body.slice(last, match.index)));
    const code = octal === undefined ? Number.parseInt(byte ?? '0', 16) : Number.parseInt(octal, 8);
    parts.push(named === undefined ? Uint8Array.of(code) : utf8(NAMED[named] ?? named));
    last = match.index + whole.length;
  }
  parts.push(utf8(body.slice(last)));
  return { value: joinBytes(parts) };
}
