/** Where a pod goes, or why it goes nowhere. Pure but for the tie, which the given Random breaks. */
import type { AvoidedNode } from '../api/index.ts';
import type { Random } from '../lib/index.ts';
import type { Cluster } from './cluster/cluster.ts';
import type { NodeInfo } from './cluster/node-info.ts';
import type { PodInfo } from './cluster/pod-info.ts';
import { avoidedNodesOf, lastResortText } from './filter/avoided-nodes.ts';
import type { FilterName, Misfit } from './filter/filter.ts';
import { type Fitting, type NominatedPods, prepareFitting } from './filter/fitting.ts';
import { fitMessage, rejectionMessage } from './fit-message.ts';
import { nodesToFind } from './nodes-to-find.ts';
import { scoreNodes } from './score/score-nodes.ts';

export type Choice = Chosen | Unschedulable;

export interface Chosen {
  readonly kind: 'node';
  readonly nodeName: string;
  /** The pod is to avoid this node, but no other takes it: in words. */
  readonly avoided?: string;
}

export interface Unschedulable {
  readonly kind: 'unschedulable';
  /** Upstream's text, without what preemption says. */
  readonly message: string;
  /** Node name → why it does not fit; a node that is not here was not looked at, and no pod's end helps there. */
  readonly misfits: ReadonlyMap<string, Misfit>;
  /** Which filters refused a node: events that help none of them help not at all. */
  readonly rejectedBy: ReadonlySet<FilterName>;
  /** For preemption; undefined when no node came into question. */
  readonly fitting: Fitting | undefined;
}

export interface ChooseOptions {
  readonly random: Random;
  readonly nominated: NominatedPods;
  /** Where the search begins: in a big cluster not every search looks at every node. */
  readonly startAt?: number;
  /** Wall ms: what a pod is to avoid ends some day. */
  readonly now: number;
}

export function chooseNode(pod: PodInfo, cluster: Cluster, options: ChooseOptions): Choice {
  const { nodes } = cluster;
  if (nodes.length === 0) return unschedulable('no nodes available to schedule pods');
  const fitting = prepareFitting(pod, cluster, options.nominated);
  if (fitting.kind === 'rejected') {
    return unschedulable(rejectionMessage(nodes.length, fitting.message), new Map(), new Set([fitting.filter]));
  }
  const promised = promisedNode(pod, cluster, fitting);
  if (promised !== undefined) return { kind: 'node', nodeName: promised.name };
  const avoided = avoidedNodesOf(pod, options.now);
  const { fits, misfits, lastResort } = search(fitting, cluster, options.startAt ?? 0, avoided);
  if (fits.length > 0) return { kind: 'node', nodeName: bestOf(pod, fits, cluster, options.random).name };
  if (lastResort.length === 0) return nowhere(fitting, cluster, misfits);
  const { name } = bestOf(pod, lastResort, cluster, options.random);
  return { kind: 'node', nodeName: name, avoided: lastResortText(avoided.get(name)) };
}

/** A pod that preempted others gets what it made room for, if that is still so. */
function promisedNode(pod: PodInfo, cluster: Cluster, fitting: Fitting): NodeInfo | undefined {
  const name = pod.pod.status?.nominatedNodeName ?? '';
  if (name === '' || fitting.nodeNames?.has(name) === false) return undefined;
  const info = cluster.node(name);
  return info !== undefined && fitting.check(info) === undefined ? info : undefined;
}

interface Found {
  readonly fits: readonly NodeInfo[];
  readonly misfits: ReadonlyMap<string, Misfit>;
  /** What fits, too, but is to be avoided. */
  readonly lastResort: readonly NodeInfo[];
}

function search(
  fitting: Fitting,
  { nodes }: Cluster,
  startAt: number,
  avoided: ReadonlyMap<string, AvoidedNode>,
): Found {
  const fits: NodeInfo[] = [];
  const lastResort: NodeInfo[] = [];
  const misfits = new Map<string, Misfit>();
  const enough = nodesToFind(nodes.length);
  for (let i = 0; i < nodes.length && fits.length < enough; i += 1) {
    const info = nodes[(startAt + i) % nodes.length];
    if (info === undefined || fitting.nodeNames?.has(info.name) === false) continue;
    const misfit = fitting.check(info);
    if (misfit !== undefined) misfits.set(info.name, misfit);
    else if (avoided.has(info.name)) lastResort.push(info);
    else fits.push(info);
  }
  return { fits, misfits, lastResort };
}

function nowhere(fitting: Fitting, { nodes }: Cluster, misfits: ReadonlyMap<string, Misfit>): Unschedulable {
  const rejectedBy = new Set<FilterName>();
  const reasons: string[] = [];
  for (const misfit of misfits.values()) {
    rejectedBy.add(misfit.filter);
    reasons.push(...misfit.reasons);
  }
  if (misfits.size < nodes.length) {
    rejectedBy.add('NodeAffinity');
    const notLookedAt = nodes.length - misfits.size;
    for (let i = 0; i < notLookedAt; i += 1) reasons.push("node(s) didn't satisfy plugin(s) [NodeAffinity]");
  }
  return unschedulable(fitMessage(nodes.length, reasons), misfits, rejectedBy, fitting);
}

function unschedulable(
  message: string,
  misfits: ReadonlyMap<string, Misfit> = new Map(),
  rejectedBy: ReadonlySet<FilterName> = new Set(),
  fitting?: Fitting,
): Unschedulable {
  return { kind: 'unschedulable', message, misfits, rejectedBy, fitting };
}

function bestOf(pod: PodInfo, fits: readonly NodeInfo[], cluster: Cluster, random: Random): NodeInfo {
  const [first] = fits;
  if (first === undefined) throw new Error('no node to choose from');
  if (fits.length === 1) return first;
  const scores = scoreNodes(pod, fits, cluster);
  const best = Math.max(...scores);
  const winners = fits.filter((_, i) => scores[i] === best);
  return winners[Math.floor(random.next() * winners.length)] ?? first;
}
