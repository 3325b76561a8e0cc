/** The one program of the image: `node main.mjs driver|registrar|provisioner|…`. */
import { driver } from './driver.ts';
import { attacher } from './sidecars/attacher.ts';
import { livenessProbe } from './sidecars/liveness-probe.ts';
import { provisioner } from './sidecars/provisioner.ts';
import { registrar } from './sidecars/registrar.ts';
import { resizer } from './sidecars/resizer.ts';
import { snapshotController, snapshotter } from './sidecars/snapshotter.ts';

const ROLES: Readonly<Record<string, () => void | Promise<void>>> = {
  driver,
  registrar,
  provisioner,
  attacher,
  resizer,
  snapshotter,
  'snapshot-controller': snapshotController,
  'liveness-probe': livenessProbe,
};

const [, , role = ''] = process.argv;
const begin = ROLES[role];
if (begin === undefined) {
  console.error(`usage: main.mjs ${Object.keys(ROLES).join('|')}`);
  process.exit(2);
}
// The first process of a container gets no signal that it does not handle; what is to be done before the end comes first.
process.prependListener('SIGTERM', () => setImmediate(() => process.exit(0)));
await begin();
