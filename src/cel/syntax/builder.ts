/** Makes the nodes of a syntax tree, and counts them. Pure. */
import type { Value } from '../values/value.ts';
import type { Call, Comprehension, Expr, Ident, ListLiteral, Literal, MapEntry, Select } from './ast.ts';

const NONE: ReadonlySet<number> = new Set();

export class Builder {
  #next = 1;

  get count(): number {
    return this.#next - 1;
  }

  literal(at: number, value: Value): Literal {
    return { kind: 'literal', id: this.#next++, at, value };
  }

  ident(at: number, name: string): Ident {
    return { kind: 'ident', id: this.#next++, at, name };
  }

  select(at: number, operand: Expr, field: string, test = false): Select {
    return { kind: 'select', id: this.#next++, at, operand, field, test };
  }

  call(at: number, fn: string, ...args: readonly Expr[]): Call {
    return { kind: 'call', id: this.#next++, at, fn, args };
  }

  method(at: number, target: Expr, fn: string, ...args: readonly Expr[]): Call {
    return { kind: 'call', id: this.#next++, at, fn, target, args };
  }

  list(at: number, elements: readonly Expr[], optional: ReadonlySet<number> = NONE): ListLiteral {
    return { kind: 'list', id: this.#next++, at, elements, optional };
  }

  map(at: number, entries: readonly MapEntry[]): Expr {
    return { kind: 'map', id: this.#next++, at, entries };
  }

  struct(at: number, name: string): Expr {
    return { kind: 'struct', id: this.#next++, at, name };
  }

  loop(at: number, parts: Omit<Comprehension, 'kind' | 'id' | 'at'>): Comprehension {
    return { kind: 'comprehension', id: this.#next++, at, ...parts };
  }
}
