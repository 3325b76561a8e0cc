/** Prints the logs of a simulation's parts between the lines of its trace. */
import type { Logger } from '../lib/index.ts';

/** @param out receives each line */
export function printingLogger(out: (line: string) => void, bound: Readonly<Record<string, unknown>> = {}): Logger {
  const print =
    (level: string) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      const all = { ...bound, ...fields };
      const text = Object.entries(all).map(
        ([name, value]) => `${name}=${value instanceof Error ? value.stack : JSON.stringify(value)}`,
      );
      out(`      ${level} ${message} ${text.join(' ')}`);
    };
  return {
    debug: print('debug'),
    info: print('info'),
    warn: print('warn'),
    error: print('error'),
    child: (fields) => printingLogger(out, { ...bound, ...fields }),
  };
}
