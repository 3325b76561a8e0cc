/** The extent of the suites of the live page: `npm run e2e:page` runs everything, `npm test` has a minute for them. */
import { it } from 'vitest';

const isWhole = process.env['MENDLET_PAGE'] === 'all';

/** `whole` in `npm run e2e:page`, `short` in `npm test`: a number of rounds, a size, or a list of cases. */
export function inShort<T>(short: T, whole: T): T {
  return isWhole ? whole : short;
}

/** A test of `npm run e2e:page` alone. */
export const itInWhole: (name: string, test: () => void | Promise<void>) => void = isWhole ? it : () => {};
