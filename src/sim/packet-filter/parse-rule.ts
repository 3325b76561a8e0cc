/** Parses a rule of nft. Strict: a word that our router does not write is an error. Pure. */
import type { Expression, Field, Right, Rule, Step, Verdict } from './nft-syntax.ts';
import type { Words } from './nft-words.ts';

const FIELDS: readonly Field[] = [
  'ip saddr',
  'ip daddr',
  'meta l4proto',
  'meta mark',
  'th dport',
  'fib saddr type',
  'fib daddr type',
  'ct state',
  'ct status',
  'ct direction',
  'ct reply ip saddr',
  'iifname',
];

/** Up to the end of its line, its semicolon or the end of its block. */
export function parseRule(words: Words): Rule {
  const steps: Step[] = [];
  const mark = words.mark;
  while (!words.isAtEnd && !['\n', ';', '}'].includes(words.peek())) steps.push(parseStep(words));
  if (steps.length === 0) throw words.unknown('an empty rule');
  return { text: words.since(mark), steps };
}

export function parseVerdict(words: Words): Verdict {
  const word = words.next();
  if (word === 'goto' || word === 'jump') return { does: word, chain: words.next() };
  if (word === 'drop' || word === 'accept' || word === 'return') return { does: word };
  throw words.unknown(`"${word}" is no verdict`);
}

/** `{ a, b : c }`; the value is '' where there is none. */
export function parseList(words: Words): readonly (readonly [string, string])[] {
  words.need('{');
  const found: (readonly [string, string])[] = [];
  while (!words.take('}')) {
    const key = partOf(words);
    found.push([key, words.take(':') ? partOf(words) : '']);
    if (words.peek() !== '}') words.need(',');
  }
  return found;
}

function partOf(words: Words): string {
  const parts: string[] = [];
  while (![':', ',', '}', ''].includes(words.peek())) parts.push(words.next());
  if (parts.length === 0) throw words.unknown('an empty element');
  return parts.join(' ');
}

function parseStep(words: Words): Step {
  switch (words.peek()) {
    case 'goto':
    case 'jump':
    case 'drop':
    case 'accept':
    case 'return':
      return parseVerdict(words);
    case 'reject':
      words.need('reject');
      words.take('with', 'tcp', 'reset');
      return { does: 'reject' };
    case 'masquerade':
      words.need('masquerade');
      words.take('fully-random');
      return { does: 'masquerade' };
    case 'dnat':
      return parseDnat(words);
    case 'update':
      return parseUpdate(words);
    default:
      return words.take('meta', 'mark', 'set') ? parseMark(words) : parseMatch(words);
  }
}

function parseMark(words: Words): Step {
  const expression = parseExpression(words);
  if (expression.is !== 'mark') throw words.unknown('the whole mark is set, with the bits of others');
  return { does: 'mark', operator: expression.operator, bits: expression.bits };
}

function parseUpdate(words: Words): Step {
  words.need('update');
  const set = setName(words);
  words.need('{');
  const field = parseField(words);
  words.need('}');
  return { does: 'update', set, field };
}

function parseDnat(words: Words): Step {
  words.need('dnat', 'ip', 'to');
  if (/^\d+\.\d+\.\d+\.\d+:\d+$/.test(words.peek())) return { does: 'dnat', to: words.next() };
  const left = parseExpression(words);
  words.need('map');
  return { does: 'dnat', to: { left, map: setName(words) } };
}

function parseMatch(words: Words): Step {
  const left = parseExpression(words);
  if (words.take('vmap')) {
    if (words.peek().startsWith('@')) return { does: 'vmap', left, map: setName(words) };
    return { does: 'vmap', left, map: literalVerdicts(words) };
  }
  const isEqual = !words.take('!=');
  return { does: 'match', left, isEqual, right: parseRight(words) };
}

function literalVerdicts(words: Words): ReadonlyMap<string, Verdict> {
  words.need('{');
  const found = new Map<string, Verdict>();
  while (!words.take('}')) {
    const key = String(words.number());
    words.need(':');
    found.set(key, parseVerdict(words));
    if (words.peek() !== '}') words.need(',');
  }
  return found;
}

function parseRight(words: Words): Right {
  if (words.peek().startsWith('@')) return { is: 'set', set: setName(words) };
  if (words.peek() === '{') return { is: 'list', values: parseList(words).map(([key]) => key) };
  const value = words.next();
  if (!/^(?:"[^"]+"|[a-z0-9][a-z0-9./]*)$/.test(value)) throw words.unknown(`"${value}" is no value`);
  return { is: 'list', values: [value.replaceAll('"', '')] };
}

function parseExpression(words: Words): Expression {
  if (words.take('numgen', 'random', 'mod')) return { is: 'random', modulo: words.number() };
  const fields = [parseField(words)];
  while (words.take('.')) fields.push(parseField(words));
  const operator = words.peek();
  if (operator !== 'and' && operator !== 'or') return { is: 'fields', fields };
  if (fields.join(' . ') !== 'meta mark') throw words.unknown('only the mark has bits');
  words.next();
  return { is: 'mark', operator, bits: words.number() };
}

function parseField(words: Words): Field {
  const found = FIELDS.find((field) => words.take(...field.split(' ')));
  if (found === undefined) throw words.unknown('no field of a packet');
  return found;
}

function setName(words: Words): string {
  const word = words.next();
  if (!/^@[a-z0-9.-]+$/.test(word)) throw words.unknown(`"${word}" names no set`);
  return word.slice(1);
}
