/**
 * `npm run bench:api`: the CPU time that the API server takes for each operation, over a store in memory; beside that of another checkout, in
 * turns, so that both see the same machine.
 *
 *   npm run bench:api -- [--against FOLDER] [--rounds 40] [--only "pod create,pod get"] [--json FILE]
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { OPERATIONS } from './api/operations.ts';
import type { Measured, Order } from './api/order.ts';
import { percentile } from './figures.ts';

const { values } = parseArgs({
  options: {
    against: { type: 'string' },
    rounds: { type: 'string', default: '40' },
    only: { type: 'string', default: Object.keys(OPERATIONS).join(',') },
    json: { type: 'string' },
  },
});
const rounds = Number(values.rounds);
/** Rounds in which the code is still being compiled: they count for nothing. */
const WARM_UP = 12;
const root = resolve(import.meta.dirname, '../..');
const folders = values.against === undefined ? [root] : [resolve(values.against), root];
/** Collector and compiler work on the thread that they work for: its CPU time is all. */
const V8_FLAGS = ['--expose-gc', '--single-threaded'];
const figures: Record<string, unknown> = {};

console.log(
  `${'CPU µs each'.padEnd(42)}${values.against === undefined ? '' : '  before'}     now${values.against === undefined ? '' : '   before/now'}`,
);
// Servers of their own for each operation: what one leaves behind costs the next nothing.
for (const name of values.only.split(',')) await measure(name);
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(figures, null, 1)}\n`);

async function measure(operation: string): Promise<void> {
  const known = OPERATIONS[operation];
  if (known === undefined) throw new Error(`no such operation: ${operation}`);
  const { count } = known;
  const servers = await Promise.all(folders.map(start));
  const samples: (number[] | undefined)[] = servers.map(() => []);
  const heaps: number[] = servers.map(() => 0);
  for (let round = 0; round < rounds + WARM_UP; round++) {
    // Whoever is first in one round is last in the next.
    const order = [...servers.keys()];
    for (const at of round % 2 === 0 ? order : order.toReversed()) {
      const measured = await tell(servers[at]!, { operation, count, round });
      if (measured.error !== undefined) throw new Error(`${operation}: ${measured.error}`);
      if (measured.unsupported === true) samples[at] = undefined;
      else if (round >= WARM_UP) samples[at]?.push((measured.micros ?? 0) / count);
      heaps[at] = measured.heapUsed ?? 0;
    }
  }
  for (const server of servers) server.kill();
  figures[operation] = { samples, heaps };
  report(operation, samples, heaps);
}

function report(
  operation: string,
  samples: readonly (readonly number[] | undefined)[],
  heaps: readonly number[],
): void {
  // Other work on the machine only ever adds to a round: its quicker rounds are nearer to the code itself.
  const columns = samples.map((some) => (some === undefined ? '–' : percentile(some, 0.25).toFixed(0)).padStart(8));
  const [before, now] = samples;
  const ratios = now && before ? before.map((micros, at) => micros / (now[at] ?? Number.NaN)) : [];
  const ratio =
    now && before && ratios.length > 0
      ? `   ${percentile(ratios, 0.5).toFixed(2)} (half of all rounds: ${percentile(ratios, 0.25).toFixed(2)}–${percentile(ratios, 0.75).toFixed(2)})`
      : '';
  const heap = heaps.map((bytes) => (bytes / 1048576).toFixed(0)).join(' → ');
  console.log(`${operation.padEnd(42)}${columns.join('')}${ratio.padEnd(40)} heap ${heap} MiB`);
}

async function start(folder: string): Promise<ChildProcess> {
  const child = fork(resolve(import.meta.dirname, 'api/server-process.ts'), [folder], { execArgv: V8_FLAGS });
  await once(child, 'message');
  return child;
}

async function tell(child: ChildProcess, order: Order): Promise<Measured> {
  const answer = once(child, 'message');
  child.send(order);
  const [measured] = (await answer) as [Measured];
  return measured;
}
