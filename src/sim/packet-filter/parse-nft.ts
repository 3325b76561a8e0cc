/** Parses what our router gives to `nft -f -`. Strict: a word that it does not write is an error. Pure. */
import type { Command, Hook, SetWish } from './nft-syntax.ts';
import { Words } from './nft-words.ts';
import { parseList, parseRule } from './parse-rule.ts';

/** @throws UnknownWord */
export function parseNft(text: string): readonly Command[] {
  const words = new Words(text);
  const out: Command[] = [];
  for (;;) {
    words.skipEnds();
    if (words.isAtEnd) return out;
    if (words.peek() === 'table') out.push(...parseTable(words));
    else out.push(parseCommand(words));
    if (!words.isAtEnd && !['\n', ';'].includes(words.peek())) throw words.unknown('more than a statement');
  }
}

function parseCommand(words: Words): Command {
  const verb = words.next();
  const what = words.next();
  words.need('ip');
  const table = nameIn(words);
  switch (`${verb} ${what}`) {
    case 'add table':
      return { verb: 'add', what: 'table', table };
    case 'delete table':
      return { verb: 'delete', what: 'table', table };
    case 'add map':
    case 'add set':
      return { verb: 'add', what: 'set', table, name: nameIn(words), wish: parseSet(words, what === 'map').wish };
    case 'delete set':
      return { verb: 'delete', what: 'set', table, name: nameIn(words) };
    case 'add chain':
      return { verb: 'add', what: 'chain', table, name: nameIn(words), hook: undefined };
    case 'flush chain':
      return { verb: 'flush', what: 'chain', table, name: nameIn(words) };
    case 'delete chain':
      return { verb: 'delete', what: 'chain', table, name: nameIn(words) };
    case 'add rule':
      return { verb: 'add', what: 'rule', table, name: nameIn(words), rule: parseRule(words) };
    case 'add element':
      return { verb: 'add', what: 'element', table, name: nameIn(words), elements: parseList(words) };
    case 'delete element':
      return { verb: 'delete', what: 'element', table, name: nameIn(words), elements: parseList(words) };
    default:
      throw words.unknown(`"${verb} ${what}" is no command of ours`);
  }
}

/** A block of a table: its maps, sets and chains come first, then its rules and elements, as nft orders them itself. */
function parseTable(words: Words): readonly Command[] {
  words.need('table', 'ip');
  const table = nameIn(words);
  words.need('{');
  const made: Command[] = [{ verb: 'add', what: 'table', table }];
  const filled: Command[] = [];
  for (words.skipEnds(); !words.take('}'); words.skipEnds()) {
    const what = words.next();
    const name = nameIn(words);
    if (what === 'map' || what === 'set') {
      const { wish, elements } = parseSet(words, what === 'map');
      made.push({ verb: 'add', what: 'set', table, name, wish });
      if (elements.length > 0) filled.push({ verb: 'add', what: 'element', table, name, elements });
    } else if (what === 'chain') {
      words.need('{');
      words.skipEnds();
      made.push({ verb: 'add', what: 'chain', table, name, hook: parseHook(words) });
      for (words.skipEnds(); !words.take('}'); words.skipEnds()) {
        filled.push({ verb: 'add', what: 'rule', table, name, rule: parseRule(words) });
      }
    } else {
      throw words.unknown(`"${what}" in a table`);
    }
  }
  return [...made, ...filled];
}

function parseHook(words: Words): Hook | undefined {
  if (!words.take('type')) return undefined;
  const type = words.next();
  words.need('hook');
  const hook = words.next();
  words.need('priority');
  const priority = words.number();
  if (type !== 'nat' && type !== 'filter') throw words.unknown(`a chain of type "${type}"`);
  if (hook !== 'prerouting' && hook !== 'output' && hook !== 'forward' && hook !== 'postrouting') {
    throw words.unknown(`the hook "${hook}"`);
  }
  return { type, hook, priority };
}

interface ParsedSet {
  readonly wish: SetWish;
  readonly elements: readonly (readonly [string, string])[];
}

function parseSet(words: Words, isMap: boolean): ParsedSet {
  words.need('{', 'type');
  const key = typeName(words);
  let value: string | undefined;
  if (isMap) {
    words.need(':');
    value = typeName(words);
  }
  let isInterval = false;
  let timeoutSeconds: number | undefined;
  let elements: ParsedSet['elements'] = [];
  for (words.skipEnds(); !words.take('}'); words.skipEnds()) {
    const property = words.next();
    if (property === 'flags') {
      do {
        const flag = words.next();
        if (flag === 'interval') isInterval = true;
        else if (flag !== 'dynamic' && flag !== 'timeout') throw words.unknown(`the flag "${flag}"`);
      } while (words.take(','));
    } else if (property === 'timeout') {
      timeoutSeconds = Number(/^(\d+)s$/.exec(words.next())?.[1]);
      if (Number.isNaN(timeoutSeconds)) throw words.unknown('a time-out in seconds');
    } else if (property === 'size') {
      words.number();
    } else if (property === 'elements') {
      words.need('=');
      elements = parseList(words);
    } else {
      throw words.unknown(`"${property}" of a set`);
    }
  }
  return { wish: { key: key.split(' . '), value, isInterval, timeoutSeconds }, elements };
}

function typeName(words: Words): string {
  const parts: string[] = [];
  while (![':', ';', '}', ''].includes(words.peek())) parts.push(words.next());
  return parts.join(' ');
}

function nameIn(words: Words): string {
  const name = words.next();
  if (!/^[a-z0-9.-]+$/i.test(name)) throw words.unknown(`"${name}" is no name`);
  return name;
}
