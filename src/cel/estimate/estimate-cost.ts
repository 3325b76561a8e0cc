/** What an expression costs at least and at most, by what schemas say of the sizes of values (upstream: checker/cost). Pure. */
import type { Call, Comprehension, Expr, ListLiteral, MapLiteral, Select } from '../syntax/ast.ts';
import type { Checked } from '../check/checker.ts';
import { LIST_COST, MAP_COST, sizeOf } from '../run/actual-cost.ts';
import { isBinding } from '../run/code.ts';
import type { DeclaredType } from '../types/declared-type.ts';
import { type CelType, DYN, isScalar } from '../types/type.ts';
import { type CallEstimate, estimateCall, type Sized } from './call-estimates.ts';
import { exactly, MOST, NOTHING, ONE, plus, type Range, times, union, UNKNOWN } from './range.ts';

/** The declared types of variables; a text or list whose size nothing is known of may be of any size. */
export type SizeHints = (variable: string) => DeclaredType | undefined;

/** Sizes for values of a type that is declared nowhere; for tests of costs. */
export type TypeSizes = (type: CelType) => Range | undefined;

export function estimateTree(checked: Checked, hints: SizeHints, typeSizes: TypeSizes = () => undefined): Range {
  return new Estimator(checked, hints, typeSizes).cost(checked.tree);
}

/** The sizes of a container's keys and values. */
interface EntrySizes {
  readonly kind: 'list' | 'map';
  readonly key: Range;
  readonly value: Range;
}

interface Local {
  readonly declared: DeclaredType | undefined;
  readonly size: Range | undefined;
  readonly entries: EntrySizes | undefined;
}

/** Upstream takes the keys of maps as texts without a size. */
const KEY: DeclaredType = { kind: 'string', maxElements: 0, minBytes: 2 };

class Estimator {
  readonly #checked: Checked;
  readonly #hints: SizeHints;
  readonly #typeSizes: TypeSizes;
  readonly #locals = new Map<string, Local[]>();
  readonly #declared = new Map<number, DeclaredType | undefined>();
  readonly #sizes = new Map<number, Range>();
  readonly #entries = new Map<number, EntrySizes>();

  constructor(checked: Checked, hints: SizeHints, typeSizes: TypeSizes) {
    this.#checked = checked;
    this.#hints = hints;
    this.#typeSizes = typeSizes;
  }

  cost(node: Expr): Range {
    switch (node.kind) {
      case 'ident':
        this.#declared.set(node.id, this.#declaredOf(node));
        return ONE;
      case 'select':
        return this.#select(node);
      case 'call':
        return this.#call(node);
      case 'list':
        return this.#list(node);
      case 'map':
        return this.#map(node);
      case 'comprehension':
        return isBinding(node) ? this.#binding(node) : this.#comprehension(node);
      default:
        return NOTHING;
    }
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #push(name: string, local: Local): void {
    const stack = this.#locals.get(name);
    if (stack === undefined) this.#locals.set(name, [local]);
    else stack.push(local);
  }

