/** Finds the type of each part of an expression, and which functions its calls mean (upstream: checker/checker). Pure. */
import type { Call, Comprehension, Expr, ListLiteral, MapLiteral, Select } from '../syntax/ast.ts';
import type { Problem } from '../syntax/problem.ts';
import type { Functions } from '../library/functions.ts';
import type { Overload } from '../library/overload.ts';
import { celTypeOf } from '../types/cel-type-of.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DYN,
  ERROR,
  equalTypes,
  formatType,
  INT,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  STRING,
  UINT,
} from '../types/type.ts';
import { kindOf } from '../values/value.ts';
import { literalProblem } from './literals.ts';
import { TYPE_NAMES } from './type-names.ts';
import { areAssignable, isAssignable, isDynOrError, mostGeneral, type Substitution, substitute } from './unify.ts';

export interface CheckEnvironment {
  readonly functions: Functions;
  readonly variables: ReadonlyMap<string, CelType>;
  /** Whether the items of one list or map literal may be of different types; Kubernetes says no. */
  readonly mixedLiterals: boolean;
}

/** What the checker found out, by the ids of nodes. */
export interface Checked {
  readonly tree: Expr;
  readonly type: CelType;
  readonly types: ReadonlyMap<number, CelType>;
  /** The ways in which a call may be meant; more than one when types are known only at run time. */
  readonly overloads: ReadonlyMap<number, readonly Overload[]>;
  /** Nodes that are names with dots (`a.b` as one variable, `google.protobuf.Timestamp`): node → name. */
  readonly names: ReadonlyMap<number, string>;
  /** Variables of the environment that the expression uses. */
  readonly variables: ReadonlySet<string>;
}

export function check(tree: Expr, environment: CheckEnvironment): Checked | { readonly problems: readonly Problem[] } {
  const checker = new Checker(environment);
  checker.visit(tree);
  return checker.problems.length > 0 ? { problems: checker.problems } : checker.result(tree);
}

const LITERALS = { null: NULL, bool: BOOL, int: INT, uint: UINT, double: DOUBLE, string: STRING, bytes: BYTES };

class Checker {
  readonly problems: Problem[] = [];
  readonly #environment: CheckEnvironment;
  readonly #types = new Map<number, CelType>();
  readonly #overloads = new Map<number, readonly Overload[]>();
  readonly #names = new Map<number, string>();
  readonly #variables = new Set<string>();
  readonly #known: Substitution = new Map();
  /** Loop variables, the innermost last. */
  readonly #scopes: Map<string, CelType>[] = [];
  #fresh = 0;

  constructor(environment: CheckEnvironment) {
    this.#environment = environment;
  }

  result(tree: Expr): Checked {
    const types = new Map<number, CelType>();
    for (const [id, type] of this.#types) types.set(id, substitute(this.#known, type, true));
    return {
      tree,
      type: types.get(tree.id) ?? DYN,
      types,
      overloads: this.#overloads,
      names: this.#names,
      variables: this.#variables,
    };
  }

  visit(node: Expr): CelType {
    const type = this.#typeOf(node);
    this.#types.set(node.id, type);
    return type;
  }

  #problem(at: number, message: string): CelType {
    this.problems.push({ at, message });
    return ERROR;
  }

