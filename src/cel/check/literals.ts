/** Constants that cannot be what they are used for: durations, timestamps and patterns (upstream: cel/validator). Pure. */
import type { Call, Expr } from '../syntax/ast.ts';
import type { Problem } from '../syntax/problem.ts';
import { compilePattern } from '../library/regex.ts';
import { parseDuration, parseTimestamp } from '../values/time.ts';
import { CelError } from '../values/value.ts';

/** What is wrong with the constant argument of a call; undefined when it is right, or no constant. */
export function literalProblem(node: Call): Problem | undefined {
  const arg = patternOf(node) ?? node.args[0];
  if (arg?.kind !== 'literal' || typeof arg.value !== 'string') return undefined;
  switch (node.fn) {
    case 'duration':
      return parseDuration(arg.value) === undefined ? mistake(arg, node.fn) : undefined;
    case 'timestamp':
      return parseTimestamp(arg.value) === undefined ? mistake(arg, node.fn) : undefined;
    case 'matches':
      return compilePattern(arg.value) instanceof CelError ? mistake(arg, node.fn) : undefined;
    default:
      return undefined;
  }
}

function patternOf(node: Call): Expr | undefined {
  return node.fn === 'matches' && node.target === undefined ? node.args[1] : undefined;
}

function mistake(arg: Expr, fn: string): Problem {
  return { at: arg.at, message: `invalid ${fn} argument` };
}