  #pop(name: string): void {
    this.#locals.get(name)?.pop();
  }

  #declaredOf(node: Expr): DeclaredType | undefined {
    if (node.kind !== 'ident') return this.#declared.get(node.id);
    const local = this.#local(node.name);
    return local === undefined ? this.#hints(node.name) : local.declared;
  }

  #type(node: Expr): CelType {
    return this.#checked.types.get(node.id) ?? DYN;
  }

  #select(node: Select): Range {
    const name = this.#checked.names.get(node.id);
    if (name !== undefined) {
      this.#declared.set(node.id, this.#hints(name));
      return ONE;
    }
    const operand = this.cost(node.operand);
    if (node.test) return operand;
    const declared = this.#declaredOf(node.operand);
    this.#declared.set(node.id, declared?.kind === 'object' ? declared.fields.get(node.field)?.type : undefined);
    const { kind } = this.#type(node.operand);
    return kind === 'map' || kind === 'object' ? plus(operand, ONE) : operand;
  }

  #call(node: Call): Range {
    const [first] = node.args;
    if (node.fn === 'dyn' && first !== undefined && node.target === undefined) {
      const cost = this.cost(first);
      this.#copySizes(node, first);
      return plus(ONE, cost);
    }
    const argCosts = node.args.map((arg) => this.cost(arg));
    const overloads = this.#checked.overloads.get(node.id) ?? [];
    const [overload] = overloads;
    if (overload === undefined) return NOTHING;
    const isMethod = overload.isMethod && node.target !== undefined;
    const targetCost = isMethod && node.target !== undefined ? this.cost(node.target) : NOTHING;
    const target = isMethod && node.target !== undefined ? this.#sized(node.target) : undefined;
    const args = node.args.map((arg) => this.#sized(arg));
    let cost: Range = { min: MOST, max: 0 };
    let result: Range | undefined;
    for (const { fn, id } of overloads) {
      const estimate = this.#overload(node, { fn, id, target, args, argCosts });
      cost = union(cost, estimate.cost);
      if (estimate.result !== undefined)
        result = result === undefined ? estimate.result : union(result, estimate.result);
      result = this.#indexed(node, id) ?? result;
    }
    if (result !== undefined) this.#sizes.set(node.id, result);
    return plus(targetCost, cost);
  }

  #overload(
    node: Call,
    call: {
      readonly fn: string;
      readonly id: string;
      readonly target: Sized | undefined;
      readonly args: readonly Sized[];
      readonly argCosts: readonly Range[];
    },
  ): CallEstimate {
    const { argCosts, args } = call;
    const [first = NOTHING, second = NOTHING, third = NOTHING] = argCosts;
    if (call.id === 'logical_and' || call.id === 'logical_or') {
      return { cost: { min: first.min, max: plus(first, second).max } };
    }
    if (call.id === 'conditional') {
      const result = union(args[1]?.size ?? UNKNOWN, args[2]?.size ?? UNKNOWN);
      this.#uniteEntries(node, node.args[1] as Expr, node.args[2] as Expr);
      return { cost: plus(first, union(second, third)), result };
    }
    if (call.id.startsWith('add_')) this.#uniteEntries(node, node.args[0] as Expr, node.args[1] as Expr);
    const estimate = estimateCall(call.fn, call.id, call.target, args);
    return { ...estimate, cost: plus(estimate.cost, ...argCosts) };
  }

  #uniteEntries(node: Expr, one: Expr, other: Expr): void {
    const left = this.#entrySizes(one);
    const right = this.#entrySizes(other);
    if (left === undefined || right === undefined) return;
    const entries = { kind: left.kind, key: union(left.key, right.key), value: union(left.value, right.value) };
    this.#entries.set(node.id, entries);
  }

  /** What a list or map has at an index: its declared type goes on, and the size of what the expression put in. */
  #indexed(node: Call, overload: string): Range | undefined {
    const [container] = node.args;
    if (container === undefined || (overload !== 'index_list' && overload !== 'index_map')) return undefined;
    const declared = this.#declaredOf(container);
    this.#declared.set(node.id, partOf(declared, overload === 'index_list' ? 'items' : 'values'));
    return this.#entrySizes(container)?.value ?? this.#size(node);
  }

  #list(node: ListLiteral): Range {
    let value: Range = { min: node.elements.length === 0 ? 0 : MOST, max: 0 };
    let cost = exactly(LIST_COST);
    for (const element of node.elements) {
      cost = plus(cost, this.cost(element));
      value = union(value, this.#size(element) ?? UNKNOWN);
    }
    this.#entries.set(node.id, { kind: 'list', key: ONE, value });
    return cost;
  }

  #map(node: MapLiteral): Range {
    const start: Range = { min: node.entries.length === 0 ? 0 : MOST, max: 0 };
    let [key, value, cost] = [start, start, exactly(MAP_COST)];
    for (const entry of node.entries) {
      cost = plus(cost, this.cost(entry.key), this.cost(entry.value));
      key = union(key, this.#size(entry.key) ?? UNKNOWN);
      value = union(value, this.#size(entry.value) ?? UNKNOWN);
    }
    this.#entries.set(node.id, { kind: 'map', key, value });
    return cost;
  }

  #binding(node: Comprehension): Range {
    const cost = plus(this.cost(node.range), this.cost(node.accuInit));
    this.#push(node.accuVar, this.#localOf(node.accuInit));
    const result = this.cost(node.result);
    this.#pop(node.accuVar);
    this.#copySizes(node, node.result);
    return plus(cost, result);
  }

  #localOf(node: Expr): Local {
    return { declared: this.#declaredOf(node), size: this.#size(node), entries: this.#entrySizes(node) };
  }

  #comprehension(node: Comprehension): Range {
    const outer = plus(this.cost(node.range), this.cost(node.accuInit));
    this.#push(node.accuVar, { ...this.#localOf(node.accuInit), declared: undefined });
    for (const [name, local] of this.#loopVariables(node)) this.#push(name, local);
    const turn = plus(this.cost(node.condition), this.cost(node.step));
    this.#pop(node.iterVar);
    if (node.iterVar2 !== undefined) this.#pop(node.iterVar2);
    const result = this.cost(node.result);
    this.#pop(node.accuVar);
    const count = this.#size(node.range) ?? UNKNOWN;
    if (node.accuInit.kind === 'literal') this.#setSize(node, this.#size(node.accuInit));
    else if (node.accuInit.kind === 'list' || node.accuInit.kind === 'map') {
      this.#setSize(node, count);
      const entries = this.#entrySizes(node.step);
      if (entries !== undefined) this.#entries.set(node.id, entries);
    }
    return plus(outer, times(count, turn), result);
  }

  #loopVariables(node: Comprehension): readonly (readonly [string, Local])[] {
    const declared = this.#declaredOf(node.range);
    const entries = this.#entrySizes(node.range);
    const isList = (entries?.kind ?? this.#type(node.range).kind) === 'list';
    const value: Local = {
      declared: partOf(declared, isList ? 'items' : 'values'),
      size: entries?.value,
      entries: undefined,
    };
    const key: Local = {
      declared: isList ? undefined : partOf(declared, 'keys'),
      size: entries?.key,
      entries: undefined,
    };
    if (node.iterVar2 === undefined) return [[node.iterVar, isList ? value : key]];
    return [
      [node.iterVar, key],
      [node.iterVar2, value],
    ];
  }

  #copySizes(to: Expr, from: Expr): void {
    this.#setSize(to, this.#size(from));
    const entries = this.#entrySizes(from);
    if (entries !== undefined) this.#entries.set(to.id, entries);
  }

  #setSize(node: Expr, size: Range | undefined): void {
    if (size !== undefined) this.#sizes.set(node.id, size);
  }

  #sized(node: Expr): Sized {
    const type = this.#type(node);
    const sized: Sized = { node, type, size: this.#size(node) ?? UNKNOWN };
    if (type.kind !== 'list') return sized;
    const items = this.#itemSizes(node, type.elem);
    return items === undefined ? sized : { ...sized, items };
  }

  #itemSizes(node: Expr, elem: CelType): Range | undefined {
    const declared = partOf(this.#declaredOf(node), 'items');
    return declared === undefined ? this.#typeSizes(elem) : { min: 0, max: declared.maxElements };
  }

  #size(node: Expr): Range | undefined {
    const computed = this.#sizes.get(node.id) ?? literalSize(node);
    if (computed !== undefined) return computed;
    const declared = this.#declaredOf(node);
    if (declared !== undefined) return { min: 0, max: declared.maxElements };
    const type = this.#type(node);
    const hinted = this.#typeSizes(type);
    if (hinted !== undefined) return hinted;
    if (isScalar(type)) return ONE;
    return node.kind === 'ident' ? this.#local(node.name)?.size : undefined;
  }

  #entrySizes(node: Expr): EntrySizes | undefined {
    const own = this.#entries.get(node.id);
    if (own !== undefined) return own;
    return node.kind === 'ident' ? this.#local(node.name)?.entries : undefined;
  }
}

function literalSize(node: Expr): Range | undefined {
  switch (node.kind) {
    case 'literal':
      return exactly(sizeOf(node.value));
    case 'list':
      return exactly(node.elements.length);
    case 'map':
      return exactly(node.entries.length);
    default:
      return undefined;
  }
}

function partOf(declared: DeclaredType | undefined, part: 'items' | 'values' | 'keys'): DeclaredType | undefined {
  if (declared?.kind === 'list') return part === 'keys' ? undefined : declared.items;
  if (declared?.kind !== 'map') return undefined;
  return part === 'keys' ? KEY : declared.values;
}
