/** Estimated and actual costs of an expression, computed as upstream's own tests of costs do: without folding constants. */
import { check } from './check/checker.ts';
import { estimateTree } from './estimate/estimate-cost.ts';
import type { Range } from './estimate/range.ts';
import { KUBERNETES } from './library/functions.ts';
import { generate } from './run/code.ts';
import { Machine } from './run/machine.ts';
import { parse } from './syntax/parser.ts';
import type { CelType } from './types/type.ts';
import { CelError, type Value } from './values/value.ts';

export interface Costs {
  readonly estimate: Range;
  readonly actual: number;
  readonly value: Value | CelError;
}

export interface CostInput {
  readonly types?: Readonly<Record<string, CelType>>;
  readonly values?: Readonly<Record<string, Value>>;
}

/** The sizes that upstream's tests give texts and bytes of which nothing is known. */
const TEXT_SIZE: Range = { min: 0, max: 12 };

export function costsOf(source: string, input: CostInput = {}): Costs {
  const { tree, problems } = parse(source);
  if (tree === undefined) throw new Error(problems.map(({ message }) => message).join('; '));
  const variables = new Map(Object.entries(input.types ?? {}));
  const checked = check(tree, { functions: KUBERNETES, variables, mixedLiterals: true });
  if ('problems' in checked) throw new Error(checked.problems.map(({ message }) => message).join('; '));
  const sizes = (type: CelType): Range | undefined =>
    type.kind === 'string' || type.kind === 'bytes' ? TEXT_SIZE : undefined;
  const estimate = estimateTree(checked, () => undefined, sizes);
  const machine = new Machine(generate(checked, KUBERNETES, false), (name) => input.values?.[name], 1e9);
  const value = machine.advance(1e9) ?? new CelError('not at the end');
  return { estimate, actual: machine.cost, value };
}
