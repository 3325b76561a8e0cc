/**
 * What calls cost at most and at least, and how large their results are, by the sizes of their arguments (upstream: checker/cost, ext/lists,
 * ext/sets, apiserver/pkg/cel/library/cost). Pure.
 */
import type { Expr } from '../syntax/ast.ts';
import { LIST_COST, PATTERN, TRAVERSAL } from '../run/actual-cost.ts';
import { type CelType, equalTypes } from '../types/type.ts';
import { exactly, MOST, ONE, plus, type Range, scaled, times } from './range.ts';

/** An argument, or what a list has as items. */
export interface Sized {
  readonly node: Expr | undefined;
  readonly type: CelType;
  readonly size: Range;
  /** The sizes of items, for lists. */
  readonly items?: Range;
}

export interface CallEstimate {
  readonly cost: Range;
  readonly result?: Range;
}

/** `target` first for methods and absent (undefined) otherwise. */
type Estimate = (target: Sized | undefined, args: readonly Sized[], overload: string) => CallEstimate | undefined;

const fixed =
  (cost: number): Estimate =>
  () => ({ cost: exactly(cost) });
const one = fixed(1);
/** The length of the pattern that stands for a named format. */
const FORMAT_PATTERN = 128;
const FORMAT_SIZE = 64;

function traverse(size: Range, factor = TRAVERSAL): Range {
  return scaled(size, factor);
}

const go: Estimate = (target) => {
  if (target === undefined) return undefined;
  if (target.type.kind !== 'list') return { cost: traverse(target.size) };
  const isText = target.type.elem.kind === 'string' || target.type.elem.kind === 'bytes';
  const each = isText ? plus(ONE, traverse(target.items ?? { min: 0, max: MOST })) : ONE;
  return { cost: times(target.size, each) };
};

/** A call of a text that goes through it, and answers at most as much. */
const walk: Estimate = (target) => target && { cost: traverse(target.size), result: target.size };
const walkArgument: Estimate = (_, [arg]) => arg && { cost: traverse(arg.size) };
const url: Estimate = (_, args) =>
  args.length === 1 && args[0] !== undefined ? { cost: traverse(args[0].size), result: args[0].size } : undefined;

const replace: Estimate = (target, args) => {
  const [part, by] = args;
  if (target === undefined || part === undefined || by === undefined) return undefined;
  const most = mostReplaced(target.size.max, part.size.min, by.size.max);
  const least = leastReplaced(target.size.min, part.size.max, by.size.min);
  return { cost: traverse(target.size, 2 * TRAVERSAL), result: { min: least, max: Math.min(MOST, most) } };
};

function mostReplaced(size: number, part: number, by: number): number {
  if (part === 0) return by === 0 ? size : (size + 1) * by + size;
  return by <= part ? size : Math.ceil(size / part) * by;
}

function leastReplaced(size: number, part: number, by: number): number {
  if (part === 0) return (size + 1) * by + size;
  return part <= by ? size : Math.ceil(size / part) * by;
}

const split: Estimate = (target, [, limit]) => {
  if (target === undefined) return undefined;
  const count = literalNumber(limit?.node) ?? target.size.max;
  return { cost: traverse(target.size, 2 * TRAVERSAL), result: { min: 0, max: count < 0 ? MOST : count } };
};

function literalNumber(node: Expr | undefined): number | undefined {
  return node?.kind === 'literal' && typeof node.value === 'bigint' ? Number(node.value) : undefined;
}

const join: Estimate = (target, [separator]) => {
  if (target === undefined) return undefined;
  const items = target.type.kind === 'list' ? times(target.size, target.items ?? { min: 0, max: MOST }) : exactly(0);
  const gaps = { min: Math.max(0, target.size.min - 1), max: Math.max(0, target.size.max - 1) };
  const result = separator === undefined ? items : plus(items, times(separator.size, gaps));
  return { cost: traverse(result), result };
};

