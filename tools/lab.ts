/** A cluster of several nodes on this machine, to try things by hand: `npm run lab -- --nodes 3`. Ends with Ctrl-C. */
import { parseArgs } from 'node:util';
import setUp from '../test/e2e/global-set-up.ts';
import { Lab } from '../test/support/lab.ts';

const { values, positionals } = parseArgs({
  options: {
    nodes: { type: 'string', default: '3' },
    'cluster-cidr': { type: 'string', default: '10.249.0.0/16' },
    subnet: { type: 'string' },
    fast: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
if (values.help) {
  console.log(`npm run lab -- [--nodes 3] [--cluster-cidr 10.249.0.0/16] [--subnet N] [--fast] [-- SERVER FLAGS…]

A "mendlet server" and so many agents, each in a network namespace. --fast: a lost node is noticed after 8 s and emptied at
once. What follows -- goes to the server.`);
  process.exit(0);
}
await setUp();
const fast = ['--node-monitor-grace-period', '8s', '--pod-eviction-timeout', '0', '--node-eviction-rate', '10'];
const lab = await Lab.create({
  nodes: Number(values.nodes),
  clusterCidr: values['cluster-cidr'],
  ...(values.subnet !== undefined && { subnet: Number(values.subnet) }),
  serverFlags: [...(values.fast ? fast : []), ...positionals],
  ...(values.fast && { kubelet: { nodeStatusUpdateFrequency: '2s', nodeLeaseDurationSeconds: 4 } }),
});
// A promise keeps no process alive, and the lab's own processes may all have ended: then it is still to be removed.
const alive = setInterval(() => {}, 60_000);
const stop = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
});
try {
  console.log('starting…');
  await Promise.race([lab.start(), stop]);
  console.log(`export KUBECONFIG=${lab.kubeconfig}`);
  for (const { name, address, pid, dataDir } of lab.nodes) console.log(`${name}: ${address}, pid ${pid}, ${dataDir}`);
  console.log('Ctrl-C ends and removes it.');
  await stop;
} finally {
  console.log('removing…');
  await lab.down();
  clearInterval(alive);
}
