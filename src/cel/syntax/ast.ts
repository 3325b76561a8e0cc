/** The syntax tree of an expression, with macros written out. Pure. */
import type { Value } from '../values/value.ts';

interface Node {
  /** Unique within one tree, counted from 1. */
  readonly id: number;
  /** Where messages point to: code points from the start of the source. */
  readonly at: number;
}

export interface Literal extends Node {
  readonly kind: 'literal';
  readonly value: Value;
}

export interface Ident extends Node {
  readonly kind: 'ident';
  readonly name: string;
}

/** `operand.field`, or with `test` what `has(operand.field)` asks. */
export interface Select extends Node {
  readonly kind: 'select';
  readonly operand: Expr;
  readonly field: string;
  readonly test: boolean;
}

/** A call of a function, an operator (`_+_`) or a method (with `target`). */
export interface Call extends Node {
  readonly kind: 'call';
  readonly fn: string;
  readonly target?: Expr;
  readonly args: readonly Expr[];
}

export interface ListLiteral extends Node {
  readonly kind: 'list';
  readonly elements: readonly Expr[];
  /** Positions of elements that are left out when their optional is empty: `[?x]`. */
  readonly optional: ReadonlySet<number>;
}

export interface MapEntry {
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface MapLiteral extends Node {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

/** `Name{field: value}`: no type that is offered here can be made so; the checker refuses it with upstream's words. */
export interface StructLiteral extends Node {
  readonly kind: 'struct';
  readonly name: string;
}

/** A loop: what macros (`all`, `map`, `cel.bind`, …) become. */
export interface Comprehension extends Node {
  readonly kind: 'comprehension';
  readonly range: Expr;
  readonly iterVar: string;
  /** With two variables, the first is index or key and the second the value. */
  readonly iterVar2?: string;
  readonly accuVar: string;
  readonly accuInit: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

export type Expr = Literal | Ident | Select | Call | ListLiteral | MapLiteral | StructLiteral | Comprehension;

/** The variable that macros gather their result in; no source can name it. */
export const ACCUMULATOR = '@result';
/** The loop variable of a binding, whose loop has no turn. */
export const UNUSED = '#unused';
