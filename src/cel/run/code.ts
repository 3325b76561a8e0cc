/**
 * Turns a checked tree into a list of instructions for a machine with a stack, which can stop after any of them. Costs are put down as
 * upstream's interpreter counts them: a name and each step from it cost one, and where a conditional chooses between names, these cost
 * nothing. Pure.
 */
import { ACCUMULATOR, type Call, type Comprehension, type Expr, type MapLiteral, type Select } from '../syntax/ast.ts';
import type { Checked } from '../check/checker.ts';
import { TYPE_NAMES } from '../check/type-names.ts';
import { CONVERSION_NAMES } from '../library/conversions.ts';
import type { Functions } from '../library/functions.ts';
import type { Overload } from '../library/overload.ts';
import type { CelType } from '../types/type.ts';
import { EntryMap, FixedList } from '../values/containers.ts';
import { CelError, TypeValue, type Value } from '../values/value.ts';

/** A function as a call uses it: the ways that the checker left open, and all others for values whose types nobody knew. */
export interface Callee {
  readonly fn: string;
  readonly count: number;
  readonly candidates: readonly Overload[];
  /** Without a cost: a constant list is looked up as a set. */
  readonly isFree: boolean;
}

export type Instruction =
  | { readonly op: 'constant'; readonly value: Value }
  | { readonly op: 'variable'; readonly name: string; readonly cost: number }
  | { readonly op: 'local'; readonly slot: number; readonly cost: number }
  | { readonly op: 'store'; readonly slot: number }
  | { readonly op: 'select'; readonly field: string; readonly cost: number }
  | { readonly op: 'has'; readonly field: string; readonly cost: number }
  | { readonly op: 'call'; readonly callee: Callee }
  | { readonly op: 'index'; readonly cost: number; readonly isOptional: boolean }
  | { readonly op: 'list'; readonly count: number; readonly optional: ReadonlySet<number> }
  | { readonly op: 'map'; readonly count: number; readonly optional: ReadonlySet<number> }
  | { readonly op: 'jump'; readonly to: number }
  /** Jumps, and keeps the value, when it is `value`: the other side does not matter then. */
  | { readonly op: 'short'; readonly value: boolean; readonly to: number }
  | { readonly op: 'logic'; readonly value: boolean }
  | { readonly op: 'notStrictlyFalse' }
  | { readonly op: 'branch'; readonly otherwise: number; readonly end: number }
  | { readonly op: 'loop'; readonly end: number }
  | { readonly op: 'next'; readonly slots: readonly [number, number | undefined]; readonly done: number }
  | { readonly op: 'while'; readonly done: number }
  | { readonly op: 'endLoop' };

export interface Code {
  readonly instructions: readonly Instruction[];
  /** How many loop variables there are. */
  readonly slots: number;
}

/** `folds`: constants are computed once and cost nothing, as in upstream's server; its tests of costs do without. */
export function generate(checked: Checked, functions: Functions, folds: boolean): Code {
  const generator = new Generator(checked, functions, folds);
  generator.emit(checked.tree, false);
  return { instructions: generator.instructions, slots: generator.slots };
}

class Generator {
  readonly instructions: Instruction[] = [];
  slots = 0;
  readonly #checked: Checked;
  readonly #functions: Functions;
  readonly #folds: boolean;
  readonly #scopes: Map<string, number>[] = [];

  constructor(checked: Checked, functions: Functions, folds: boolean) {
    this.#checked = checked;
    this.#functions = functions;
    this.#folds = folds;
  }

  /** `isBare`: a name at the root costs nothing, since a conditional has chosen it. */
  emit(node: Expr, isBare: boolean): void {
    const constant = this.#constant(node);
    if (constant !== undefined) {
      this.instructions.push({ op: 'constant', value: constant.value });
      return;
    }
    switch (node.kind) {
      case 'ident':
        this.#name(node.name.replace(/^\./, ''), isBare);
        return;
      case 'select':
        this.#select(node, isBare);
        return;
      case 'call':
        this.#call(node, isBare);
        return;
      case 'list':
        for (const element of node.elements) this.emit(element, false);
        this.instructions.push({ op: 'list', count: node.elements.length, optional: node.optional });
        return;
      case 'map':
        this.#map(node);
        return;
      case 'comprehension':
        this.#comprehension(node);
        return;
      default:
        this.instructions.push({ op: 'constant', value: null });
    }
  }

