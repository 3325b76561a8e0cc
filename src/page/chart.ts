/** A day's figures as a line with an area below it. Gaps stay gaps. Pure. */

export const CHART_WIDTH = 288;
export const CHART_HEIGHT = 56;

export interface Chart {
  readonly line: string;
  readonly area: string;
  /** The value at the upper edge. */
  readonly top: number;
  /** The highest and the newest value; absent: nothing is known. */
  readonly peak?: { readonly value: number; readonly at: number };
  readonly last?: number;
}

/** @param from when the first step begins, wall ms */
export function chartOf(values: readonly (number | null)[], from: number, stepMs: number): Chart {
  const known = values.flatMap((value, index) => (isFigure(value) ? [{ value, index }] : []));
  const highest = known.reduce(
    (best, each) => (each.value > best.value ? each : best),
    known[0] ?? { value: 0, index: 0 },
  );
  const top = niceTop(highest.value);
  const x = (index: number): string => short((index / Math.max(1, values.length - 1)) * CHART_WIDTH);
  const y = (value: number): string => short(CHART_HEIGHT - 1 - (value / top) * (CHART_HEIGHT - 3));
  const [lines, areas]: [string[], string[]] = [[], []];
  for (const run of runsOf(known)) {
    const points = run.map(({ value, index }) => `${x(index)} ${y(value)}`);
    // A single step would be a line without length.
    const line = points.length === 1 ? `M${points[0] ?? ''}h1` : `M${points.join('L')}`;
    lines.push(line);
    areas.push(`${line}L${x(run.at(-1)?.index ?? 0)} ${CHART_HEIGHT}L${x(run[0]?.index ?? 0)} ${CHART_HEIGHT}z`);
  }
  const last = known.at(-1)?.value;
  return {
    line: lines.join(''),
    area: areas.join(''),
    top,
    ...(last === undefined ? {} : { peak: { value: highest.value, at: from + highest.index * stepMs }, last }),
  };
}

/** Bars that stand on the ground: how often, in each step. */
export function spikesOf(values: readonly (number | null)[]): Pick<Chart, 'line' | 'top'> & { readonly sum: number } {
  const known = values.flatMap((value, index) => (isFigure(value) && value > 0 ? [{ value, index }] : []));
  const top = Math.max(1, ...known.map(({ value }) => value));
  const line = known
    .map(({ value, index }) => {
      const at = short(((index + 0.5) / Math.max(1, values.length)) * CHART_WIDTH);
      return `M${at} ${CHART_HEIGHT}V${short(CHART_HEIGHT - (value / top) * (CHART_HEIGHT - 3))}`;
    })
    .join('');
  return { line, top, sum: known.reduce((sum, { value }) => sum + value, 0) };
}

/** Where an instant stands in the drawing; undefined: outside. */
export function instantX(at: number, from: number, stepMs: number, steps: number): number | undefined {
  const part = (at - from) / Math.max(1, stepMs * steps);
  return part < 0 || part > 1 ? undefined : Number(short(part * CHART_WIDTH));
}

function isFigure(value: number | null): value is number {
  return value !== null && Number.isFinite(value) && value >= 0;
}

interface Point {
  readonly value: number;
  readonly index: number;
}

function runsOf(points: readonly Point[]): readonly (readonly Point[])[] {
  const runs: Point[][] = [];
  for (const point of points) {
    const run = runs.at(-1);
    if (run !== undefined && run.at(-1)?.index === point.index - 1) run.push(point);
    else runs.push([point]);
  }
  return runs;
}

/** The next of 1, 2, 5 times a power of ten that is not below the value. */
function niceTop(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const top = ([1, 2, 5].find((step) => step * power >= value) ?? 10) * power;
  // At the ends of what a number can be, there is no such step.
  return Number.isFinite(top) && top >= value ? top : value;
}

function short(value: number): string {
  return String(Math.round(value * 10) / 10);
}
