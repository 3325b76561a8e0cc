/** Warns about quantities with fractions of bytes. Pure. */
import { key } from '../field-error.ts';
import { parseQuantity } from '../quantity.ts';

const NANO = 1_000_000_000n;
const MILLI = NANO / 1000n;

/** For the quantities `names` of a list of resources at `path`. */
export function fractionalBytes(
  resources: Readonly<Record<string, unknown>> | undefined,
  names: readonly string[],
  path: string,
): string[] {
  return names.flatMap((name) => {
    const quantity = resources?.[name];
    if (typeof quantity !== 'string' && typeof quantity !== 'number') return [];
    const { nano } = parseQuantity(String(quantity));
    // Upstream looks at thousandths, rounded up.
    const isWhole = ((nano + MILLI - 1n) / MILLI) % 1000n === 0n;
    const text = `fractional byte value ${JSON.stringify(String(quantity))} is invalid, must be an integer`;
    return isWhole ? [] : [`${key(path, name)}: ${text}`];
  });
}
