/**
 * JSONPath as printer columns and kubectl write it (upstream: client-go/util/jsonpath), as far as it reads values: fields, quoted
 * fields, indexes, slices, wildcards, filters with one comparison, and recursive descent. Pure.
 */

type Step =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'all' }
  | { readonly kind: 'deep' }
  | {
      readonly kind: 'slice';
      readonly from: number | undefined;
      readonly to: number | undefined;
      readonly step: number;
    }
  | { readonly kind: 'filter'; readonly left: readonly Step[]; readonly test: Test | undefined };

interface Test {
  readonly operator: string;
  readonly right: { readonly value: unknown } | { readonly path: readonly Step[] };
}

/** A path that was understood. */
export type JsonPath = readonly Step[];

export class JsonPathError extends Error {
  override readonly name = 'JsonPathError';
}

/** Longest path, and most values that one may find. */
const MAX_LENGTH = 2048;
const MAX_FOUND = 1000;

/** Parses ".spec.a[0]['b.c']", with or without braces around it. Throws `JsonPathError`. */
export function parseJsonPath(text: string): JsonPath {
  if (text.length > MAX_LENGTH) throw new JsonPathError(`a path may not be longer than ${MAX_LENGTH} characters`);
  const bare = text.startsWith('{') && text.endsWith('}') ? text.slice(1, -1) : text;
  const reader = new Reader(bare);
  const steps = reader.path();
  if (!reader.isAtEnd) throw new JsonPathError(`unrecognized character in action: ${JSON.stringify(reader.rest)}`);
  return steps;
}

/** Every value that the path leads to, in order; none where it leads nowhere. */
export function findByPath(path: JsonPath, value: unknown): readonly unknown[] {
  return walk(path, [value], value);
}

/** The fields of a path that leads straight to one value (".spec.replicas"); undefined for any other. */
export function plainPath(path: JsonPath): readonly string[] | undefined {
  const names: string[] = [];
  for (const step of path) {
    if (step.kind !== 'field') return undefined;
    names.push(step.name);
  }
  return names;
}

function walk(path: JsonPath, start: readonly unknown[], root: unknown): readonly unknown[] {
  let found = start;
  for (const step of path) {
    found = found.flatMap((value) => take(step, value, root)).slice(0, MAX_FOUND);
    if (found.length === 0) break;
  }
  return found;
}

function take(step: Step, value: unknown, root: unknown): readonly unknown[] {
  switch (step.kind) {
    case 'field': {
      if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, step.name))
        return [];
      return [(value as Record<string, unknown>)[step.name]];
    }
    case 'all':
      return membersOf(value);
    case 'deep':
      return descendants(value);
    case 'slice':
      return Array.isArray(value) ? sliceOf(value, step) : [];
    case 'filter':
      return (Array.isArray(value) ? value : []).filter((item) => passes(step, item, root));
  }
}

function membersOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

function descendants(value: unknown): readonly unknown[] {
  const found: unknown[] = [];
  const waiting = [value];
  while (waiting.length > 0 && found.length < MAX_FOUND) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null) continue;
    found.push(next);
    waiting.push(...membersOf(next).toReversed());
  }
  return found;
}

function sliceOf(
  list: readonly unknown[],
  { from, to, step }: { readonly from: number | undefined; readonly to: number | undefined; readonly step: number },
): readonly unknown[] {
  const at = (index: number): number => (index < 0 ? index + list.length : index);
  const end = to === undefined ? list.length : Math.min(at(to), list.length);
  const found: unknown[] = [];
  for (let index = Math.max(0, at(from ?? 0)); index < end; index += step) found.push(list[index]);
  return found;
}

function passes({ left, test }: Extract<Step, { kind: 'filter' }>, item: unknown, root: unknown): boolean {
  const [found] = walk(left, [item], root);
  if (test === undefined) return found !== undefined;
  if (found === undefined) return false;
  const right = 'value' in test.right ? test.right.value : walk(test.right.path, [item], root)[0];
  return compare(found, test.operator, right);
}

