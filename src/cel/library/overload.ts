/** Functions as rows of a table: a signature in words of the language, and what it does. Pure. */
import {
  BOOL,
  BYTES,
  type CelType,
  CIDR_TYPE,
  DOUBLE,
  DURATION,
  DYN,
  FORMAT_TYPE,
  INT,
  IP_TYPE,
  listOf,
  mapOf,
  NULL,
  opaque,
  optionalOf,
  QUANTITY,
  SEMVER_TYPE,
  STRING,
  TIMESTAMP,
  UINT,
  URL_TYPE,
} from '../types/type.ts';
import { type CelError, isMap, isOpaque, kindOf, type Value } from '../values/value.ts';

/** The arguments, with a method's target first; they are of the types of the signature, and never errors. */
export type Implementation = (...args: readonly never[]) => Value | CelError;

/** One way to call a function. */
export interface Overload {
  /** Upstream's name for it; costs are told by it. */
  readonly id: string;
  readonly fn: string;
  readonly isMethod: boolean;
  /** With a method's target first. */
  readonly params: readonly CelType[];
  readonly result: CelType;
  readonly run: (...args: readonly Value[]) => Value | CelError;
}

/**
 * A row: `id`, the signature (`size(string): int`, or `<string>.startsWith(string): bool` for a method; a single capital letter is a type
 * parameter) and the implementation.
 */
export function overload(id: string, signature: string, run: Implementation): Overload {
  const match = /^(?:<(.+?)>\.)?(\S+?)\((.*)\): (.+)$/.exec(signature);
  if (match === null) throw new Error(`no signature: ${signature}`);
  const [, target, fn = '', params = '', result = ''] = match;
  const types = splitTypes(params).map(typeOf);
  return {
    id,
    fn,
    isMethod: target !== undefined,
    params: target === undefined ? types : [typeOf(target), ...types],
    result: typeOf(result),
    run: run as unknown as Overload['run'],
  };
}

const NAMED: Readonly<Record<string, CelType>> = {
  bool: BOOL,
  bytes: BYTES,
  double: DOUBLE,
  duration: DURATION,
  dyn: DYN,
  int: INT,
  null: NULL,
  string: STRING,
  timestamp: TIMESTAMP,
  uint: UINT,
  quantity: QUANTITY,
  url: URL_TYPE,
  ip: IP_TYPE,
  cidr: CIDR_TYPE,
  semver: SEMVER_TYPE,
  format: FORMAT_TYPE,
};

function typeOf(text: string): CelType {
  const call = /^(list|map|optional|type)\((.+)\)$/.exec(text);
  if (call === null) return namedType(text);
  const [first = DYN, second = DYN] = splitTypes(call[2] ?? '').map(typeOf);
  switch (call[1]) {
    case 'list':
      return listOf(first);
    case 'map':
      return mapOf(first, second);
    case 'optional':
      return optionalOf(first);
    default:
      return { kind: 'type', of: first };
  }
}

function namedType(text: string): CelType {
  if (/^[A-Z]$/.test(text)) return { kind: 'parameter', name: text };
  return NAMED[text] ?? opaque(text);
}

/** Splits at commas that are in no parentheses. */
function splitTypes(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index <= text.length; index++) {
    const character = text[index] ?? ',';
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character !== ',' || depth !== 0) continue;
    const part = text.slice(start, index).trim();
    if (part !== '') parts.push(part);
    start = index + 1;
  }
  return parts;
}

/** Whether a value may be given for a parameter, as far as its outer type tells (upstream's type guards look no deeper). */
export function accepts(type: CelType, value: Value): boolean {
  switch (type.kind) {
    case 'dyn':
    case 'parameter':
      return true;
    case 'object':
      return isMap(value);
    case 'opaque':
      return isOpaque(value) && value.typeName === type.name;
    default:
      return kindOf(value) === type.kind;
  }
}
