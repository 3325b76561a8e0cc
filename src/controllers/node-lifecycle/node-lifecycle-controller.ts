/**
 * Watches over the nodes (upstream: pkg/controller/nodelifecycle): a node that is silent for its grace is Unknown, its pods
 * are not ready, and its taints say why. Each node has a timer of its own; a renewed lease only moves a date.
 */
import { findCondition, isNotFound, type Lease, LEASES, type Node, NODES, type Pod, PODS } from '../../api/index.ts';
import { type EventRecorder, type KubeClient, type Lister, referenceTo, type Informers } from '../../client/index.ts';
import {
  type Clock,
  type Histogram,
  type Logger,
  type MetricsRegistry,
  errorMessage,
  exponentialBuckets,
  formatTime,
  withDeadline,
} from '../../lib/index.ts';
import { BY_NODE } from '../indexes.ts';
import type { Operation } from '../operation.ts';
import { type Controller, type ReconcileContext, type ReconcileResult, source } from '../controller.ts';
import { NODE_CONCURRENCY, RENEWAL_WITH_SLACK, VERDICT_READ_TIMEOUT_MS } from './limits.ts';
import { lostConditions } from './lost-conditions.ts';
import { markNotReady, readyPods } from './mark-pods-not-ready.ts';
import { graceOf, hearLease, hearNode, leaseWord, type NodeHealth } from './node-health.ts';
import { planTaints } from './node-taints.ts';
import type { SelfWatch } from './self-watch.ts';
import type { NodeLifecycleSettings } from './settings.ts';

export const NODE_LEASES = 'kube-node-lease';

export interface NodeLifecycleOptions {
  readonly informers: Informers;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  readonly events: EventRecorder;
  readonly settings: NodeLifecycleSettings;
  readonly self: SelfWatch;
}

/** Keys are nodes' names. */
export function nodeLifecycleController(options: NodeLifecycleOptions): Controller {
  const lifecycle = new NodeLifecycle(options);
  return {
    name: 'node-lifecycle-controller',
    concurrency: NODE_CONCURRENCY,
    sources: [
      source(NODES, ({ type, key, object }) => {
        if (type === 'apply') lifecycle.nodeSeen(object);
        return [key];
      }),
      source<Lease>(LEASES, ({ type, object }) => {
        if (object.metadata?.namespace !== NODE_LEASES) return [];
        return type === 'apply' ? lifecycle.leaseSeen(object) : [];
      }),
      // Listed, but never a reason to reconcile: the kubelet of a node that is back reports its pods itself.
      source(PODS, () => []),
    ],
    reconcile: (name, context) => lifecycle.reconcile(name, context),
  };
}

class NodeLifecycle {
  readonly #options: NodeLifecycleOptions;
  readonly #nodes: Lister<Node>;
  readonly #pods: Lister<Pod>;
  readonly #leases: Lister<Lease>;
  readonly #health = new Map<string, NodeHealth>();
  /** Nodes whose registration was reported, by UID. */
  readonly #known = new Map<string, Node>();
  /** Nodes whose pods still have to be marked. */
  readonly #toMark = new Set<string>();
  /** Nodes whose lease does not fit our grace period, and which were reported. */
  readonly #warned = new Set<string>();
  /** Nodes whose lease was newer on the server than here. */
  readonly #ahead = new Set<string>();
  readonly #duration: Histogram;

