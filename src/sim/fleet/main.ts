/**
 * npm run sim:fleet -- [--seed N] [--seeds N] [--from N] [--minutes M] [--nodes N] [--big] [--only a,b|all] [--trace] [--log]
 *                      [--check-determinism] [--list]
 * --big: a hundred nodes and thousands of pods. Exit code 1 when a seed fails; the same seed gives the same run.
 */
import { setMaxListeners } from 'node:events';
import { parseArgs } from 'node:util';
import { realEventLoop } from '../event-loop.node.ts';
import { playSeeds, SEED_FLAGS } from '../play-seeds.ts';
import { FLEET_NEMESES } from './nemeses.ts';
import { runFleet, SMALL_FLEET } from './run-fleet.ts';

const BIG_FLEET = { deployments: 20, replicas: 150, statefulSets: 10, daemonSets: 2, jobs: 20 } as const;

// Many parts of a process listen to its one signal, which is no leak.
setMaxListeners(0);

const { values } = parseArgs({
  options: {
    ...SEED_FLAGS,
    minutes: { type: 'string', default: '20' },
    nodes: { type: 'string' },
    big: { type: 'boolean', default: false },
  },
});

const isWell = await playSeeds({
  flags: values,
  word: 'fleet',
  again: 'npm run sim:fleet --',
  count: 5,
  nemeses: FLEET_NEMESES.map(({ name }) => name),
  run: (seed, play) =>
    runFleet(
      { seed, loop: realEventLoop, trace: play.trace },
      {
        minutes: Number(values.minutes),
        nodes: Number(values.nodes ?? (values.big ? '100' : '9')),
        size: values.big ? BIG_FLEET : SMALL_FLEET,
        volumeSets: 2,
        ...play,
      },
    ),
  print: (line) => console.log(line),
  now: () => performance.now(),
});
process.exitCode = isWell ? 0 : 1;
