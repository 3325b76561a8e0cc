/**
 * `npm run bench`: the latencies that users notice, relative to the floor, which is the same runtime called directly in the same
 * run. The workloads write their own clock (/proc/uptime, in steps of 10 ms) to a folder of the host.
 *
 *   npm run bench -- [--crashes 15] [--pods 50] [--deaths 3] [--idle-seconds 60] [--containerd 2]
 *     [--only crash,create,burst,rest,relist,node-death] [--flags="--pleg generic"] [--json FILE]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import setUp from '../e2e/global-set-up.ts';
import { busyboxPod, containerd2, mainContainer, Mendlet, outFolder, until } from '../e2e/harness.ts';
import { BareRuntime } from './bare-runtime.ts';
import { milliseconds, percentile, processUsage, ratio, uptimeSeconds } from './figures.ts';
import { nodeDeaths } from './node-death.ts';
import { oneCrash } from './one-crash.ts';

const { values } = parseArgs({
  options: {
    crashes: { type: 'string', default: '15' },
    pods: { type: 'string', default: '50' },
    'idle-seconds': { type: 'string', default: '60' },
    containerd: { type: 'string', default: '1' },
    deaths: { type: 'string', default: '3' },
    only: { type: 'string', default: 'crash,create,burst,rest,relist,node-death' },
    flags: { type: 'string', default: '' },
    json: { type: 'string' },
  },
});
const parts = new Set(values.only.split(','));
const crashes = Number(values.crashes);
const podCount = Number(values.pods);
const figures: Record<string, unknown> = {};
const report = (line: string): void => console.log(line);

await setUp();
const mendlet = new Mendlet({
  podNetwork: 211,
  flags: values.flags.split(' ').filter(Boolean),
  ...(values.containerd === '2' ? { containerdFolder: containerd2 } : {}),
});
try {
  if (parts.has('node-death')) figures['node_death'] = await nodeDeaths(Number(values.deaths), report);
  if ([...parts].some((part) => part !== 'node-death')) await onOneNode();
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(figures, null, 1)}\n`);
} finally {
  await mendlet.down();
}

async function onOneNode(): Promise<void> {
  await mendlet.up();
  const out = outFolder(mendlet, 'bench');
  const bare = await BareRuntime.open(mendlet, out.path);
  try {
    if (parts.has('crash')) await crashToRunning(bare, out);
    if (parts.has('create')) await creation(out);
    if (parts.has('burst') || parts.has('rest')) await burst(bare, out);
    if (parts.has('rest')) await atRest();
  } finally {
    await bare.close();
  }
  if (parts.has('relist')) {
    await mendlet.end('SIGTERM');
    await mendlet.up(['--no-runtime-events']);
    await relistAlone(out);
  }
}

type Out = ReturnType<typeof outFolder>;

/** Measures alternately with the floor, so that both see the same noise. */
async function crashToRunning(bare: BareRuntime, out: Out): Promise<void> {
  const ours: number[] = [];
  const floor: number[] = [];
  await bare.crash('warm-up');
  for (let run = 0; run < crashes; run++) {
    floor.push(await bare.crash(`floor-${run}`));
    ours.push(await oneCrash(mendlet, out, `crash-${run}`, run));
  }
  figures['crash'] = { ours, floor };
  report(
    `crash → running again     p50 ${milliseconds(percentile(ours, 0.5))}  p90 ${milliseconds(percentile(ours, 0.9))}  n ${crashes}`,
  );
  report(
    `  bare CRI (event, create, start)  p50 ${milliseconds(percentile(floor, 0.5))}  p90 ${milliseconds(percentile(floor, 0.9))}`,
  );
  report(
    `  ratio                     p50 ${ratio(percentile(ours, 0.5), percentile(floor, 0.5))} (target ≤ 1.5)  p90 ${ratio(percentile(ours, 0.9), percentile(floor, 0.9))} (target ≤ 1.5)`,
  );
}

