/**
 * npm run sim:fleet -- [--seed N] [--seeds N] [--from N] [--minutes M] [--nodes N] [--big] [--only a,b|all] [--trace] [--log]
 *                      [--check-determinism] [--list]
 * --big: a hundred nodes and thousands of pods. Exit code 1 when a seed fails; the same seed gives the same run.
 */
import { setMaxListeners } from 'node:events';
import { parseArgs } from 'node:util';
import { realEventLoop } from '../event-loop.node.ts';
import { printingLogger } from '../printing-logger.ts';
import type { RunReport } from '../run-seed.ts';
import { Trace } from '../trace.ts';
import { FLEET_NEMESES } from './nemeses.ts';
import { runFleet, SMALL_FLEET } from './run-fleet.ts';

const LINES_OF_A_FAILURE = 60;
const BIG_FLEET = { deployments: 20, replicas: 150, statefulSets: 10, daemonSets: 2, jobs: 20 } as const;

// One signal ends a whole process: that many parts of it listen is no leak.
setMaxListeners(0);

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    from: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '20' },
    nodes: { type: 'string' },
    big: { type: 'boolean', default: false },
    only: { type: 'string' },
    trace: { type: 'boolean', default: false },
    log: { type: 'boolean', default: false },
    'check-determinism': { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
});

if (values.list) {
  for (const { name } of FLEET_NEMESES) console.log(name);
} else {
  const from = Number(values.seed ?? values.from);
  const count = values.seed === undefined ? Number(values.seeds ?? '5') : 1;
  let failed = 0;
  for (let seed = from; seed < from + count; seed += 1) {
    if (!(await runOne(seed))) failed += 1;
  }
  console.log(failed === 0 ? `${count} seeds, all well` : `${failed} of ${count} seeds failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

/** True when the seed is well. */
async function runOne(seed: number): Promise<boolean> {
  const began = performance.now();
  const report = await simulate(seed, values.trace);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const minutes = (report.virtualMs / 60_000).toFixed(0);
  console.log(
    `fleet ${seed}: ${report.hash}, ${report.events} events, ${minutes} virtual minutes in ${seconds} s [${report.nemeses.join(' ')}]`,
  );
  if (report.failure !== undefined) {
    const { failure } = report;
    console.log(failure instanceof Error ? (failure.stack ?? failure.message) : JSON.stringify(failure));
    console.log(`\nagain: npm run sim:fleet -- --seed ${seed} --trace`);
    return false;
  }
  if (!values['check-determinism']) return true;
  const again = await simulate(seed, false);
  if (again.hash === report.hash) return true;
  console.log(`fleet ${seed}: not deterministic: ${report.hash}, then ${again.hash}`);
  return false;
}

async function simulate(seed: number, print: boolean): Promise<RunReport> {
  const trace = new Trace({
    keep: LINES_OF_A_FAILURE,
    ...(print ? { sink: (line: string) => console.log(line) } : {}),
  });
  const report = await runFleet({
    seed,
    loop: realEventLoop,
    minutes: Number(values.minutes),
    trace,
    nodes: Number(values.nodes ?? (values.big ? '100' : '9')),
    size: values.big ? BIG_FLEET : SMALL_FLEET,
    ...(values.only === undefined
      ? {}
      : { only: values.only === 'all' ? FLEET_NEMESES.map(({ name }) => name) : values.only.split(',') }),
    ...(values.log ? { logger: printingLogger((line) => console.log(line)) } : {}),
  });
  if (report.failure !== undefined && !print) console.log(trace.lastLines().join('\n'));
  return report;
}
