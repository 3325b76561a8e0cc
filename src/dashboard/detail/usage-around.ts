/** What the pods of a workload used around a death, from the figures that its nodes keep of each five minutes. Pure. */
import { formatBytes } from '../../diagnosis/index.ts';
import type { LifeDeath, Series } from '../../page/index.ts';

const PODS = 'its pods together';

/** @param series undefined: nobody keeps figures */
export function withUsage(deaths: readonly LifeDeath[], series: Series | undefined): readonly LifeDeath[] {
  return series === undefined ? deaths : deaths.map((death) => ({ ...death, evidence: around(death, series) }));
}

function around({ at, evidence }: LifeDeath, { from, stepMs, cpu, memory }: Series): LifeDeath['evidence'] {
  const step = Math.floor((at - from) / stepMs);
  const minutes = `${Math.round(stepMs / 60_000)} min`;
  // Memory is as it was at the end of a step, CPU the mean of one.
  const bytes = textOf([
    [memory[step - 1], (value) => `${formatBytes(value)} before`],
    [memory[step], (value) => `${formatBytes(value)} after`],
  ]);
  const cores = textOf([
    [cpu[step - 1], (value) => `${coresText(value)} in the ${minutes} before`],
    [cpu[step], (value) => `${coresText(value)} in those of it`],
  ]);
  return { ...evidence, ...both('memory', evidence.memory, bytes), ...both('cpu', evidence.cpu, cores) };
}

function both(
  field: 'memory' | 'cpu',
  own: string | undefined,
  figures: string | undefined,
): Pick<LifeDeath['evidence'], 'memory' | 'cpu'> {
  if (figures === undefined) return {};
  return { [field]: own === undefined ? figures : `${own}; ${figures}` };
}

/** "31Mi before, 12Mi after (its pods together)" */
function textOf(
  figures: readonly (readonly [value: number | null | undefined, write: (value: number) => string])[],
): string | undefined {
  const parts = figures.flatMap(([value, write]) => (typeof value === 'number' ? [write(value)] : []));
  return parts.length === 0 ? undefined : `${parts.join(', ')} (${PODS})`;
}

function coresText(cores: number): string {
  return `${Number(cores.toFixed(3))} cores`;
}
