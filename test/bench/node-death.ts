/**
 * Measures how long a workload is away when its node dies silently: three nodes in network namespaces, a Deployment of one pod,
 * and its node loses its network and all its processes at once. The times are those of a client's watches; the replacement's
 * first output has a time of the machine's clock, too.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findCondition, isConditionTrue, type Node, type Pod } from '../../src/api/index.ts';
import { busyboxPod } from '../e2e/harness.ts';
import { Api, type Watched } from '../support/api-over-https.ts';
import { Lab } from '../support/lab.ts';
import { percentile, uptimeSeconds } from './figures.ts';

const LEASE_SECONDS = 3;
const GRACE_SECONDS = 10;
const TOLERATION_SECONDS = 0;
const SLACK_SECONDS = 3;

/** Seconds since the death. */
export interface NodeDeath {
  readonly unknown: number;
  readonly tainted: number;
  readonly deleted: number;
  readonly scheduled: number;
  readonly firstWords: number;
  readonly running: number;
}

const PARTS: readonly (readonly [keyof NodeDeath, string])[] = [
  ['unknown', 'node Ready Unknown'],
  ['tainted', 'tainted NoExecute'],
  ['deleted', 'pod deleted'],
  ['scheduled', 'replacement scheduled'],
  ['firstWords', "replacement's first process"],
  ['running', 'replacement Running'],
];

/** @param say receives each line of the report */
export async function nodeDeaths(runs: number, say: (line: string) => void): Promise<readonly NodeDeath[]> {
  const lab = await Lab.create({
    nodes: 3,
    clusterCidr: '10.237.0.0/16',
    serverFlags: [
      '--node-monitor-grace-period',
      `${GRACE_SECONDS}s`,
      '--pod-eviction-timeout',
      `${TOLERATION_SECONDS}`,
    ],
    kubelet: { nodeLeaseDurationSeconds: LEASE_SECONDS },
  });
  try {
    await lab.start();
    const deaths = await measure(lab, runs);
    tell(deaths, say);
    return deaths;
  } finally {
    await lab.down();
  }
}

function tell(deaths: readonly NodeDeath[], say: (line: string) => void): void {
  const target = LEASE_SECONDS + GRACE_SECONDS + TOLERATION_SECONDS + SLACK_SECONDS;
  const runs = deaths.map(({ running }) => running.toFixed(2)).join(', ');
  say(
    `node dead → replacement Running  p50 ${seconds(deaths, 'running')}  n ${deaths.length} (${runs}; target ≤ ${target} s)`,
  );
  say(
    `  lease ${LEASE_SECONDS} s, grace ${GRACE_SECONDS} s, toleration ${TOLERATION_SECONDS}, all else by default; seconds since the death, p50 each:`,
  );
  for (const [part, what] of PARTS) say(`  ${what.padEnd(28)}${seconds(deaths, part)}`);
}

function seconds(deaths: readonly NodeDeath[], part: keyof NodeDeath): string {
  return `${percentile(
    deaths.map((death) => death[part]),
    0.5,
  ).toFixed(2)} s`;
}

async function measure(lab: Lab, runs: number): Promise<readonly NodeDeath[]> {
  const out = join(lab.folder, 'out');
  mkdirSync(out);
  const api = new Api(lab.kubeconfig);
  const nodes = api.watch<Node>('/api/v1/nodes');
  const pods = api.watch<Pod>('/api/v1/namespaces/default/pods');
  try {
    await lab.create(deployment(out));
    const deaths: NodeDeath[] = [];
    for (let run = 0; run < runs; run++) deaths.push(await oneDeath(lab, nodes, pods, out));
    return deaths;
  } finally {
    nodes.stop();
    pods.stop();
    api.close();
  }
}

async function oneDeath(lab: Lab, nodes: Watched<Node>, pods: Watched<Pod>, out: string): Promise<NodeDeath> {
  const nodeNamed = (name: string) => nodes.items.find(({ metadata }) => metadata?.name === name);
  const victim = await pods.until('the one pod', (all) => (all.length === 1 && isRunning(all[0]) ? all[0] : undefined));
  const { nodeName = '' } = victim.spec ?? {};
  const node = lab.nodes.find(({ name }) => name === nodeName);
  if (node === undefined) throw new Error(`no node ${nodeName}`);
  const isReplacement = (pod: Pod): boolean => pod.metadata?.uid !== victim.metadata?.uid;

  const from = uptimeSeconds();
  const sinceDeath = async (step: Promise<unknown>): Promise<number> => {
    await step;
    return uptimeSeconds() - from;
  };
  const seen = [
    nodes.until(`${nodeName} Unknown`, () => truth(readiness(nodeNamed(nodeName)) === 'Unknown')),
    nodes.until(`${nodeName} tainted`, () => truth(nodeNamed(nodeName)?.spec?.taints?.some(sendsAway) === true)),
    pods.until('the pod deleted', (all) =>
      truth(all.some((pod) => !isReplacement(pod) && pod.metadata?.deletionTimestamp !== undefined)),
    ),
    pods.until('the replacement scheduled', (all) =>
      truth(all.some((pod) => isReplacement(pod) && (pod.spec?.nodeName ?? '') !== '')),
    ),
    pods.until('the replacement Running', (all) => all.find((pod) => isReplacement(pod) && isRunning(pod))),
  ].map(sinceDeath);
  await node.die();
  const [unknown = 0, tainted = 0, deleted = 0, scheduled = 0, running = 0] = await Promise.all(seen);
  const replacement = pods.items.find((pod) => isReplacement(pod) && isRunning(pod));
  const firstWords = Number(readFileSync(join(out, replacement?.metadata?.uid ?? ''), 'utf8').split(' ')[0]) - from;
  await node.start();
  await nodes.until(`${nodeName} back`, () => {
    const back = nodeNamed(nodeName);
    return truth(readiness(back) === 'True' && (back?.spec?.taints ?? []).length === 0);
  });
  return { unknown, tainted, deleted, scheduled, firstWords, running };
}

const truth = (is: boolean): true | undefined => (is ? true : undefined);
const readiness = (node: Node | undefined): string | undefined =>
  findCondition(node?.status?.conditions, 'Ready')?.status;
const sendsAway = ({ key, effect }: { readonly key: string; readonly effect: string }): boolean =>
  key === 'node.kubernetes.io/unreachable' && effect === 'NoExecute';
const isRunning = (pod: Pod | undefined): boolean =>
  pod?.status?.phase === 'Running' && isConditionTrue(pod.status.conditions, 'Ready');

function deployment(out: string): object {
  const { spec } = busyboxPod('one', 'cat /proc/uptime >"/out/$POD_UID"; exec sleep 100000', {
    spec: { volumes: [{ name: 'out', hostPath: { path: out } }] },
    container: {
      env: [{ name: 'POD_UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } }],
      volumeMounts: [{ name: 'out', mountPath: '/out' }],
    },
  }) as { spec: object };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'one' },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'one' } },
      template: { metadata: { labels: { app: 'one' } }, spec },
    },
  };
}