function compare(left: unknown, operator: string, right: unknown): boolean {
  if (operator === '==') return left === right;
  if (operator === '!=') return left !== right;
  const comparable =
    (typeof left === 'number' && typeof right === 'number') || (typeof left === 'string' && typeof right === 'string');
  if (!comparable) return false;
  switch (operator) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    default:
      return left >= right;
  }
}

/** Reads a path from left to right. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  get rest(): string {
    return this.#text.slice(this.#at);
  }

  path(): Step[] {
    const steps: Step[] = [];
    if (this.#skip('$') || this.#skip('@')) if (this.isAtEnd) return steps;
    for (;;) {
      if (this.#skip('..')) {
        steps.push({ kind: 'deep' });
        if (!this.rest.startsWith('[')) steps.push(this.#name());
      } else if (this.#skip('.')) {
        // A dot before a bracket, or alone, names nothing.
        if (!this.isAtEnd && !this.rest.startsWith('[')) steps.push(this.#name());
      } else if (this.#skip('[')) steps.push(this.#bracket());
      else return steps;
    }
  }

  #name(): Step {
    if (this.#skip('*')) return { kind: 'all' };
    const match = /^(?:\\.|[^.[\](){}|\s,=<>!&'"?@$*:])+/.exec(this.rest);
    if (match === null) throw new JsonPathError(`unexpected path: ${JSON.stringify(this.#text)}`);
    this.#at += match[0].length;
    return { kind: 'field', name: match[0].replaceAll(/\\(.)/g, '$1') };
  }

  #bracket(): Step {
    if (this.#skip('*]')) return { kind: 'all' };
    if (this.#skip('?(')) return this.#filter();
    const quoted = /^(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)")\]/.exec(this.rest);
    if (quoted !== null) {
      this.#at += quoted[0].length;
      return { kind: 'field', name: (quoted[1] ?? quoted[2] ?? '').replaceAll(/\\(.)/g, '$1') };
    }
    const slice = /^(-?\d+)?(?:(:)(-?\d+)?(?::(\d+))?)?\]/.exec(this.rest);
    if (slice === null || slice[0] === ']') throw new JsonPathError(`invalid array index ${this.rest}`);
    this.#at += slice[0].length;
    const from = slice[1] === undefined ? undefined : Number(slice[1]);
    if (slice[2] === undefined && from !== undefined)
      return { kind: 'slice', from, to: from === -1 ? undefined : from + 1, step: 1 };
    const to = slice[3] === undefined ? undefined : Number(slice[3]);
    const step = Number(slice[4] ?? 1);
    if (step < 1) throw new JsonPathError('step must be > 0');
    return { kind: 'slice', from, to, step };
  }

  #filter(): Step {
    this.#space();
    const left = this.path();
    this.#space();
    const operator = /^(?:==|!=|<=|>=|<|>)/.exec(this.rest)?.[0];
    if (operator !== undefined) this.#at += operator.length;
    this.#space();
    const right = operator === undefined ? undefined : this.#operand();
    this.#space();
    if (!this.#skip(')]')) throw new JsonPathError('unterminated filter');
    return {
      kind: 'filter',
      left,
      test: operator === undefined || right === undefined ? undefined : { operator, right },
    };
  }

  #operand(): Test['right'] {
    if (this.rest.startsWith('@') || this.rest.startsWith('$')) return { path: this.path() };
    const match = /^(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|(-?\d+(?:\.\d+)?)|(true|false))/.exec(this.rest);
    if (match === null) throw new JsonPathError(`unexpected value in a filter: ${this.rest}`);
    this.#at += match[0].length;
    if (match[3] !== undefined) return { value: Number(match[3]) };
    if (match[4] !== undefined) return { value: match[4] === 'true' };
    return { value: (match[1] ?? match[2] ?? '').replaceAll(/\\(.)/g, '$1') };
  }

  #space(): void {
    while (this.#text[this.#at] === ' ') this.#at++;
  }

  #skip(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }
}
