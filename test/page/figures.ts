/** Figures that suites print: they say how it is on this machine now, and are no verdict. */

export function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

export function printFigure(what: string, figure: string): void {
  // Vitest would hold it back until the end of the test, and put a heading above each.
  process.stdout.write(`figure: ${what}: ${figure}\n`);
}
