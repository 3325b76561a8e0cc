/** Plays seeds one after another and prints the results, for the command lines of all simulators. */
import type { Logger } from '../lib/index.ts';
import { printingLogger } from './printing-logger.ts';
import type { RunReport } from './run-seed.ts';
import { Trace } from './trace.ts';

const LINES_OF_A_FAILURE = 60;

/** The flags that all simulators have, as `parseArgs` takes them. */
export const SEED_FLAGS = {
  seed: { type: 'string' },
  seeds: { type: 'string' },
  from: { type: 'string', default: '1' },
  only: { type: 'string' },
  trace: { type: 'boolean', default: false },
  log: { type: 'boolean', default: false },
  'check-determinism': { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
} as const;

export interface SeedFlags {
  readonly seed?: string | undefined;
  readonly seeds?: string | undefined;
  readonly from: string;
  readonly only?: string | undefined;
  readonly trace: boolean;
  readonly log: boolean;
  readonly 'check-determinism': boolean;
  readonly list: boolean;
}

export interface Play {
  readonly trace: Trace;
  readonly only?: readonly string[];
  readonly logger?: Logger;
}

export interface SeedProgram {
  readonly flags: SeedFlags;
  /** The name of a run: "seed", "fleet". */
  readonly word: string;
  /** The command that plays a seed again, without the seed. */
  readonly again: string;
  /** Default number of seeds. */
  readonly count: number;
  /** Names of all nemeses. */
  readonly nemeses: readonly string[];
  readonly run: (seed: number, play: Play) => Promise<RunReport>;
  readonly print: (line: string) => void;
  /** Real ms. */
  readonly now: () => number;
}

/** @returns whether all seeds passed */
export async function playSeeds(program: SeedProgram): Promise<boolean> {
  const { flags, nemeses, print } = program;
  if (flags.list) {
    for (const name of nemeses) print(name);
    return true;
  }
  const from = Number(flags.seed ?? flags.from);
  const count = flags.seed === undefined ? Number(flags.seeds ?? program.count) : 1;
  let failed = 0;
  for (let seed = from; seed < from + count; seed += 1) {
    if (!(await playOne(program, seed))) failed += 1;
  }
  print(failed === 0 ? `${count} seeds, all well` : `${failed} of ${count} seeds failed`);
  return failed === 0;
}

/** @returns whether the seed passed */
async function playOne(program: SeedProgram, seed: number): Promise<boolean> {
  const { flags, word, print, now } = program;
  const began = now();
  const report = await simulate(program, seed, flags.trace);
  const seconds = ((now() - began) / 1000).toFixed(1);
  const minutes = (report.virtualMs / 60_000).toFixed(0);
  print(
    `${word} ${seed}: ${report.hash}, ${report.events} events, ${minutes} virtual minutes in ${seconds} s [${report.nemeses.join(' ')}]`,
  );
  if (report.failure !== undefined) {
    const { failure } = report;
    print(failure instanceof Error ? (failure.stack ?? failure.message) : JSON.stringify(failure));
    print(`\nagain: ${program.again} --seed ${seed} --trace`);
    return false;
  }
  if (!flags['check-determinism']) return true;
  const again = await simulate(program, seed, false);
  if (again.hash === report.hash) return true;
  print(`${word} ${seed}: not deterministic: ${report.hash}, then ${again.hash}`);
  return false;
}

async function simulate(program: SeedProgram, seed: number, isTraced: boolean): Promise<RunReport> {
  const { flags, nemeses, print } = program;
  const trace = new Trace({ keep: LINES_OF_A_FAILURE, ...(isTraced ? { sink: print } : {}) });
  const only = flags.only === 'all' ? nemeses : flags.only?.split(',');
  const report = await program.run(seed, {
    trace,
    ...(only === undefined ? {} : { only }),
    ...(flags.log ? { logger: printingLogger(print) } : {}),
  });
  if (report.failure !== undefined && !isTraced) print(trace.lastLines().join('\n'));
  return report;
}
