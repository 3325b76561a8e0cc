/** Chooses the node of a pod, or says why no node fits. Pure but for ties, which the given Random breaks. */
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
  /** A text for the event, when the pod was to avoid this node and no other fits. */
  readonly avoided?: string;
}

export interface Unschedulable {
  readonly kind: 'unschedulable';
  /** Upstream's text, without what preemption says. */
  readonly message: string;
  /** Node name → why it does not fit. A node that is missing here was not examined; preemption cannot help there. */
  readonly misfits: ReadonlyMap<string, Misfit>;
  /** The filters that refused a node. An event that concerns none of them cannot help the pod. */
  readonly rejectedBy: ReadonlySet<FilterName>;
  /** The prepared filters, for preemption; undefined when no node can fit. */
  readonly fitting: Fitting | undefined;
}

export interface ChooseOptions {
  readonly random: Random;
  readonly nominated: NominatedPods;
  /** Index of the node at which the search begins: in a big cluster a search does not look at every node. */
  readonly startAt?: number;
  /** Wall ms: entries of nodes to avoid expire. */
  readonly now: number;
}

/** The best node for the pod, or the reasons why it fits on none. */
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

/** A pod that preempted others gets the node on which it made room, if it still fits there. */
function promisedNode(pod: PodInfo, cluster: Cluster, fitting: Fitting): NodeInfo | undefined {
  const name = pod.pod.status?.nominatedNodeName ?? '';
  if (name === '' || fitting.nodeNames?.has(name) === false) return undefined;
  const info = cluster.node(name);
  return info !== undefined && fitting.check(info) === undefined ? info : undefined;
}

interface Found {
  readonly fits: readonly NodeInfo[];
  readonly misfits: ReadonlyMap<string, Misfit>;
  /** Nodes that fit, but that the pod is to avoid. */
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
