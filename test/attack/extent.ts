/** The extent of attacks: `npm run attack` may take long, `npm test` has a quarter of an hour for everything. */
const isShort = process.env['MENDLET_ATTACK'] === 'short';

/** `whole` in `npm run attack`, `short` in `npm test`: a number of runs, a size, or a list of cases. */
export function inShort<T>(short: T, whole: T): T {
  return isShort ? short : whole;
}