function patternCost(text: Range, pattern: Range): Range {
  return times(traverse(plus(text, ONE)), scaled(pattern, PATTERN));
}

const find: Estimate = (target, [pattern]) =>
  target === undefined || pattern === undefined
    ? undefined
    : { cost: patternCost(target.size, pattern.size), result: { min: 0, max: target.size.max } };

const ADDRESS: Range = { min: 4, max: 16 };

function contained(extra: boolean, parsed: string): Estimate {
  return (_, [arg], overload) => {
    const compared = traverse(plus(ADDRESS, ADDRESS));
    const masked = extra ? plus(compared, traverse(ADDRESS), ONE) : compared;
    return { cost: overload === parsed && arg !== undefined ? plus(masked, traverse(arg.size)) : masked };
  };
}

const isCanonical: Estimate = (_, [arg]) => arg && { cost: traverse(arg.size, 2 * TRAVERSAL) };
const validate: Estimate = (_, [arg]) =>
  arg && { cost: scaled(traverse(arg.size), Math.ceil(FORMAT_PATTERN * PATTERN)) };

const selector: Estimate = (_, [arg]) => {
  if (arg === undefined) return undefined;
  const requirements = scaled(scaled(arg.size, 0.5), 50);
  return { cost: plus(exactly(LIST_COST), traverse(arg.size), requirements) };
};

const OPAQUE_EQUALITY: readonly string[] = ['kubernetes.Quantity', 'kubernetes.Semver', 'net.IP', 'net.CIDR'];

/** Values of the libraries are compared in one step. */
const equality: Estimate = (_, [left, right]) => {
  if (left === undefined || right === undefined || left.type.kind !== 'opaque') return undefined;
  if (!equalTypes(left.type, right.type)) return undefined;
  if (OPAQUE_EQUALITY.includes(left.type.name)) return { cost: ONE };
  if (left.type.name === 'kubernetes.NamedFormat') return { cost: traverse({ min: 1, max: FORMAT_SIZE }) };
  if (left.type.name !== 'kubernetes.URL') return { cost: ONE };
  return { cost: traverse({ min: 1, max: right.size.max }) };
};

function each(names: string, estimate: Estimate): Readonly<Record<string, Estimate>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, estimate]));
}

/** What Kubernetes says of functions by name; looked at before the overload. */
const BY_NAME: Readonly<Record<string, Estimate>> = {
  check: fixed(350_000),
  ...each(
    'serviceAccount path group resource subresource namespace name allowed reason error errored masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast format.named sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch getScheme getHostname getHost getPort getEscapedPath getQuery',
    one,
  ),
  fieldSelector: selector,
  labelSelector: selector,
  ...each('isSorted sum max min indexOf lastIndexOf', go),
  url,
  ...each('lowerAscii upperAscii substring trim', walk),
  replace,
  split,
  join,
  find,
  findAll: find,
  ...each('cidr isIP isCIDR quantity isQuantity semver isSemver', walkArgument),
  ip: (target, [arg]) => (target === undefined ? arg && { cost: traverse(arg.size) } : { cost: ONE }),
  'ip.isCanonical': isCanonical,
  containsIP: contained(false, 'cidr_contains_ip_string'),
  containsCIDR: contained(true, 'cidr_contains_cidr_string'),
  validate,
  '_==_': equality,
};

/** A list made anew. */
function allocated(size: Range, factor = 1): CallEstimate {
  return { cost: plus(scaled(size, factor), ONE, exactly(LIST_COST)), result: size };
}

const sortOf =
  (node: 'target' | 'argument', type: string): Estimate =>
  (target, [arg]) => {
    const list = node === 'target' ? target : arg;
    const factor = /_(?:string|bytes)_/.test(type) ? 2 + TRAVERSAL : 2;
    return list && allocated(times(list.size, list.size), factor);
  };