  #name(name: string, isBare: boolean): void {
    const cost = isBare ? 0 : 1;
    for (const scope of this.#scopes.toReversed()) {
      const slot = scope.get(name);
      if (slot !== undefined) {
        this.instructions.push({ op: 'local', slot, cost });
        return;
      }
    }
    const type = this.#checked.variables.has(name) ? undefined : TYPE_NAMES.get(name);
    if (type === undefined) this.instructions.push({ op: 'variable', name, cost });
    else this.instructions.push({ op: 'constant', value: new TypeValue(runtimeName(name, type)) });
  }

  /** The operand of a selection or an index: what the step costs besides itself. */
  #operand(node: Expr, isBare: boolean): number {
    const isName = isAttribute(node);
    this.emit(node, isName && isBare);
    return isName || isBare ? 0 : 1;
  }

  #select(node: Select, isBare: boolean): void {
    const name = this.#checked.names.get(node.id);
    if (name !== undefined) {
      this.#name(name, isBare);
      return;
    }
    const extra = this.#operand(node.operand, isBare);
    if (node.test) this.instructions.push({ op: 'has', field: node.field, cost: extra });
    else this.instructions.push({ op: 'select', field: node.field, cost: 1 + extra });
  }

  #call(node: Call, isBare: boolean): void {
    const [first, second] = node.args;
    switch (node.fn) {
      case '_&&_':
      case '_||_':
        this.#logic(node.fn === '_||_', first as Expr, second as Expr);
        return;
      case '_?_:_':
        this.#conditional(node.args as readonly [Expr, Expr, Expr]);
        return;
      case '@not_strictly_false':
        this.emit(first as Expr, false);
        this.instructions.push({ op: 'notStrictlyFalse' });
        return;
      case '_[_]':
      case '_[?_]':
      case '_?._': {
        const extra = this.#operand(first as Expr, isBare);
        this.emit(second as Expr, isAttribute(second as Expr));
        this.instructions.push({ op: 'index', cost: 1 + extra, isOptional: node.fn !== '_[_]' });
        return;
      }
      default:
        this.#plainCall(node);
    }
  }

  #plainCall(node: Call): void {
    const candidates = this.#checked.overloads.get(node.id) ?? [];
    const [overload] = candidates;
    const isMethod = overload?.isMethod === true;
    const args = isMethod && node.target !== undefined ? [node.target, ...node.args] : node.args;
    for (const arg of args) this.emit(arg, false);
    const fn = overload?.fn ?? node.fn;
    const others = (this.#functions.get(fn) ?? []).filter(
      (row) => row.isMethod === isMethod && row.params.length === args.length && !candidates.includes(row),
    );
    const [, list] = node.args;
    const isFree = this.#folds && fn === '@in' && list?.kind === 'list' && this.#constant(list) !== undefined;
    const callee = { fn, count: args.length, candidates: [...candidates, ...others], isFree };
    this.instructions.push({ op: 'call', callee });
  }

  #place(): number {
    return this.instructions.push({ op: 'jump', to: 0 }) - 1;
  }

  get #here(): number {
    return this.instructions.length;
  }

  #logic(value: boolean, left: Expr, right: Expr): void {
    this.emit(left, false);
    const short = this.#place();
    this.emit(right, false);
    this.instructions.push({ op: 'logic', value });
    this.instructions[short] = { op: 'short', value, to: this.#here };
  }

  #conditional([test, left, right]: readonly [Expr, Expr, Expr]): void {
    this.emit(test, false);
    const branch = this.#place();
    this.emit(left, isAttribute(left));
    const jump = this.#place();
    const otherwise = this.#here;
    this.emit(right, isAttribute(right));
    this.instructions[jump] = { op: 'jump', to: this.#here };
    this.instructions[branch] = { op: 'branch', otherwise, end: this.#here };
  }

  #map(node: MapLiteral): void {
    const optional = new Set<number>();
    for (const [index, entry] of node.entries.entries()) {
      this.emit(entry.key, false);
      this.emit(entry.value, false);
      if (entry.optional) optional.add(index);
    }
    this.instructions.push({ op: 'map', count: node.entries.length, optional });
  }

  #slot(scope: Map<string, number>, name: string): number {
    const slot = this.slots++;
    scope.set(name, slot);
    return slot;
  }

  #comprehension(node: Comprehension): void {
    if (isBinding(node)) {
      this.emit(node.accuInit, false);
      const scope = new Map<string, number>();
      this.instructions.push({ op: 'store', slot: this.#slot(scope, node.accuVar) });
      this.#scopes.push(scope);
      this.emit(node.result, false);
      this.#scopes.pop();
      return;
    }
    this.emit(node.range, false);
    const loop = this.#place();
    this.emit(node.accuInit, false);
    const outer = new Map<string, number>();
    const accu = this.#slot(outer, node.accuVar);
    this.instructions.push({ op: 'store', slot: accu });
    this.#scopes.push(outer);
    const inner = new Map<string, number>();
    const first = this.#slot(inner, node.iterVar);
    const second = node.iterVar2 === undefined ? undefined : this.#slot(inner, node.iterVar2);
    this.#scopes.push(inner);
    const next = this.#place();
    this.emit(node.condition, false);
    const test = this.#place();
    this.emit(node.step, false);
    this.instructions.push({ op: 'store', slot: accu }, { op: 'jump', to: next });
    this.#scopes.pop();
    this.instructions[next] = { op: 'next', slots: [first, second], done: this.#here };
    this.instructions[test] = { op: 'while', done: this.#here };
    this.instructions.push({ op: 'endLoop' });
    this.emit(node.result, false);
    this.#scopes.pop();
    this.instructions[loop] = { op: 'loop', end: this.#here };
  }

  /** The value of a part that is the same in each evaluation: literals, lists and maps of them, conversions of them. */
  #constant(node: Expr): { readonly value: Value } | undefined {
    if (node.kind === 'literal') return { value: node.value };
    if (!this.#folds) return undefined;
    if (node.kind === 'list' && node.optional.size === 0) {
      const items = this.#constants(node.elements);
      return items === undefined ? undefined : { value: new FixedList(items) };
    }
    if (node.kind === 'map') return this.#constantMap(node);
    return node.kind === 'call' ? this.#converted(node) : undefined;
  }

  #constants(nodes: readonly Expr[]): readonly Value[] | undefined {
    const values: Value[] = [];
    for (const node of nodes) {
      const constant = this.#constant(node);
      if (constant === undefined) return undefined;
      values.push(constant.value);
    }
    return values;
  }

  #constantMap(node: MapLiteral): { readonly value: Value } | undefined {
    if (node.entries.some(({ optional }) => optional)) return undefined;
    const keys = this.#constants(node.entries.map(({ key }) => key));
    const values = this.#constants(node.entries.map(({ value }) => value));
    // A map that is no map is made, and fails, at run time.
    if (keys === undefined || values === undefined) return undefined;
    const map = EntryMap.of(keys.map((key, index) => [key, values[index] ?? null] as const));
    return map instanceof CelError ? undefined : { value: map };
  }

  #converted(node: Call): { readonly value: Value } | undefined {
    const [arg] = node.args;
    if (node.target !== undefined || node.args.length !== 1 || !CONVERSION_NAMES.has(node.fn)) return undefined;
    const constant = arg === undefined ? undefined : this.#constant(arg);
    const candidates = this.#checked.overloads.get(node.id) ?? [];
    if (constant === undefined || candidates.length !== 1) return undefined;
    const value = candidates[0]?.run(constant.value);
    return value === undefined || value instanceof CelError ? undefined : { value };
  }
}

/** Names, and steps from them: what upstream's interpreter resolves as one. */
function isAttribute(node: Expr): boolean {
  if (node.kind === 'ident') return true;
  if (node.kind === 'select') return !node.test;
  return node.kind === 'call' && ['_[_]', '_[?_]', '_?._', '_?_:_'].includes(node.fn);
}

export function isBinding(node: Comprehension): boolean {
  return node.accuVar !== ACCUMULATOR && node.condition.kind === 'literal' && node.condition.value === false;
}

function runtimeName(name: string, type: CelType): string {
  return type.kind === 'null' ? 'null_type' : name;
}
