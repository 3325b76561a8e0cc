/**
 * What clients of a ClusterIP feel while its pods die, go and are rolled out: new connections from this machine at a fixed rate
 * and seed, each with one request, and how many of them fail. Three pods without preStop hooks.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Mendlet, until } from '../../e2e/harness.ts';
import { ConnectionLoad } from '../../support/connection-load.ts';
import { webDeployment, webService } from '../../support/web-deployment.ts';
import { percentile } from '../figures.ts';
import { firstProcess } from './pod-processes.ts';

const PER_SECOND = 200;
const REPLICAS = 3;
const NAME = 'felt';
/** Longer than it takes until a killed container serves again. */
const AFTER_MS = 4000;

/** Failed requests. */
const GOALS = { killed: 10, deleted: 0, rolledOut: 0 };

interface SeenPod {
  readonly metadata: { readonly name: string; readonly uid: string };
}

export interface ClientFigures {
  readonly withdrawnMs: readonly number[];
  readonly killed: readonly number[];
  readonly deleted: readonly number[];
  readonly rolledOut: readonly number[];
}

/** @param runs of each part */
export async function clientFigures(mendlet: Mendlet, runs: number): Promise<ClientFigures> {
  await mendlet.create(webDeployment(NAME, REPLICAS));
  await mendlet.create(webService(NAME));
  await ready(mendlet);
  const { spec } = await mendlet.read<{ readonly spec: { readonly clusterIP: string } }>(`svc/${NAME}`);
  const host = spec.clusterIP;
  await sleep(1000);
  const during = async (seed: number, act: () => Promise<void>): Promise<number> => {
    const load = new ConnectionLoad({ host, port: 80, perSecond: PER_SECOND, seed });
    await sleep(500);
    await act();
    await sleep(AFTER_MS);
    return (await load.stop()).failures.length;
  };
  const figures = {
    withdrawnMs: [] as number[],
    killed: [] as number[],
    deleted: [] as number[],
    rolledOut: [] as number[],
  };
  for (let run = 0; run < runs; run++) {
    figures.killed.push(
      await during(run, async () => {
        figures.withdrawnMs.push(await killOne(mendlet));
      }),
    );
    await ready(mendlet);
    figures.deleted.push(
      await during(run, async () => {
        const [pod] = await podsOf(mendlet);
        await mendlet.kubectl(['delete', 'pod', pod?.metadata.name ?? '']);
      }),
    );
    await ready(mendlet);
    figures.rolledOut.push(
      await during(run, async () => {
        await mendlet.kubectl(['rollout', 'restart', `deploy/${NAME}`]);
        await ready(mendlet);
      }),
    );
  }
  return figures;
}

/** @returns ms from the kill to the transaction that withdrew the pod, as `nft monitor` announces it */
async function killOne(mendlet: Mendlet): Promise<number> {
  const [pod] = await podsOf(mendlet);
  const pid = firstProcess(pod?.metadata.uid ?? '');
  const monitor = spawn('nft', ['monitor'], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await sleep(300);
    const announced = new Promise<number>((done) => {
      createInterface({ input: monitor.stdout }).on('line', (line) => {
        if (line.includes(' element ip mendlet-')) done(performance.now());
      });
    });
    const killedAt = performance.now();
    process.kill(pid, 'SIGKILL');
    return (await announced) - killedAt;
  } finally {
    monitor.kill();
  }
}

async function podsOf(mendlet: Mendlet): Promise<readonly SeenPod[]> {
  const { items } = await mendlet.read<{ readonly items: readonly SeenPod[] }>('pods', { selector: `app=${NAME}` });
  return items;
}

async function ready(mendlet: Mendlet): Promise<void> {
  await mendlet.kubectl(['rollout', 'status', `deploy/${NAME}`, '--timeout=300s']);
  await until('only the wanted pods', async () => {
    const pods = await podsOf(mendlet);
    return pods.length === REPLICAS ? { value: true } : { last: `${pods.length} pods` };
  });
}

/** Figures beyond twice their goals: of the killed pods the median, since one run may meet another program's load. */
export function beyondTwiceTheGoals({ killed, deleted, rolledOut }: ClientFigures): readonly string[] {
  return [
    ...(percentile(killed, 0.5) > 2 * GOALS.killed ? ['one of three pods killed'] : []),
    ...(deleted.some((count) => count > 2 * GOALS.deleted) ? ['one of three pods deleted'] : []),
    ...(rolledOut.some((count) => count > 2 * GOALS.rolledOut) ? ['rolled out'] : []),
  ];
}

/** One line for each figure. */
export function clientLines({ withdrawnMs, killed, deleted, rolledOut }: ClientFigures): readonly string[] {
  const failed = (what: string, counts: readonly number[], goal: string): string =>
    `${what.padEnd(34)} failed requests of ${PER_SECOND}/s: ${counts.join(', ')} (${goal})`;
  return [
    `exit → withdrawn from routing      p50 ${Math.round(percentile(withdrawnMs, 0.5))} ms  p90 ${Math.round(percentile(withdrawnMs, 0.9))} ms  n ${withdrawnMs.length} (goal ≤ 60, ≤ 150)`,
    failed('one of three pods killed', killed, `goal ≤ ${GOALS.killed}; kubelet with kube-proxy 61`),
    failed('one of three pods deleted', deleted, `goal ${GOALS.deleted}; kubelet with kube-proxy 14`),
    failed('rolled out', rolledOut, `goal ${GOALS.rolledOut}; kubelet with kube-proxy 234`),
  ];
}
