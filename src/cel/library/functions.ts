/** All functions that Kubernetes offers to expressions, by name. Pure. */
import { CONVERSIONS } from './conversions.ts';
import { NAMED_FORMATS } from './formats.ts';
import { IPS } from './ip.ts';
import { LISTS } from './lists.ts';
import { OPTIONALS } from './optionals.ts';
import type { Overload } from './overload.ts';
import { QUANTITIES } from './quantity.ts';
import { REGEX } from './regex.ts';
import { SEMVERS } from './semver.ts';
import { STANDARD } from './standard.ts';
import { STRINGS } from './strings.ts';
import { TIMESTAMPS } from './timestamps.ts';
import { URLS } from './urls.ts';

/** Name → all ways to call it. */
export type Functions = ReadonlyMap<string, readonly Overload[]>;

export function functionsOf(overloads: readonly Overload[]): Functions {
  const functions = new Map<string, Overload[]>();
  for (const row of overloads) {
    const list = functions.get(row.fn);
    if (list === undefined) functions.set(row.fn, [row]);
    else list.push(row);
  }
  return functions;
}

export const KUBERNETES: Functions = functionsOf([
  ...STANDARD,
  ...CONVERSIONS,
  ...OPTIONALS,
  ...TIMESTAMPS,
  ...REGEX,
  ...STRINGS,
  ...LISTS,
  ...URLS,
  ...IPS,
  ...QUANTITIES,
  ...SEMVERS,
  ...NAMED_FORMATS,
]);