const pairsOf =
  (factor: number): Estimate =>
  (_, [left, right]) =>
    left && right && { cost: plus(scaled(times(left.size, right.size), factor), ONE) };

const compared: Estimate = (_, [left, right]) => {
  if (left === undefined || right === undefined) return undefined;
  const max = Math.min(left.size.max, right.size.max);
  return { cost: traverse({ min: max > 0 ? 1 : 0, max }) };
};

const concatenated: Estimate = (_, [left, right], overload) => {
  if (left === undefined || right === undefined) return undefined;
  const result = plus(left.size, right.size);
  return { cost: overload === 'add_list' ? ONE : traverse(result), result };
};

const matches: Estimate = (target, args) => {
  const [text, pattern] = target === undefined ? args : [target, args[0]];
  return text && pattern && { cost: patternCost(text.size, pattern.size) };
};

const quote: Estimate = (_, [arg]) =>
  arg && { cost: traverse(arg.size), result: { min: arg.size.min + 2, max: Math.min(MOST, arg.size.max * 2 + 2) } };

const BY_OVERLOAD: Readonly<Record<string, Estimate>> = {
  string_format: (target, [args]) =>
    target && args && { cost: traverse(target.size), result: plus(target.size, args.size) },
  strings_quote: quote,
  string_reverse: walk,
  string_to_bytes: (_, [arg]) =>
    arg && { cost: traverse(arg.size), result: { min: arg.size.min, max: Math.min(MOST, arg.size.max * 4) } },
  bytes_to_string: (_, [arg]) =>
    arg && { cost: traverse(arg.size), result: { min: Math.floor(arg.size.min / 4), max: arg.size.max } },
  starts_with_string: walkArgument,
  ends_with_string: walkArgument,
  in_list: (_, [, list]) => list && { cost: list.size },
  matches,
  matches_string: matches,
  contains_string: (target, [part]) => target && part && { cost: times(traverse(target.size), traverse(part.size)) },
  ...each('add_string add_bytes add_list', concatenated),
  ...each(
    'less_string greater_string less_equals_string greater_equals_string less_bytes greater_bytes less_equals_bytes greater_equals_bytes equals not_equals',
    compared,
  ),
  list_sets_contains_list: pairsOf(1),
  list_sets_intersects_list: pairsOf(1),
  list_sets_equivalent_list: pairsOf(2),
  list_slice: (target, [from, to]) => {
    const start = literalNumber(from?.node) ?? 0;
    return target && allocated(exactly(Math.max(0, (literalNumber(to?.node) ?? target.size.max) - start)));
  },
  list_flatten: (target) => target && allocated(target.size),
  list_flatten_int: (target, [depth]) => target && allocated(target.size, literalNumber(depth?.node) ?? MOST),
  lists_range: (_, [count]) => allocated(exactly(Math.max(0, literalNumber(count?.node) ?? MOST))),
  list_reverse: (target) => target && allocated(target.size),
  list_distinct: (target) => target && allocated(times(target.size, target.size), 2),
};

/** The estimate of one way to call a function; cost 1 for what nothing is said of. */
export function estimateCall(
  fn: string,
  overload: string,
  target: Sized | undefined,
  args: readonly Sized[],
): CallEstimate {
  const named = Object.hasOwn(BY_NAME, fn) ? BY_NAME[fn]?.(target, args, overload) : undefined;
  if (named !== undefined) return named;
  const exact = Object.hasOwn(BY_OVERLOAD, overload) ? BY_OVERLOAD[overload]?.(target, args, overload) : undefined;
  if (exact !== undefined) return exact;
  const sorted = sortEstimate(overload)?.(target, args, overload);
  return sorted ?? { cost: ONE };
}

function sortEstimate(overload: string): Estimate | undefined {
  if (overload.endsWith('_sort')) return sortOf('target', overload);
  return overload.endsWith('_sortByAssociatedKeys') ? sortOf('argument', overload) : undefined;
}