async function relistAlone(out: Out): Promise<void> {
  const ours: number[] = [];
  for (let run = 0; run < crashes; run++) ours.push(await oneCrash(mendlet, out, `relist-${run}`, run));
  figures['crash_relist_alone'] = { ours };
  report(
    `crash → running again, relist alone  p50 ${milliseconds(percentile(ours, 0.5))}  p90 ${milliseconds(percentile(ours, 0.9))}  n ${crashes}`,
  );
}

async function creation(out: Out): Promise<void> {
  const ours: number[] = [];
  for (let run = 0; run < crashes; run++) {
    const name = `create-${run}`;
    const from = uptimeSeconds();
    await mendlet.create(
      busyboxPod(name, `echo s $(cat /proc/uptime) >/out/${name}; exec sleep 600`, {
        spec: { ...out.spec, terminationGracePeriodSeconds: 0 },
        container: out.mount,
      }),
    );
    await until(`${name} to run`, async () => (out.lines(name).length > 0 ? { value: true } : { last: '' }));
    ours.push(Number(out.lines(name)[0]!.split(' ')[1]) - from);
  }
  figures['create'] = { ours };
  report(
    `kubectl create typed → first process  p50 ${milliseconds(percentile(ours, 0.5))}  p90 ${milliseconds(percentile(ours, 0.9))}  n ${crashes}`,
  );
  await deleteAll();
}

async function burst(bare: BareRuntime, out: Out): Promise<void> {
  const floor = await bare.burst(podCount);
  const names = Array.from({ length: podCount }, (_, n) => `burst-${n}`);
  const before = processUsage(mendlet.pid);
  const from = uptimeSeconds();
  await mendlet.create(
    ...names.map((name) =>
      busyboxPod(name, `echo s $(cat /proc/uptime) >/out/${name}; exec sleep 36000`, {
        spec: { ...out.spec, terminationGracePeriodSeconds: 0 },
        container: out.mount,
      }),
    ),
  );
  await until('all of the burst to run', async () => {
    const started = names.filter((name) => out.lines(name).length > 0).length;
    return started === podCount ? { value: true } : { last: `${started} of ${podCount}` };
  });
  const ours = Math.max(...names.map((name) => Number(out.lines(name)[0]!.split(' ')[1]))) - from;
  figures['burst'] = {
    pods: podCount,
    ours,
    floor,
    cpuSeconds: processUsage(mendlet.pid).cpuSeconds - before.cpuSeconds,
  };
  report(
    `${podCount} pods at once → all running  ${ours.toFixed(1)} s, bare CRI ${floor.toFixed(1)} s, ratio ${ratio(ours, floor)}`,
  );
}

async function atRest(): Promise<void> {
  for (const n of [0, podCount - 1])
    await mendlet.untilPod(`burst-${n}`, 'ready', (pod) => mainContainer(pod)?.ready === true);
  await sleep(15_000);
  const before = processUsage(mendlet.pid);
  const from = uptimeSeconds();
  await sleep(Number(values['idle-seconds']) * 1000);
  const after = processUsage(mendlet.pid);
  const percent = (100 * (after.cpuSeconds - before.cpuSeconds)) / (uptimeSeconds() - from);
  figures['rest'] = { pods: podCount, cpuPercentOfCore: percent, rssMiB: after.rssMiB };
  report(
    `at rest with ${podCount} pods       CPU ${percent.toFixed(2)} % of a core, ${after.rssMiB.toFixed(0)} MiB RSS (all of mendlet: API server, store, controllers, agent; target < 200)`,
  );
  const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${mendlet.pid}/status`, 'utf8'))?.[1]) / 1024;
  report(`  highest RSS so far        ${peak.toFixed(0)} MiB`);
  await deleteAll();
}

async function deleteAll(): Promise<void> {
  await mendlet.kubectl(['delete', 'pods', '--all', '--grace-period=0', '--force', '--wait=true']);
}
