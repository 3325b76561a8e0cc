/**
 * Parses an expression by recursive descent, with upstream's precedence, limits and messages. A mistake ends the parse, and the first
 * syntax error is reported; upstream's parser goes on after some and reports consequences as well. Pure.
 */
import { type Value } from '../values/value.ts';
import type { Expr, MapEntry } from './ast.ts';
import { Builder } from './builder.ts';
import { countCodePoints, tokenize, type Token } from './lexer.ts';
import { readLiteral } from './literals.ts';
import { expandMacro, MacroError } from './macros.ts';
import type { Problem } from './problem.ts';

/** Upstream's limit of an expression's length, code points. */
export const MAX_EXPRESSION_LENGTH = 100_000;
/** Upstream's limit of nesting. */
export const MAX_NESTING = 250;
/** Operators in one chain of the same precedence (`a + b + c`), which nest to the left; `&&` and `||` are balanced and have no such limit. */
export const MAX_CHAIN = 1000;
/** Nodes of one tree, with macros written out; a bound on the checker's and the estimator's work. */
export const MAX_NODES = 100_000;

export interface Parsed {
  readonly tree?: Expr;
  readonly problems: readonly Problem[];
}

export function parse(source: string): Parsed {
  const length = countCodePoints(source);
  if (length > MAX_EXPRESSION_LENGTH) {
    const message = `expression code point size exceeds limit: size: ${length}, limit ${MAX_EXPRESSION_LENGTH}`;
    return { problems: [{ at: 0, message }] };
  }
  const { tokens, problems: lexical } = tokenize(source);
  const parser = new Parser(tokens);
  try {
    const tree = parser.whole();
    const problems = [...lexical, ...parser.problems];
    return problems.length === 0 ? { tree, problems } : { problems };
  } catch (error) {
    if (!(error instanceof SyntaxStop)) throw error;
    return { problems: [...lexical, ...parser.problems, error.problem] };
  }
}

/** Ends a parse; never leaves this file. */
class SyntaxStop extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

const RESERVED = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);
const PRIMARY =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
const RELATIONS: Readonly<Record<string, string>> = {
  '<': '_<_',
  '<=': '_<=_',
  '>': '_>_',
  '>=': '_>=_',
  '==': '_==_',
  '!=': '_!=_',
  in: '@in',
};
const SUMS: Readonly<Record<string, string>> = { '+': '_+_', '-': '_-_' };
const PRODUCTS: Readonly<Record<string, string>> = { '*': '_*_', '/': '_/_', '%': '_%_' };

