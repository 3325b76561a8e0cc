/**
 * What calls cost at run time (upstream: interpreter/runtimecost, ext/lists, ext/sets, apiserver/pkg/cel/library/cost). One unit is about
 * what one operator takes. Pure.
 */
import { countCodePoints } from '../syntax/lexer.ts';
import type { NamedFormat } from '../library/formats.ts';
import { isList, isMap, isOpaque, type ListValue, type Value } from '../values/value.ts';
import { utf8 } from '../values/bytes.ts';

/** Per character of a string. */
export const TRAVERSAL = 0.1;
/** Per character of a pattern. */
export const PATTERN = 0.25;
export const LIST_COST = 10;
export const MAP_COST = 30;
const STRUCT_COST = 40;
const CHECK_COST = 350_000;

/** What `size(x)` would say; 1 for what has no size. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return countCodePoints(value);
  if (typeof value !== 'object' || value === null) return 1;
  if (value instanceof Uint8Array) return value.length;
  if (isList(value) || isMap(value)) return value.size;
  return isOpaque(value) ? (value.size ?? 1) : 1;
}

function traversal(value: Value | undefined, factor = TRAVERSAL): number {
  return Math.ceil(sizeOf(value ?? null) * factor);
}

function patternCost(text: number, pattern: number): number {
  return Math.ceil((1 + text) * TRAVERSAL) * Math.ceil(pattern * PATTERN);
}

/** The cost of going through a whole value, however deep. */
function depthCost(value: Value): number {
  if (typeof value === 'string') return Math.floor(utf8(value).length * TRAVERSAL);
  if (value instanceof Uint8Array) return Math.floor(value.length * TRAVERSAL);
  if (typeof value !== 'object' || value === null) return 1;
  let cost = 0;
  if (isList(value)) {
    for (let index = 0; index < value.size; index++) cost += depthCost(value.get(index));
    return cost;
  }
  if (!isMap(value)) return 1;
  for (const key of value.keys()) cost += depthCost(key) + depthCost(value.get(key) ?? null);
  return cost;
}

type CallCost = (args: readonly Value[], overload: string) => number;

const one: CallCost = () => 1;
const walk: CallCost = ([target]) => traversal(target);
const walkTwice: CallCost = ([target]) => traversal(target, 2 * TRAVERSAL);
const go: CallCost = ([target]) => depthCost(target ?? null);
const search: CallCost = ([text, pattern]) => patternCost(sizeOf(text ?? null), sizeOf(pattern ?? null));

function selectorCost([, selector]: readonly Value[]): number {
  const length = sizeOf(selector ?? null);
  const requirements = Math.ceil(length * 0.5);
  return LIST_COST + Math.ceil(length * TRAVERSAL) + Math.ceil(requirements * (LIST_COST + STRUCT_COST));
}

function contained([network, inner]: readonly Value[], extra: boolean, parses: boolean): number {
  const size = sizeOf(network ?? null);
  const masks = extra ? Math.ceil(size * TRAVERSAL) + 1 : 0;
  return Math.ceil(2 * size * TRAVERSAL) + masks + (parses ? traversal(inner) : 0);
}

function validation([format, text]: readonly Value[]): number {
  if (format === undefined || !isOpaque(format)) return 1;
  return patternCost(sizeOf(text ?? null), (format.inner as NamedFormat).patternSize);
}

/** What Kubernetes says of functions by name; looked at before the overload. */
const BY_NAME: Readonly<Record<string, CallCost>> = {
  check: () => CHECK_COST,
  ...each(
    'serviceAccount path group resource subresource namespace name allowed reason error errored masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast format.named sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch getScheme getHostname getHost getPort getEscapedPath getQuery',
    one,
  ),
  fieldSelector: selectorCost,
  labelSelector: selectorCost,
  ...each('isSorted sum max min indexOf lastIndexOf', go),
  ...each('url lowerAscii upperAscii substring trim cidr isIP isCIDR quantity isQuantity semver isSemver', walk),
  replace: walkTwice,
  split: walkTwice,
  'ip.isCanonical': walkTwice,
  find: search,
  findAll: search,
  ip: (args, overload) => (overload === 'cidr_ip' ? 1 : walk(args, overload)),
  containsIP: (args, overload) => contained(args, false, overload === 'cidr_contains_ip_string'),
  containsCIDR: (args, overload) => contained(args, true, overload === 'cidr_contains_cidr_string'),
  validate: validation,
};

