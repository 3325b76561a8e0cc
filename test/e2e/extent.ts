/**
 * The extent of the end-to-end suites. `npm run e2e` runs everything; `npm test` has a quarter of an hour for everything, so it
 * tests each behaviour once, on one runtime and with the newest kubectl.
 */
import { describe, it } from 'vitest';

const isWhole = process.env['MENDLET_E2E'] === 'all';

/** `whole` in `npm run e2e`, `short` in `npm test`: a number of rounds, a size, or a list of cases. */
export function inShort<T>(short: T, whole: T): T {
  return isWhole ? whole : short;
}

type Define = (name: string, test: () => void | Promise<void>) => void;
const defineNone: Define = () => {};

/** A test of `npm run e2e` alone: another case, or another order of events, of a behaviour that `npm test` tests, too. */
export const itInWhole: Define = isWhole ? it : defineNone;

/** Like `itInWhole`, concurrent with other tests of its suite. */
export const itConcurrentInWhole: Define = isWhole ? it.concurrent : defineNone;

/** Tests of `npm run e2e` alone that share what is set up for them. */
export const describeInWhole: (name: string, tests: () => void) => void = isWhole ? describe : () => {};

/** All containerds of a suite in `npm run e2e`, else only the named one. */
export function onRuntimes<T extends { readonly name: string }>(runtimes: readonly T[], short: string): readonly T[] {
  const chosen = runtimes.filter(({ name }) => name === short);
  if (chosen.length === 0) throw new Error(`there is no runtime called ${short}`);
  return inShort(chosen, runtimes);
}
