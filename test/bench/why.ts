/**
 * `npm run bench:why` (root): how long `mendlet why` takes for a namespace of a hundred real pods of which twenty fail, for the
 * whole cluster, and for one pod; and how long `mendlet history` takes for a workload. Each figure has the start of the program in it.
 *
 *   npm run bench:why -- [--pods 100] [--failing 20] [--runs 5]
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import setUp from '../e2e/global-set-up.ts';
import { busyboxPod, Mendlet, root, run, until } from '../e2e/harness.ts';
import { percentile } from './figures.ts';

const { values } = parseArgs({
  options: {
    pods: { type: 'string', default: '100' },
    failing: { type: 'string', default: '20' },
    runs: { type: 'string', default: '5' },
  },
});
const failing = Number(values.failing);
const well = Number(values.pods) - failing;

await setUp();
const mendlet = new Mendlet({ podNetwork: 238 });
try {
  await mendlet.up();
  await mendlet.create(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
    deployment('well', well, 'exec sleep 36000'),
    deployment('failing', failing, 'echo "Error: connect ECONNREFUSED 10.0.0.7:5432" >&2; exit 1'),
  );
  await until<true>('the pods', async () => {
    const { items } = await mendlet.read<{ items: readonly Seen[] }>('pods', { namespace: 'shop' });
    const ready = items.filter((pod) => pod.status.containerStatuses?.[0]?.ready === true).length;
    const died = items.filter((pod) => (pod.status.containerStatuses?.[0]?.restartCount ?? 0) >= 2).length;
    return ready === well && died === failing ? { value: true } : { last: `${ready} are ready, ${died} died twice` };
  });
  const one = await mendlet.read<{ items: readonly Seen[] }>('pods', { namespace: 'shop' });
  const failed = one.items.find(({ metadata }) => metadata.name.startsWith('failing'))?.metadata.name ?? '';
  await measure('mendlet version (nothing but its start)', ['version'], false);
  await measure(`mendlet why pod/${failed}`, ['why', `pod/${failed}`, '-n', 'shop']);
  await measure(`mendlet why ns/shop (${well + failing} pods, ${failing} fail)`, ['why', 'ns/shop']);
  await measure('mendlet why', ['why']);
  await measure('mendlet why deploy/failing', ['why', 'deploy/failing', '-n', 'shop']);
  await measure('mendlet history deploy/failing', ['history', 'deploy/failing', '-n', 'shop']);
} finally {
  await mendlet.down();
}

interface Seen {
  readonly metadata: { readonly name: string };
  readonly status: {
    readonly containerStatuses?: readonly { readonly ready: boolean; readonly restartCount: number }[];
  };
}

function deployment(name: string, replicas: number, script: string): object {
  const { spec } = busyboxPod(name, script) as { spec: object };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'shop' },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec },
    },
  };
}

async function measure(title: string, args: readonly string[], asks = true): Promise<void> {
  const flags = asks ? ['--kubeconfig', mendlet.kubeconfig] : [];
  const took: number[] = [];
  for (let round = 0; round < Number(values.runs); round += 1) {
    const begunAt = performance.now();
    const { code, stderr } = await run(process.execPath, [join(root, 'dist/mendlet.js'), ...args, ...flags]);
    took.push(performance.now() - begunAt);
    if (code !== 0) throw new Error(`${title}: exit ${code}\n${stderr}`);
  }
  const [middle, worst] = [percentile(took, 0.5), percentile(took, 1)].map((ms) => `${Math.round(ms)} ms`);
  console.log(`${title.padEnd(50)} ${middle} (worst ${worst})`);
}
