/**
 * npm run sim -- [--seed N] [--seeds N] [--from N] [--minutes M] [--only a,b|all] [--trace] [--log] [--check-determinism]
 * [--list]
 * Exit code 1 when a seed fails; its last events are printed, and the same seed gives the same run.
 */
import { setMaxListeners } from 'node:events';
import { parseArgs } from 'node:util';
import { realEventLoop } from './event-loop.node.ts';
import { runKubelet } from './kubelet-agent.ts';
import { DRIVER_NEMESES } from './nemeses/driver-nemeses.ts';
import { NEMESES } from './nemeses/nemeses.ts';
import { playSeeds, SEED_FLAGS } from './play-seeds.ts';
import { runSeed } from './run-seed.ts';

// Many parts of a process listen to its one signal, which is no leak.
setMaxListeners(0);

const { values } = parseArgs({ options: { ...SEED_FLAGS, minutes: { type: 'string', default: '5' } } });

const isWell = await playSeeds({
  flags: values,
  word: 'seed',
  again: 'npm run sim --',
  count: 10,
  nemeses: [...NEMESES, ...DRIVER_NEMESES].map(({ name }) => name),
  run: (seed, play) =>
    runSeed({ seed, loop: realEventLoop, runAgent: runKubelet, minutes: Number(values.minutes), ...play }),
  print: (line) => console.log(line),
  now: () => performance.now(),
});
process.exitCode = isWell ? 0 : 1;
