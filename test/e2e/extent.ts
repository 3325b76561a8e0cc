/**
 * How much the end-to-end suites try. `npm run e2e` is the whole; `npm test` has a quarter of an hour for everything, so it shows each
 * behaviour once, on one runtime and with the newest kubectl.
 */
import { it } from 'vitest';

const isWhole = process.env['MENDLET_E2E'] === 'all';

/** `whole` in `npm run e2e`, `short` in `npm test`: a number of rounds, a size, or a list of cases. */
export function inShort<T>(short: T, whole: T): T {
  return isWhole ? whole : short;
}

type Define = (name: string, test: () => void | Promise<void>) => void;
const defineNone: Define = () => {};

/** A test of `npm run e2e` alone: another case, or another order of events, of what a test of `npm test` shows. */
export const itInWhole: Define = isWhole ? it : defineNone;

/** As `itInWhole`, beside the other concurrent tests of its suite. */
export const itConcurrentInWhole: Define = isWhole ? it.concurrent : defineNone;

/** Of the containerds that a suite knows: all of them in the whole, else the named one. */
export function onRuntimes<T extends { readonly name: string }>(runtimes: readonly T[], short: string): readonly T[] {
  const chosen = runtimes.filter(({ name }) => name === short);
  if (chosen.length === 0) throw new Error(`there is no runtime called ${short}`);
  return inShort(chosen, runtimes);
}
