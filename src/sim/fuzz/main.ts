/** npm run fuzz -- [--seeds N] [--from N] [--pods N]: random manifests; exit code 1 when something broke. */
import { setMaxListeners } from 'node:events';
import { parseArgs } from 'node:util';
import { realEventLoop } from '../event-loop.node.ts';
import { fuzzSeed } from './fuzz-run.ts';

setMaxListeners(0);

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20' },
    from: { type: 'string', default: '1' },
    pods: { type: 'string', default: '40' },
  },
});

let failed = 0;
let accepted = 0;
let refused = 0;
const from = Number(values.from);
const seeds = Number(values.seeds);
for (let seed = from; seed < from + seeds; seed++) {
  const report = await fuzzSeed({ seed, pods: Number(values.pods), loop: realEventLoop });
  accepted += report.accepted;
  refused += report.refused;
  if (report.problems.length === 0) continue;
  failed += 1;
  for (const problem of report.problems) console.log(`seed ${seed}: ${problem}`);
}
console.log(`${seeds} seeds, ${accepted} pods accepted, ${refused} requests refused, ${failed} seeds failed`);
process.exitCode = failed === 0 ? 0 : 1;