  #typeOf(node: Expr): CelType {
    switch (node.kind) {
      case 'literal':
        return LITERALS[kindOf(node.value) as keyof typeof LITERALS];
      case 'ident':
        return this.#ident(node.id, node.name) ?? this.#undeclared(node.at, node.name);
      case 'select':
        return this.#select(node);
      case 'call':
        return this.#call(node);
      case 'list':
        return this.#list(node);
      case 'map':
        return this.#map(node);
      case 'struct':
        return TYPE_NAMES.has(node.name)
          ? this.#problem(node.at, `'${node.name}' is not a message type`)
          : this.#undeclared(node.at, node.name);
      case 'comprehension':
        return this.#comprehension(node);
    }
  }

  #undeclared(at: number, name: string): CelType {
    return this.#problem(at, `undeclared reference to '${name.replace(/^\./, '')}' (in container '')`);
  }

  /** The type of a variable or a type's name; undefined when there is none of that name. */
  #ident(id: number, name: string): CelType | undefined {
    const isRooted = name.startsWith('.');
    const plain = isRooted ? name.slice(1) : name;
    if (!isRooted) {
      for (const scope of this.#scopes.toReversed()) {
        const local = scope.get(plain);
        if (local !== undefined) return local;
      }
    }
    const variable = this.#environment.variables.get(plain);
    if (variable !== undefined) {
      this.#variables.add(plain);
      this.#names.set(id, plain);
      return variable;
    }
    const type = TYPE_NAMES.get(plain);
    if (type === undefined) return undefined;
    this.#names.set(id, plain);
    return { kind: 'type', of: type };
  }

  #select(node: Select): CelType {
    const name = node.test ? undefined : qualifiedName(node);
    if (name !== undefined && !this.#isLocal(name)) {
      const type = this.#ident(node.id, name);
      if (type !== undefined) return type;
    }
    const operand = this.visit(node.operand);
    const field = this.#field(node.at, operand, node.field);
    return node.test ? BOOL : field;
  }

  #isLocal(name: string): boolean {
    const [root = ''] = name.split('.');
    return this.#scopes.some((scope) => scope.has(root));
  }

  #field(at: number, operand: CelType, field: string): CelType {
    const type = substitute(this.#known, operand, false);
    switch (type.kind) {
      case 'optional':
        return optionalOf(this.#plainField(at, substitute(this.#known, type.elem, false), field));
      default:
        return this.#plainField(at, type, field);
    }
  }

  #plainField(at: number, type: CelType, field: string): CelType {
    switch (type.kind) {
      case 'map':
        return type.value;
      case 'object': {
        const declared = type.object.fields.get(field);
        return declared === undefined ? this.#problem(at, `undefined field '${field}'`) : celTypeOf(declared.type);
      }
      case 'parameter':
        isAssignable(this.#known, DYN, type);
        return DYN;
      case 'dyn':
      case 'error':
        return DYN;
      default:
        return this.#problem(at, `type '${formatType(type)}' does not support field selection`);
    }
  }

  #call(node: Call): CelType {
    if (node.fn === '_?._') return this.#optionalSelect(node);
    const args = node.args.map((arg) => this.visit(arg));
    if (node.target === undefined) {
      const overloads = this.#functionsOf(node.fn.replace(/^\./, ''));
      if (overloads === undefined) return this.#undeclared(node.at, node.fn);
      return this.#resolve(node, overloads, args, false);
    }
    const prefix = qualifiedName(node.target);
    const namespaced = prefix === undefined ? undefined : this.#functionsOf(`${prefix.replace(/^\./, '')}.${node.fn}`);
    if (namespaced !== undefined) return this.#resolve(node, namespaced, args, false);
    const target = this.visit(node.target);
    const overloads = this.#functionsOf(node.fn);
    if (overloads === undefined) return this.#undeclared(node.at, node.fn);
    return this.#resolve(node, overloads, [target, ...args], true);
  }

  #functionsOf(name: string): readonly Overload[] | undefined {
    return this.#environment.functions.get(name);
  }

  #optionalSelect(node: Call): CelType {
    const [operand, field] = node.args;
    if (operand === undefined || field?.kind !== 'literal' || typeof field.value !== 'string') {
      return this.#problem(node.at, 'unsupported optional field selection');
    }
    const type = this.visit(operand);
    this.visit(field);
    this.#overloads.set(node.id, this.#functionsOf('_?._') ?? []);
    const selected = this.#field(node.at, type, field.value);
    return selected.kind === 'optional' ? selected : optionalOf(selected);
  }

  #resolve(node: Call, overloads: readonly Overload[], args: readonly CelType[], isMethod: boolean): CelType {
    const fitting: Overload[] = [];
    let result: CelType | undefined;
    for (const overload of overloads) {
      if (overload.isMethod !== isMethod) continue;
      const signature = this.#instantiate(overload);
      if (!areAssignable(this.#known, args, signature.params)) continue;
      fitting.push(overload);
      const type = substitute(this.#known, signature.result, false);
      if (result === undefined) result = type;
      else if (!isDynOrError(result) && !equalTypes(type, result)) result = DYN;
    }
    if (result === undefined) return this.#noOverload(node, args, isMethod);
    this.#overloads.set(node.id, fitting);
    const mistake = literalProblem(node);
    if (mistake !== undefined) this.problems.push(mistake);
    return result;
  }

  #noOverload(node: Call, args: readonly CelType[], isMethod: boolean): CelType {
    const names = args.map((type) => formatType(substitute(this.#known, type, true)));
    const [target = '', ...rest] = names;
    const applied = isMethod ? `${target}.(${rest.join(', ')})` : `(${names.join(', ')})`;
    return this.#problem(node.at, `found no matching overload for '${node.fn}' applied to '${applied}'`);
  }

  /** The overload's types with free types of its own. */
  #instantiate(overload: Overload): { readonly params: readonly CelType[]; readonly result: CelType } {
    const own: Substitution = new Map();
    for (const type of [...overload.params, overload.result]) this.#freshen(type, own);
    if (own.size === 0) return overload;
    return {
      params: overload.params.map((type) => substitute(own, type, false)),
      result: substitute(own, overload.result, false),
    };
  }

  #freshen(type: CelType, own: Substitution): void {
    switch (type.kind) {
      case 'parameter':
        if (!own.has(type.name)) own.set(type.name, this.#freeType());
        return;
      case 'list':
      case 'optional':
        this.#freshen(type.elem, own);
        return;
      case 'map':
        this.#freshen(type.key, own);
        this.#freshen(type.value, own);
        return;
      case 'type':
        this.#freshen(type.of, own);
        return;
      default:
    }
  }

  #freeType(): CelType {
    return { kind: 'parameter', name: `_var${this.#fresh++}` };
  }

  #list(node: ListLiteral): CelType {
    let elem: CelType | undefined;
    for (const [index, element] of node.elements.entries()) {
      const type = this.visit(element);
      elem = this.#join(element.at, elem, node.optional.has(index) ? this.#unwrap(element.at, type) : type);
    }
    return listOf(elem ?? this.#freeType());
  }

  #unwrap(at: number, type: CelType): CelType {
    const known = substitute(this.#known, type, false);
    if (known.kind === 'optional') return known.elem;
    return isDynOrError(known) ? DYN : this.#mismatch(at, optionalOf(known), known);
  }

  #map(node: MapLiteral): CelType {
    let key: CelType | undefined;
    let value: CelType | undefined;
    for (const entry of node.entries) {
      key = this.#join(entry.key.at, key, this.visit(entry.key));
      const type = this.visit(entry.value);
      value = this.#join(entry.value.at, value, entry.optional ? this.#unwrap(entry.value.at, type) : type);
    }
    return mapOf(key ?? this.#freeType(), value ?? this.#freeType());
  }

  #join(at: number, previous: CelType | undefined, current: CelType): CelType {
    if (previous === undefined) return current;
    if (isAssignable(this.#known, previous, current)) return mostGeneral(previous, current);
    if (this.#environment.mixedLiterals) return DYN;
    return this.#mismatch(at, previous, current);
  }

  #mismatch(at: number, expected: CelType, actual: CelType): CelType {
    const text = (type: CelType): string => formatType(substitute(this.#known, type, false));
    return this.#problem(at, `expected type '${text(expected)}' but found '${text(actual)}'`);
  }

  #assert(node: Expr, expected: CelType): void {
    const actual = this.#types.get(node.id) ?? DYN;
    if (!isAssignable(this.#known, expected, actual)) this.#mismatch(node.at, expected, actual);
  }

  #comprehension(node: Comprehension): CelType {
    const range = this.visit(node.range);
    const accu = this.visit(node.accuInit);
    const [first, second] = this.#loopTypes(node, substitute(this.#known, range, false));
    this.#scopes.push(new Map([[node.accuVar, accu]]));
    const variables = new Map([[node.iterVar, node.iterVar2 === undefined ? first.single : first.pair]]);
    if (node.iterVar2 !== undefined) variables.set(node.iterVar2, second);
    this.#scopes.push(variables);
    this.visit(node.condition);
    this.#assert(node.condition, BOOL);
    this.visit(node.step);
    this.#assert(node.step, accu);
    this.#scopes.pop();
    const result = this.visit(node.result);
    this.#scopes.pop();
    return substitute(this.#known, result, false);
  }

  #loopTypes(
    node: Comprehension,
    range: CelType,
  ): readonly [{ readonly single: CelType; readonly pair: CelType }, CelType] {
    switch (range.kind) {
      case 'list':
        return [{ single: range.elem, pair: INT }, range.elem];
      case 'map':
        return [{ single: range.key, pair: range.key }, range.value];
      case 'parameter':
      case 'dyn':
      case 'error':
        isAssignable(this.#known, DYN, range);
        return [{ single: DYN, pair: DYN }, DYN];
      default: {
        const message = `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
        this.#problem(node.range.at, message);
        return [{ single: ERROR, pair: ERROR }, ERROR];
      }
    }
  }
}

/** `a.b.c` as one name; undefined for what is no chain of names. */
export function qualifiedName(node: Expr): string | undefined {
  const parts: string[] = [];
  let here = node;
  while (here.kind === 'select' && !here.test) {
    parts.push(here.field);
    here = here.operand;
  }
  return here.kind === 'ident' ? [here.name, ...parts.toReversed()].join('.') : undefined;
}