  constructor(options: NodeLifecycleOptions) {
    const { informers, metrics } = options;
    this.#options = options;
    this.#nodes = informers.lister(NODES);
    this.#pods = informers.lister(PODS);
    this.#leases = informers.lister(LEASES);
    this.#duration = metrics.histogram({
      name: 'node_collector_update_node_health_duration_seconds',
      help: 'Duration in seconds for NodeController to update the health of a single node.',
      buckets: exponentialBuckets(0.001, 4, 8),
    });
  }

  nodeSeen(node: Node): void {
    const name = node.metadata?.name ?? '';
    const { mono } = this.#options.clock.now();
    const before = this.#health.get(name);
    const health = hearNode(before, node, mono);
    if (before?.uid !== health.uid) {
      // Its lease may have been there first.
      const lease = this.#leases.get(NODE_LEASES, name);
      this.#health.set(name, lease === undefined ? health : { ...health, lease: leaseWord(lease) });
      // A controller that took it for lost may not have marked its pods.
      if (isUnknown(node)) this.#toMark.add(name);
      return;
    }
    this.#health.set(name, health);
  }

  /** A healthy node wakes no reconcile. */
  leaseSeen(lease: Lease): readonly string[] {
    const name = lease.metadata?.name ?? '';
    const health = this.#health.get(name);
    const heard = health === undefined ? undefined : hearLease(health, lease, this.#options.clock.now().mono);
    if (heard !== undefined) this.#health.set(name, heard);
    if (heard !== health) this.#ahead.delete(name);
    this.#warnOfShortGrace(name, lease);
    if (heard === undefined || heard !== health) this.#options.self.nodeHeard(name, lease);
    return [];
  }

  /** A node that renews its lease less often than its grace asks for would come and go. */
  #warnOfShortGrace(name: string, lease: Lease): void {
    const graceMs = this.#options.settings.nodeMonitorGracePeriodMs;
    const leaseMs = (lease.spec?.leaseDurationSeconds ?? 0) * 1000;
    if (leaseMs * RENEWAL_WITH_SLACK <= graceMs || this.#warned.has(name)) return;
    this.#warned.add(name);
    this.#options.logger.warn('the grace is too short for the lease of a node', { node: name, graceMs, leaseMs });
  }

  async reconcile(name: string, context: ReconcileContext): Promise<ReconcileResult | void> {
    const began = this.#options.clock.now().mono;
    const node = this.#nodes.getByKey(name);
    this.#tellOfArrival(name, node);
    if (node === undefined) return undefined;
    try {
      return await this.#judge(name, node, context);
    } finally {
      this.#duration.observe((this.#options.clock.now().mono - began) / 1000);
    }
  }

  async #judge(name: string, node: Node, context: ReconcileContext): Promise<ReconcileResult | void> {
    const { clock, self, settings } = this.#options;
    const health = this.#health.get(name);
    const silence = lostConditions(node, formatTime(clock.now().wall));
    let wait: number | undefined;
    if (health !== undefined && silence.length > 0) {
      const wellSince = self.wellSince();
      const { mono } = clock.now();
      const dueAt = Math.max(health.heardAt, wellSince ?? 0) + graceOf(node, settings);
      if (wellSince === undefined) wait = self.retryMs;
      else if (mono < dueAt) wait = dueAt - mono;
      else if (await this.#isHeardOf(name, context.signal)) wait = self.retryMs;
      else {
        await this.#declareLost(name, node, context);
        // This write brings us back, with its taints.
        return this.#markPods(name, context);
      }
    }
    await this.#markPods(name, context);
    await this.#keepTaints(node, context);
    return wait === undefined ? undefined : { requeueAfterMs: wait };
  }

  /** Asks the server itself: our view may be outdated. */
  async #isHeardOf(name: string, signal: AbortSignal): Promise<boolean> {
    const { self } = this.#options;
    const lease = await this.#readLease(name, signal);
    const health = this.#health.get(name);
    if (lease === 'no answer' || health === undefined) return true;
    if (lease === undefined || leaseWord(lease) === health.lease) {
      this.#ahead.delete(name);
      return false;
    }
    // A renewal may be on its way to us; one that does not come shows a problem of our own.
    if (this.#ahead.has(name)) self.suspect({ cause: 'watch', behind: `the lease of node ${name} was renewed unseen` });
    this.#ahead.add(name);
    return true;
  }

  async #readLease(name: string, signal: AbortSignal): Promise<Lease | 'no answer' | undefined> {
    const { client, clock, self } = this.#options;
    const read = (inTime: AbortSignal): Promise<Lease> => client.get<Lease>(LEASES, NODE_LEASES, name, inTime);
    try {
      const result = await withDeadline({ clock, timeoutMs: VERDICT_READ_TIMEOUT_MS, signal }, read);
      if (result.kind === 'done') return result.value;
      self.suspect({ cause: 'api', error: `no answer within ${VERDICT_READ_TIMEOUT_MS} ms` });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      signal.throwIfAborted();
      self.suspect({ cause: 'api', error: errorMessage(error) });
    }
    return 'no answer';
  }

  async #declareLost(name: string, node: Node, context: ReconcileContext): Promise<void> {
    const { clock, logger, events } = this.#options;
    const { wall, mono } = clock.now();
    const conditions = lostConditions(node, formatTime(wall));
    const wasReady = findCondition(node.status?.conditions, 'Ready')?.status === 'True';
    const silentMs = Math.round(mono - (this.#health.get(name)?.heardAt ?? mono));
    // The version that the verdict rests on: a kubelet that speaks meanwhile is right.
    const { resourceVersion } = node.metadata ?? {};
    const patch = { metadata: { resourceVersion }, status: { conditions } };
    await context.write({ verb: 'patch', resource: NODES, name, type: 'strategic', patch, subresource: 'status' });
    logger.warn('node is not heard of', { node: name, silentMs });
    if (!wasReady) return;
    this.#toMark.add(name);
    events.event(nodeReference(node), 'Normal', 'NodeNotReady', `Node ${name} status is now: NodeNotReady`);
  }

  async #markPods(name: string, context: ReconcileContext): Promise<void> {
    if (!this.#toMark.has(name)) return;
    const { clock, events } = this.#options;
    const pods = readyPods(this.#pods.byIndex(BY_NODE, name));
    const now = formatTime(clock.now().wall);
    for (const pod of pods) events.event(referenceTo(pod), 'Warning', 'NodeNotReady', 'Node is not ready');
    const { errors } = await context.writeAll(pods.map((pod) => markNotReady(pod, now)));
    if (errors.length > 0) throw errors[0];
    this.#toMark.delete(name);
  }

  async #keepTaints(node: Node, context: ReconcileContext): Promise<void> {
    const taints = planTaints(node, 'keep', formatTime(this.#options.clock.now().wall));
    if (taints !== undefined) await context.write(taintOperation(node, taints));
  }

  #tellOfArrival(name: string, node: Node | undefined): void {
    const { events, self } = this.#options;
    const known = this.#known.get(name);
    if (known?.metadata?.uid === node?.metadata?.uid && (known === undefined) === (node === undefined)) return;
    if (known !== undefined)
      events.event(nodeReference(known), 'Normal', 'RemovingNode', `Removing Node ${name} from Controller`);
    if (node === undefined) {
      this.#known.delete(name);
      this.#health.delete(name);
      this.#toMark.delete(name);
      this.#ahead.delete(name);
      this.#warned.delete(name);
      self.nodeGone(name);
      return;
    }
    this.#known.set(name, node);
    events.event(nodeReference(node), 'Normal', 'RegisteredNode', `Registered Node ${name} in Controller`);
  }
}

/** The whole list with the version that it rests on: others put taints on nodes, too. */
export function taintOperation(node: Node, taints: readonly unknown[]): Operation {
  const { name = '', resourceVersion } = node.metadata ?? {};
  const patch = { metadata: { resourceVersion }, spec: { taints: taints.length === 0 ? null : taints } };
  return { verb: 'patch', resource: NODES, name, type: 'merge', patch };
}

function isUnknown(node: Node): boolean {
  return findCondition(node.status?.conditions, 'Ready')?.status === 'Unknown';
}

function nodeReference(node: Node): ReturnType<typeof referenceTo> {
  return referenceTo({ ...node, apiVersion: 'v1', kind: 'Node' });
}