function each(names: string, cost: CallCost): Readonly<Record<string, CallCost>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, cost]));
}

const smaller: CallCost = ([left, right]) =>
  Math.ceil(Math.min(sizeOf(left ?? null), sizeOf(right ?? null)) * TRAVERSAL);
const both: CallCost = ([left, right]) => Math.ceil((sizeOf(left ?? null) + sizeOf(right ?? null)) * TRAVERSAL);

function pairs(factor: number): CallCost {
  return ([left, right]) => 1 + Math.floor(sizeOf(left ?? null) * sizeOf(right ?? null) * factor);
}

/** A list compared with itself, and made anew. */
function selfCompare(list: Value | undefined): number {
  const size = sizeOf(list ?? null);
  const first = size > 0 ? (list as ListValue).get(0) : null;
  const factor = typeof first === 'string' || first instanceof Uint8Array ? 2 + TRAVERSAL : 2;
  return Math.floor(size * size * factor) + 1 + LIST_COST;
}

const BY_OVERLOAD: Readonly<Record<string, CallCost>> = {
  ...each(
    'starts_with_string ends_with_string string_to_bytes bytes_to_string string_format strings_quote string_reverse',
    walk,
  ),
  in_list: ([, list]) => sizeOf(list ?? null),
  ...each(
    'less_string greater_string less_equals_string greater_equals_string less_bytes greater_bytes less_equals_bytes greater_equals_bytes not_equals',
    smaller,
  ),
  equals: (args, overload) => (args[0] !== undefined && isOpaque(args[0]) ? 1 : smaller(args, overload)),
  add_string: both,
  add_bytes: both,
  matches: search,
  matches_string: search,
  contains_string: ([text, part]) => traversal(text) * traversal(part),
  list_sets_contains_list: pairs(1),
  list_sets_intersects_list: pairs(1),
  list_sets_equivalent_list: pairs(2),
  list_flatten: ([list]) => sizeOf(list ?? null) + 1 + LIST_COST,
  list_flatten_int: ([list, depth]) => Math.max(0, sizeOf(list ?? null) * Number(depth ?? 1n)) + 1 + LIST_COST,
  list_reverse: ([list]) => sizeOf(list ?? null) + 1 + LIST_COST,
  list_distinct: ([list]) => selfCompare(list),
};

/** What a call costs, as far as its arguments tell; it is charged before the call runs, so that nothing large runs in vain. */
export function callCost(fn: string, overload: string, args: readonly Value[]): number {
  if (COSTS_BY_RESULT.has(fn)) return 0;
  const named = Object.hasOwn(BY_NAME, fn) ? BY_NAME[fn] : undefined;
  if (named !== undefined) return named(args, overload);
  const exact = Object.hasOwn(BY_OVERLOAD, overload) ? BY_OVERLOAD[overload] : undefined;
  if (exact !== undefined) return exact(args, overload);
  if (overload.endsWith('_sort')) return selfCompare(args[0]);
  return overload.endsWith('_sortByAssociatedKeys') ? selfCompare(args[1]) : 1;
}

const COSTS_BY_RESULT: ReadonlySet<string> = new Set(['join', 'slice', 'lists.range']);

/** What is added for the size of the result. */
export function resultCost(fn: string, result: Value): number {
  if (!COSTS_BY_RESULT.has(fn)) return 0;
  return fn === 'join' ? traversal(result, 2 * TRAVERSAL) : sizeOf(result) + 1 + LIST_COST;
}
