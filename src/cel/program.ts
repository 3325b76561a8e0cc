/** Compiles expressions, estimates what they cost, and runs them. */
import type { Clock } from '../lib/index.ts';
import { check, type Checked } from './check/checker.ts';
import { estimateTree } from './estimate/estimate-cost.ts';
import type { Range } from './estimate/range.ts';
import { type Functions, functionsOf, KUBERNETES } from './library/functions.ts';
import type { Overload } from './library/overload.ts';
import { PER_CALL_LIMIT } from './limits.ts';
import { type Code, generate } from './run/code.ts';
import { type Activation, COST_EXCEEDED, Machine } from './run/machine.ts';
import { parse } from './syntax/parser.ts';
import { formatProblems, type Problem } from './syntax/problem.ts';
import { celTypeOf } from './types/cel-type-of.ts';
import type { DeclaredType } from './types/declared-type.ts';
import { type CelType, equalTypes, formatType, optionalOf } from './types/type.ts';
import { CelError, type Value } from './values/value.ts';

/** A variable: of a declared type, which says how large its values may be, or of any type of the language. */
export type Variable =
  | { readonly declared: DeclaredType; readonly isOptional?: boolean }
  | { readonly type: CelType; readonly isOptional?: never };

export interface Environment {
  readonly variables: Readonly<Record<string, Variable>>;
  /** Functions besides Kubernetes' own, such as the authorizer's; see `overload`. */
  readonly functions?: readonly Overload[];
  /** The type that the expression must have, as the caller's message names it. */
  readonly result?: CelType;
  /** Whether the items of a list or map literal may be of different types; Kubernetes says no. */
  readonly mixedLiterals?: boolean;
}

/** A compiled expression. It holds no state of evaluations, and can run many times at once. */
export interface Program {
  readonly source: string;
  readonly type: CelType;
  /** The variables that the expression uses: a rule that uses `oldSelf` is a transition rule. */
  readonly variables: ReadonlySet<string>;
  /** What one evaluation costs at least and at most, in upstream's units. 2⁶⁴ stands for what has no bound. */
  readonly estimate: Range;
  /** For `evaluate` and `run` alone. */
  readonly code: Code;
}

export interface CompileFailure {
  readonly problems: readonly Problem[];
  /** The problems as upstream prints them, for a Status: `ERROR: <input>:1:6: …`. */
  readonly text: string;
}

export function isFailure(compiled: Program | CompileFailure): compiled is CompileFailure {
  return 'problems' in compiled;
}

/** Parses, checks types, estimates costs. Never throws; a hostile source is bounded by its length, nesting and number of parts. */
export function compile(source: string, environment: Environment): Program | CompileFailure {
  const { tree, problems } = parse(source);
  if (tree === undefined) return failure(source, problems);
  const functions = functionsFor(environment);
  const variables = new Map(Object.entries(environment.variables).map(([name, variable]) => [name, typeOf(variable)]));
  const checked = check(tree, { functions, variables, mixedLiterals: environment.mixedLiterals ?? false });
  if ('problems' in checked) return failure(source, checked.problems);
  const { result } = environment;
  if (result !== undefined && !equalTypes(result, checked.type)) {
    const message = `must evaluate to ${formatType(result)}`;
    return { problems: [{ at: 0, message }], text: message };
  }
  const estimate = estimateTree(checked, (name) => hintOf(environment.variables[name]));
  return programOf(source, checked, functions, estimate);
}

function programOf(source: string, checked: Checked, functions: Functions, estimate: Range): Program {
  const code = generate(checked, functions, true);
  return { source, type: checked.type, variables: checked.variables, estimate, code };
}

function failure(source: string, problems: readonly Problem[]): CompileFailure {
  return { problems, text: formatProblems(source, problems) };
}

function functionsFor({ functions }: Environment): Functions {
  if (functions === undefined || functions.length === 0) return KUBERNETES;
  return functionsOf([...[...KUBERNETES.values()].flat(), ...functions]);
}

function typeOf(variable: Variable): CelType {
  if ('type' in variable) return variable.type;
  const type = celTypeOf(variable.declared);
  return variable.isOptional === true ? optionalOf(type) : type;
}

/** Of optional variables upstream's estimator knows no size, since it looks for the declared type of what is within. */
function hintOf(variable: Variable | undefined): DeclaredType | undefined {
  return variable !== undefined && 'declared' in variable ? variable.declared : undefined;
}

/** The outcome of one evaluation. */
export interface Evaluation {
  /** The value, or why there is none. */
  readonly value: Value | CelError;
  /** What it has cost; on an error what it had cost until then. */
  readonly cost: number;
}

/** Whether an evaluation ended since it cost more than it may. */
export function isCostExceeded({ value }: Evaluation): boolean {
  return value instanceof CelError && value.message === COST_EXCEEDED;
}

/** Evaluates at once; for rules whose estimate is small. `limit`: what the evaluation may cost, in upstream's units. */
export function evaluate(program: Program, activation: Activation, limit: number = PER_CALL_LIMIT): Evaluation {
  const machine = new Machine(program.code, activation, limit);
  for (;;) {
    const value = machine.advance(Number.MAX_SAFE_INTEGER);
    if (value !== undefined) return { value, cost: machine.cost };
  }
}

/** Instructions between two looks at the clock: less than a millisecond of them. */
const STEPS = 1024;
/** How long an evaluation keeps the loop, ms. */
const TURN_MS = 10;
/** Estimates up to this are run at once: some thousand steps. */
export const SMALL_ESTIMATE = 10_000;

export interface RunOptions {
  /** What the evaluation may cost; upstream's limit of one call by default. */
  readonly limit?: number;
  /** Gives way to other work of the loop each 10 ms of it. In simulated time an evaluation takes no time, and never gives way. */
  readonly clock: Clock;
}

/** Evaluates, and gives way to other work each 10 ms. Never throws for what a user wrote: that is the evaluation's error. */
export async function run(program: Program, activation: Activation, options: RunOptions): Promise<Evaluation> {
  const { clock, limit = PER_CALL_LIMIT } = options;
  if (program.estimate.max <= SMALL_ESTIMATE) return evaluate(program, activation, limit);
  const machine = new Machine(program.code, activation, limit);
  let turnEnds = clock.now().mono + TURN_MS;
  for (;;) {
    const value = machine.advance(STEPS);
    if (value !== undefined) return { value, cost: machine.cost };
    if (clock.now().mono < turnEnds) continue;
    await clock.sleep(0);
    turnEnds = clock.now().mono + TURN_MS;
  }
}
