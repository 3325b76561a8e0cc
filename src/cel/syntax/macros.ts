/**
 * Macros: calls that are written out as loops, presence tests and bindings before any type is looked at. `undefined` is answered
 * for calls that are none. Pure.
 */
import { ACCUMULATOR, type Comprehension, type Expr, UNUSED } from './ast.ts';
import type { Builder } from './builder.ts';

export interface MacroCall {
  readonly at: number;
  readonly fn: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

/** A mistake in the use of a macro. */
export class MacroError {
  readonly at: number;
  readonly message: string;
  constructor(at: number, message: string) {
    this.at = at;
    this.message = message;
  }
}

type Expansion = Expr | MacroError;
type Expand = (build: Builder, call: MacroCall & { readonly target: Expr }) => Expansion;

const NAMES_THE_RESULT = 'iteration variable overwrites accumulator variable';
const NO_SIMPLE_NAME = 'argument must be a simple name';

/** Name and number of arguments → macro on a target. */
const ON_TARGET: Readonly<Record<string, Expand>> = {
  'all/2': (build, call) => quantifier(build, call, 'all'),
  'exists/2': (build, call) => quantifier(build, call, 'exists'),
  'exists_one/2': (build, call) => quantifier(build, call, 'one'),
  'existsOne/2': (build, call) => quantifier(build, call, 'one'),
  'map/2': transformSingle,
  'map/3': transformSingle,
  'filter/2': (build, call) => filter(build, call),
  'all/3': (build, call) => quantifier(build, call, 'all'),
  'exists/3': (build, call) => quantifier(build, call, 'exists'),
  'exists_one/3': (build, call) => quantifier(build, call, 'one'),
  'existsOne/3': (build, call) => quantifier(build, call, 'one'),
  'transformList/3': transformList,
  'transformList/4': transformList,
  'transformMap/3': transformMap,
  'transformMap/4': transformMap,
  'transformMapEntry/3': transformMapEntry,
  'transformMapEntry/4': transformMapEntry,
  'sortBy/2': sortBy,
  'optMap/2': (build, call) => mapOptional(build, call, true),
  'optFlatMap/2': (build, call) => mapOptional(build, call, false),
};

/** The call written out; `undefined` when it is no macro. */
export function expandMacro(build: Builder, call: MacroCall): Expansion | undefined {
  const { target, fn, args } = call;
  if (target === undefined) return fn === 'has' && args.length === 1 ? presence(build, call) : undefined;
  if (target.kind === 'ident' && target.name === 'cel' && fn === 'bind' && args.length === 3) return bind(build, call);
  const key = `${fn}/${args.length}`;
  if (!Object.hasOwn(ON_TARGET, key)) return undefined;
  return ON_TARGET[key]?.(build, { ...call, target });
}

function presence(build: Builder, { at, args }: MacroCall): Expansion {
  const [operand] = args;
  if (operand === undefined || operand.kind !== 'select' || operand.test) {
    return new MacroError(operand?.at ?? at, 'invalid argument to has() macro');
  }
  return build.select(at, operand.operand, operand.field, true);
}

/** The names of loop variables; the two-variable forms have upstream's other words for a mistake. */
function variables(args: readonly Expr[], count: number, single: string): readonly string[] | MacroError {
  const names: string[] = [];
  for (const arg of args.slice(0, count)) {
    if (arg.kind !== 'ident') return new MacroError(arg.at, count === 1 ? single : NO_SIMPLE_NAME);
    if (arg.name === ACCUMULATOR || arg.name === '__result__') return new MacroError(arg.at, NAMES_THE_RESULT);
    if (names.includes(arg.name)) return new MacroError(arg.at, `duplicate variable name: ${arg.name}`);
    names.push(arg.name);
  }
  return names;
}

type Fold = Pick<Comprehension, 'accuInit' | 'condition' | 'step' | 'result'>;

function fold(
  build: Builder,
  call: MacroCall & { readonly target: Expr },
  names: readonly string[],
  parts: Fold,
): Expr {
  const [iterVar = '', iterVar2] = names;
  const loop = { range: call.target, iterVar, accuVar: ACCUMULATOR, ...parts };
  return build.loop(call.at, iterVar2 === undefined ? loop : { ...loop, iterVar2 });
}

function quantifier(
  build: Builder,
  call: MacroCall & { readonly target: Expr },
  kind: 'all' | 'exists' | 'one',
): Expansion {
  const { at, args } = call;
  const names = variables(args, args.length - 1, NO_SIMPLE_NAME);
  if (names instanceof MacroError) return names;
  const predicate = args.at(-1) as Expr;
  const result = (): Expr => build.ident(at, ACCUMULATOR);
  if (kind === 'one') {
    const step = build.call(at, '_?_:_', predicate, build.call(at, '_+_', result(), build.literal(at, 1n)), result());
    const isOne = build.call(at, '_==_', result(), build.literal(at, 1n));
    return fold(build, call, names, {
      accuInit: build.literal(at, 0n),
      condition: build.literal(at, true),
      step,
      result: isOne,
    });
  }
  const isAll = kind === 'all';
  const goesOn = isAll ? result() : build.call(at, '!_', result());
  return fold(build, call, names, {
    accuInit: build.literal(at, isAll),
    condition: build.call(at, '@not_strictly_false', goesOn),
    step: build.call(at, isAll ? '_&&_' : '_||_', result(), predicate),
    result: result(),
  });
}

/** The loop that appends to its list, or keeps it where a filter says so. */
function gather(
  build: Builder,
  call: MacroCall & { readonly target: Expr },
  names: readonly string[],
  parts: { readonly element: Expr; readonly filter: Expr | undefined },
): Expr {
  const { at } = call;
  const result = (): Expr => build.ident(at, ACCUMULATOR);
  const appended = build.call(at, '_+_', result(), build.list(at, [parts.element]));
  const step = parts.filter === undefined ? appended : build.call(at, '_?_:_', parts.filter, appended, result());
  return fold(build, call, names, {
    accuInit: build.list(at, []),
    condition: build.literal(at, true),
    step,
    result: result(),
  });
}

const NO_IDENTIFIER = 'argument is not an identifier';

function transformSingle(build: Builder, call: MacroCall & { readonly target: Expr }): Expansion {
  const names = variables(call.args, 1, NO_IDENTIFIER);
  if (names instanceof MacroError) return names;
  const filterBy = call.args.length === 3 ? call.args[1] : undefined;
  return gather(build, call, names, { element: call.args.at(-1) as Expr, filter: filterBy });
}

function filter(build: Builder, call: MacroCall & { readonly target: Expr }): Expansion {
  const names = variables(call.args, 1, NO_IDENTIFIER);
  if (names instanceof MacroError) return names;
  const element = build.ident(call.at, names[0] ?? '');
  return gather(build, call, names, { element, filter: call.args[1] });
}

function transformList(build: Builder, call: MacroCall & { readonly target: Expr }): Expansion {
  const names = variables(call.args, 2, NO_SIMPLE_NAME);
  if (names instanceof MacroError) return names;
  const filterBy = call.args.length === 4 ? call.args[2] : undefined;
  return gather(build, call, names, { element: call.args.at(-1) as Expr, filter: filterBy });
}

function transformMap(build: Builder, call: MacroCall & { readonly target: Expr }): Expansion {
  const names = variables(call.args, 2, NO_SIMPLE_NAME);
  if (names instanceof MacroError) return names;
  const key = build.ident(call.at, names[0] ?? '');
  return gatherMap(build, call, names, [key, call.args.at(-1) as Expr]);
}

function transformMapEntry(build: Builder, call: MacroCall & { readonly target: Expr }): Expansion {
  const names = variables(call.args, 2, NO_SIMPLE_NAME);
  if (names instanceof MacroError) return names;
  return gatherMap(build, call, names, [call.args.at(-1) as Expr]);
}

function gatherMap(
  build: Builder,
  call: MacroCall & { readonly target: Expr },
  names: readonly string[],
  inserted: readonly Expr[],
): Expr {
  const { at, args } = call;
  const result = (): Expr => build.ident(at, ACCUMULATOR);
  const insertion = build.call(at, 'cel.@mapInsert', result(), ...inserted);
  const filterBy = args.length === 4 ? args[2] : undefined;
  const step = filterBy === undefined ? insertion : build.call(at, '_?_:_', filterBy, insertion, result());
  return fold(build, call, names, {
    accuInit: build.map(at, []),
    condition: build.literal(at, true),
    step,
    result: result(),
  });
}

function binding(build: Builder, at: number, name: string, value: Expr, result: Expr): Expr {
  return build.loop(at, {
    range: build.list(at, []),
    iterVar: UNUSED,
    accuVar: name,
    accuInit: value,
    condition: build.literal(at, false),
    step: build.ident(at, name),
    result,
  });
}

function bind(build: Builder, { at, args }: MacroCall): Expansion {
  const [name, value, result] = args as readonly [Expr, Expr, Expr];
  if (name.kind !== 'ident') {
    return new MacroError(name.at, 'cel.bind() variable names must be simple identifiers');
  }
  return binding(build, at, name.name, value, result);
}

const SORT_INPUT = '@__sortBy_input__';
const SORTABLE = ['list', 'select', 'ident', 'comprehension', 'call'];

function sortBy(build: Builder, call: MacroCall & { readonly target: Expr }): Expansion {
  const { at, target } = call;
  if (!SORTABLE.includes(target.kind)) {
    const message = 'sortBy can only be applied to a list, identifier, comprehension, call or select expression';
    return new MacroError(target.at, message);
  }
  const keys = transformSingle(build, { ...call, target: build.ident(at, SORT_INPUT) });
  if (keys instanceof MacroError) return keys;
  const sorted = build.method(at, build.ident(at, SORT_INPUT), '@sortByAssociatedKeys', keys);
  return binding(build, at, SORT_INPUT, target, sorted);
}

const OPTIONAL_TARGET = '@target';

function mapOptional(build: Builder, call: MacroCall & { readonly target: Expr }, wraps: boolean): Expansion {
  const { at, target, args } = call;
  const [name, body] = args as readonly [Expr, Expr];
  if (name.kind !== 'ident') {
    return new MacroError(name.at, `${call.fn}() variable name must be a simple identifier`);
  }
  const value = build.method(at, build.ident(at, OPTIONAL_TARGET), 'value');
  const inner = binding(build, at, name.name, value, body);
  const mapped = wraps ? build.call(at, 'optional.of', inner) : inner;
  const has = build.method(at, build.ident(at, OPTIONAL_TARGET), 'hasValue');
  const chosen = build.call(at, '_?_:_', has, mapped, build.call(at, 'optional.none'));
  return binding(build, at, OPTIONAL_TARGET, target, chosen);
}