class Parser {
  readonly problems: Problem[] = [];
  readonly #tokens: readonly Token[];
  readonly #build = new Builder();
  #index = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): Expr {
    const tree = this.#expression();
    if (this.#token().kind !== 'end') {
      const isLast = this.#tokens[this.#index + 1]?.kind === 'end';
      this.#stop(`${isLast ? 'extraneous' : 'mismatched'} input '${this.#token().text}' expecting <EOF>`);
    }
    return tree;
  }

  #token(): Token {
    return this.#tokens[this.#index] ?? { kind: 'end', text: '<EOF>', at: 0 };
  }

  #next(): Token {
    const token = this.#token();
    this.#index += 1;
    return token;
  }

  #is(text: string): boolean {
    const { kind, text: here } = this.#token();
    return here === text && (kind === 'symbol' || (kind === 'ident' && text === 'in'));
  }

  #take(text: string): Token | undefined {
    return this.#is(text) ? this.#next() : undefined;
  }

  #expect(text: string): Token {
    const token = this.#take(text);
    return token ?? this.#stop(`mismatched input '${this.#token().text}' expecting '${text}'`);
  }

  #stop(message: string): never {
    throw new SyntaxStop({ at: this.#token().at, message: `Syntax error: ${message}` });
  }

  #bound(): void {
    if (this.#build.count > MAX_NODES) {
      throw new SyntaxStop({ at: 0, message: `expression has more than ${MAX_NODES} parts` });
    }
  }

  #expression(): Expr {
    this.#depth += 1;
    if (this.#depth > MAX_NESTING) {
      throw new SyntaxStop({ at: 0, message: `expression recursion limit exceeded: ${MAX_NESTING}` });
    }
    const condition = this.#logical('||', '_||_', () => this.#logical('&&', '_&&_', () => this.#relation()));
    const mark = this.#take('?');
    let tree = condition;
    if (mark !== undefined) {
      const truthy = this.#logical('||', '_||_', () => this.#logical('&&', '_&&_', () => this.#relation()));
      this.#expect(':');
      tree = this.#build.call(mark.at, '_?_:_', condition, truthy, this.#expression());
    }
    this.#depth -= 1;
    this.#bound();
    return tree;
  }

  /** `&&` and `||`: a balanced tree, whose depth is the logarithm of the number of terms. */
  #logical(symbol: string, fn: string, operand: () => Expr): Expr {
    const terms = [operand()];
    const places: number[] = [];
    for (let token = this.#take(symbol); token !== undefined; token = this.#take(symbol)) {
      places.push(token.at);
      terms.push(operand());
    }
    return this.#balanced(fn, terms, places, 0, terms.length - 1);
  }

  #balanced(fn: string, terms: readonly Expr[], places: readonly number[], low: number, high: number): Expr {
    if (low === high) return terms[low] as Expr;
    const middle = Math.floor((low + high - 1) / 2);
    const left = this.#balanced(fn, terms, places, low, middle);
    const right = this.#balanced(fn, terms, places, middle + 1, high);
    return this.#build.call(places[middle] ?? 0, fn, left, right);
  }

  #chain(symbols: Readonly<Record<string, string>>, operand: () => Expr): Expr {
    let left = operand();
    for (let length = 0; ; length++) {
      const { text, kind, at } = this.#token();
      const isOperator = (kind === 'symbol' || text === 'in') && Object.hasOwn(symbols, text);
      if (!isOperator) return left;
      if (length >= MAX_CHAIN) this.#tooDeep();
      this.#index += 1;
      left = this.#build.call(at, symbols[text] ?? '', left, operand());
    }
  }

  #tooDeep(): never {
    throw new SyntaxStop({ at: 0, message: `expression recursion limit exceeded: ${MAX_CHAIN}` });
  }

  #relation(): Expr {
    return this.#chain(RELATIONS, () => this.#chain(SUMS, () => this.#chain(PRODUCTS, () => this.#unary())));
  }

  /** Even numbers of the same sign or negation cancel out, as upstream's parser has it. */
  #unary(): Expr {
    const first = this.#token();
    if (!this.#is('!') && !this.#is('-')) return this.#member();
    let count = 0;
    while (this.#take(first.text) !== undefined) count += 1;
    const number = this.#token();
    if (first.text === '-' && (number.kind === 'int' || number.kind === 'double')) {
      this.#index += 1;
      // The last sign belongs to the number.
      const literal = this.#literal(number, true);
      const operand = this.#members(literal);
      return count % 2 === 1 ? operand : this.#build.call(first.at, '-_', operand);
    }
    const operand = this.#member();
    if (count % 2 === 0) return operand;
    return this.#build.call(first.at, first.text === '!' ? '!_' : '-_', operand);
  }

  #member(): Expr {
    return this.#members(this.#primary());
  }

  #members(start: Expr): Expr {
    let tree = start;
    for (let length = 0; ; length++) {
      if (length >= MAX_CHAIN) this.#tooDeep();
      const dot = this.#take('.');
      if (dot !== undefined) {
        tree = this.#afterDot(tree, dot);
        continue;
      }
      const bracket = this.#take('[');
      if (bracket === undefined) return tree;
      const isOptional = this.#take('?') !== undefined;
      const index = this.#expression();
      this.#expect(']');
      tree = this.#build.call(bracket.at, isOptional ? '_[?_]' : '_[_]', tree, index);
    }
  }

  #afterDot(target: Expr, dot: Token): Expr {
    const isOptional = this.#take('?') !== undefined;
    const name = this.#token();
    if (CONSTANTS.has(name.text)) this.#stop(`mismatched input '${name.text}' expecting IDENTIFIER`);
    if (name.kind !== 'ident' || name.text === 'in') {
      throw new SyntaxStop({ at: name.at, message: `Syntax error: no viable alternative at input '.${name.text}'` });
    }
    this.#index += 1;
    if (isOptional) {
      return this.#build.call(dot.at, '_?._', target, this.#build.literal(name.at, name.text));
    }
    const open = this.#take('(');
    if (open === undefined) return this.#build.select(dot.at, target, name.text);
    return this.#called({ at: open.at, fn: name.text, target, args: this.#arguments(')') });
  }

  #called(call: { at: number; fn: string; target: Expr | undefined; args: readonly Expr[] }): Expr {
    const { at, fn, target, args } = call;
    const expanded = expandMacro(this.#build, call);
    if (expanded instanceof MacroError) {
      this.problems.push(expanded);
      return this.#build.literal(at, null);
    }
    if (expanded !== undefined) return expanded;
    return target === undefined ? this.#build.call(at, fn, ...args) : this.#build.method(at, target, fn, ...args);
  }

  #arguments(end: string): readonly Expr[] {
    const args: Expr[] = [];
    if (this.#take(end) !== undefined) return args;
    do args.push(this.#expression());
    while (this.#take(',') !== undefined);
    this.#expect(end);
    return args;
  }

  #primary(): Expr {
    const token = this.#token();
    if (token.kind === 'ident' && token.text !== 'in') return this.#identOrCall();
    if (['int', 'uint', 'double', 'string', 'bytes'].includes(token.kind)) {
      this.#index += 1;
      return this.#literal(token);
    }
    if (this.#take('(') !== undefined) {
      const inner = this.#expression();
      this.#expect(')');
      return inner;
    }
    const bracket = this.#take('[');
    if (bracket !== undefined) return this.#list(bracket);
    const brace = this.#take('{');
    if (brace !== undefined) return this.#map(brace);
    if (this.#is('.')) return this.#identOrCall();
    const next = this.#tokens[this.#index + 1];
    if (next === undefined || !startsPrimary(next)) {
      return this.#stop(`mismatched input '${token.text}' expecting ${PRIMARY}`);
    }
    // Upstream's parser leaves out one token when what follows fits.
    this.problems.push({
      at: token.at,
      message: `Syntax error: extraneous input '${token.text}' expecting ${PRIMARY}`,
    });
    this.#index += 1;
    return this.#member();
  }

  #literal(token: Token, negative = false): Expr {
    const read = readLiteral(token, negative);
    if ('value' in read) return this.#build.literal(token.at, read.value);
    this.problems.push({ at: token.at, message: read.message });
    return this.#build.literal(token.at, null);
  }

  #identOrCall(): Expr {
    const isRooted = this.#take('.') !== undefined;
    const token = this.#next();
    if (token.kind !== 'ident' || token.text === 'in') {
      this.#index -= 1;
      this.#stop(`mismatched input '${token.text}' expecting IDENTIFIER`);
    }
    const constant = CONSTANTS.get(token.text);
    if (constant !== undefined && !isRooted) return this.#build.literal(token.at, constant.value);
    const name = isRooted ? `.${token.text}` : token.text;
    if (RESERVED.has(token.text)) {
      this.problems.push({ at: token.at, message: `reserved identifier: ${token.text}` });
    }
    const open = this.#take('(');
    if (open !== undefined) {
      return this.#called({ at: open.at, fn: name, target: undefined, args: this.#arguments(')') });
    }
    return this.#structOrIdent(token, name);
  }

  /** `a.b.C{…}` is looked for ahead, since only the brace tells it from a chain of fields. */
  #structOrIdent(token: Token, name: string): Expr {
    let ahead = this.#index;
    let qualified = name;
    const text = (index: number): string | undefined => this.#tokens[index]?.text;
    while (text(ahead) === '.' && this.#tokens[ahead + 1]?.kind === 'ident') {
      qualified += `.${text(ahead + 1)}`;
      ahead += 2;
    }
    const brace = this.#tokens[ahead];
    if (brace?.kind !== 'symbol' || brace.text !== '{') return this.#build.ident(token.at, name);
    this.#index = ahead + 1;
    this.#fields();
    return this.#build.struct(brace.at, qualified);
  }

  #fields(): void {
    while (this.#take('}') === undefined) {
      this.#take('?');
      const field = this.#next();
      if (field.kind !== 'ident') {
        this.#index -= 1;
        this.#stop(`mismatched input '${field.text}' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}`);
      }
      this.#expect(':');
      this.#expression();
      if (this.#take(',') === undefined && !this.#is('}')) this.#expect('}');
    }
  }

  #list(bracket: Token): Expr {
    const elements: Expr[] = [];
    const optional = new Set<number>();
    while (this.#take(']') === undefined) {
      if (this.#take('?') !== undefined) optional.add(elements.length);
      else if (elements.length === 0 && this.#is(',')) {
        this.#index += 1;
        this.#expect(']');
        break;
      }
      elements.push(this.#expression());
      if (this.#take(',') === undefined && !this.#is(']')) this.#expect(']');
    }
    return this.#build.list(bracket.at, elements, optional);
  }

  #map(brace: Token): Expr {
    const entries: MapEntry[] = [];
    while (this.#take('}') === undefined) {
      if (entries.length === 0 && this.#take(',') !== undefined) {
        this.#expect('}');
        break;
      }
      const optional = this.#take('?') !== undefined;
      if (this.#token().kind === 'end') this.#stop(`mismatched input '<EOF>' expecting ${MAP_START}`);
      const key = this.#expression();
      this.#expect(':');
      entries.push({ key, value: this.#expression(), optional });
      if (this.#take(',') === undefined && !this.#is('}')) this.#expect('}');
    }
    return this.#build.map(brace.at, entries);
  }
}

function startsPrimary({ kind, text }: Token): boolean {
  if (kind === 'symbol') return ['[', '{', '(', '.'].includes(text);
  return kind !== 'end' && text !== 'in';
}

const CONSTANTS: ReadonlyMap<string, { readonly value: Value }> = new Map([
  ['true', { value: true }],
  ['false', { value: false }],
  ['null', { value: null }],
]);
const MAP_START =
  "{'[', '{', '}', '(', '.', ',', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
