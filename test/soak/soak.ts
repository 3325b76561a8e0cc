/**
 * `npm run soak`: hours of disasters with real containers (root). It ends at the first thing that is left behind, disturbed, or
 * run twice; the same seed strikes in the same order. `--only volumes` is the soak of volumes, on a server and two nodes: it ends at
 * the first record that fsync acknowledged and that is lost, and at the first folder or mount that is left behind. `--only csi` is
 * the same for volumes of a CSI driver that attaches, on three nodes; it takes ten minutes unless it is told otherwise.
 *
 *   npm run soak -- [--minutes 30] [--seed N] [--containerd 2] [--strikes 3] [--no-small-disk] [--only volumes|csi]
 */
import { parseArgs } from 'node:util';
import setUp from '../e2e/global-set-up.ts';
import { containerd2, Mendlet } from '../e2e/harness.ts';
import { soakCsi } from './csi-soak.ts';
import { smallDisk } from './small-disk.ts';
import { soak } from './soak-run.ts';
import { soakVolumes } from './volumes-soak.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    seed: { type: 'string' },
    strikes: { type: 'string', default: '3' },
    containerd: { type: 'string', default: '1' },
    'small-disk': { type: 'boolean', default: true },
    only: { type: 'string' },
  },
  allowNegative: true,
});
const seed = Number(values.seed ?? Math.floor(performance.timeOrigin) % 1_000_000);
const minutes = Number(values.minutes ?? (values.only === 'csi' ? 10 : 30));
console.log(`seed ${seed}`);

await setUp();
if (values.only === undefined) await soakPods();
else if (values.only === 'volumes') {
  const options = { seed, minutes, podNetwork: 233, serviceCidr: '10.103.0.0/16' };
  const figures = await soakVolumes({ ...options, say: (line) => console.log(line) });
  console.log(JSON.stringify(figures), 'all well');
} else if (values.only === 'csi') {
  const options = { seed, minutes, podNetwork: 196, serviceCidr: '10.118.0.0/16' };
  const figures = await soakCsi({ ...options, say: (line) => console.log(line) });
  console.log(JSON.stringify(figures), 'all well');
} else throw new Error(`--only ${values.only}: there are volumes and csi`);

async function soakPods(): Promise<void> {
  const disk = values['small-disk'] ? smallDisk() : undefined;
  const mendlet = new Mendlet({
    podNetwork: 212,
    ...(disk && { parent: disk.path }),
    ...(values.containerd === '2' && { containerdFolder: containerd2 }),
  });
  try {
    const { rounds, restarts } = await soak({
      mendlet,
      seed,
      minutes,
      strikes: Number(values.strikes),
      smallDisk: disk !== undefined,
      say: (line) => console.log(line),
    });
    console.log(`${rounds} rounds and ${restarts} restarts, all well`);
  } catch (error) {
    console.log(mendlet.log.split('\n').slice(-60).join('\n'));
    throw error;
  } finally {
    await mendlet.down();
    disk?.remove();
  }
}
