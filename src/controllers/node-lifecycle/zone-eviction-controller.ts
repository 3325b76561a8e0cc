/**
 * Decides which lost nodes are emptied, and when. Each zone's nodes get the NoExecute taint one after another, at the zone's
 * rate; none gets it while everything seems lost, or while we suspect ourselves (upstream: handleDisruption and
 * doNoExecuteTaintingPass).
 */
import { findCondition, type Node, NODES } from '../../api/index.ts';
import type { Change, Lister, Informers } from '../../client/index.ts';
import {
  type Clock,
  type Counter,
  type Gauge,
  type Logger,
  type MetricsRegistry,
  formatTime,
} from '../../lib/index.ts';
import { type Controller, type ReconcileContext, type ReconcileResult, source } from '../controller.ts';
import { taintOperation } from './node-lifecycle-controller.ts';
import { hasNoExecuteTaint, isTaintedAsLost, type NoExecute, planTaints } from './node-taints.ts';
import type { SelfWatch } from './self-watch.ts';
import type { NodeLifecycleSettings } from './settings.ts';
import { newZoneLimiter, nextAt, taken, withRate, type ZoneLimiter } from './zone-limiter.ts';
import { type Disruption, planDisruption, sizeOf, type ZoneState, zoneOf } from './zones.ts';

export interface ZoneEvictionOptions {
  readonly informers: Informers;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  readonly settings: NodeLifecycleSettings;
  readonly self: SelfWatch;
}

const ALL = 'zones';

/** There is one key: the zones are judged together. */
export function zoneEvictionController(options: ZoneEvictionOptions): Controller {
  const zones = new ZoneEviction(options);
  return {
    name: 'node-lifecycle-zones',
    concurrency: 1,
    sources: [source(NODES, (change) => (concernsZones(change) ? [ALL] : []))],
    reconcile: (_key, context) => zones.reconcile(context),
  };
}

/** A heartbeat, or another image, changes nothing here. */
function concernsZones(change: Change<Node>): boolean {
  if (change.type === 'delete' || change.previous === undefined) return true;
  return zoneFacts(change.object) !== zoneFacts(change.previous);
}

function zoneFacts({ metadata, spec, status }: Node): string {
  return JSON.stringify([findCondition(status?.conditions, 'Ready')?.status, spec?.taints, metadata?.labels]);
}

class ZoneEviction {
  readonly #options: ZoneEvictionOptions;
  readonly #nodes: Lister<Node>;
  readonly #limiters = new Map<string, ZoneLimiter>();
  readonly #states = new Map<string, ZoneState>();
  /** Lost nodes that still have no taint, first come, first served. */
  readonly #queue = new Set<string>();
  /** Mono ms since when no node is ready anywhere. */
  #allLostSince: number | undefined;
  readonly #health: Gauge;
  readonly #size: Gauge;
  readonly #unhealthy: Gauge;
  readonly #evictions: Counter;

  constructor(options: ZoneEvictionOptions) {
    const { metrics, informers } = options;
    this.#options = options;
    this.#nodes = informers.lister(NODES);
    const labels = ['zone'];
    this.#health = metrics.gauge({
      name: 'node_collector_zone_health',
      help: 'Gauge measuring percentage of healthy nodes per zone.',
      labels,
    });
    this.#size = metrics.gauge({
      name: 'node_collector_zone_size',
      help: 'Gauge measuring number of registered Nodes per zones.',
      labels,
    });
    this.#unhealthy = metrics.gauge({
      name: 'node_collector_unhealthy_nodes_in_zone',
      help: 'Gauge measuring number of not Ready Nodes per zones.',
      labels,
    });
    this.#evictions = metrics.counter({
      name: 'node_collector_evictions_total',
      help: 'Number of Node evictions that happened since current instance of NodeController started.',
      labels,
    });
  }

  async reconcile(context: ReconcileContext): Promise<ReconcileResult | void> {
    const nodes = this.#nodes.list();
    const disruption = planDisruption(nodes, this.#options.settings);
    this.#tell(disruption);
    this.#keepLimiters(disruption, nodes);
    if (disruption.everywhere) {
      this.#queue.clear();
      for (const node of nodes) if (isTaintedAsLost(node)) await this.#taint(node, 'clear', context);
      return undefined;
    }
    const at = await this.#evict(nodes, context);
    const { mono } = this.#options.clock.now();
    return Number.isFinite(at) ? { requeueAfterMs: Math.max(0, at - mono) } : undefined;
  }

  /**
   * Taints the nodes whose turn it is.
   * @returns mono ms of the next turn; Infinity: when something changes
   */
  async #evict(nodes: readonly Node[], context: ReconcileContext): Promise<number> {
    const { clock, self } = this.#options;
    const lost = new Map(
      nodes.filter((node) => !hasNoExecuteTaint(node)).map((node) => [node.metadata?.name ?? '', node]),
    );
    for (const name of this.#queue) if (!lost.has(name)) this.#queue.delete(name);
    // A node with the taint of the other kind gets the right one at once, elsewhere: it is being emptied already.
    for (const [name, node] of lost) if (!isTaintedAsLost(node)) this.#queue.add(name);
    let next = Number.POSITIVE_INFINITY;
    for (const name of this.#queue) {
      const node = lost.get(name);
      if (node === undefined) continue;
      const zone = zoneOf(node);
      const { mono } = clock.now();
      const limiter = this.#limiters.get(zone) ?? newZoneLimiter(0, mono);
      const at = Math.max(nextAt(limiter, mono), self.evictionsFrom());
      if (at > mono) {
        next = Math.min(next, at);
        continue;
      }
      await this.#taint(node, 'give', context);
      this.#limiters.set(zone, taken(limiter, mono));
      this.#evictions.inc({ zone });
      this.#queue.delete(name);
    }
    return next;
  }

  async #taint(node: Node, noExecute: NoExecute, context: ReconcileContext): Promise<void> {
    const taints = planTaints(node, noExecute, formatTime(this.#options.clock.now().wall));
    if (taints === undefined) return;
    await context.write(taintOperation(node, taints));
    this.#options.logger.info(noExecute === 'give' ? 'emptying a lost node' : 'sparing a lost node', {
      node: node.metadata?.name,
    });
  }

  #keepLimiters({ zones, everywhere }: Disruption, nodes: readonly Node[]): void {
    const { clock, settings } = this.#options;
    const { mono } = clock.now();
    for (const zone of new Set(nodes.map((node) => zoneOf(node)))) {
      const rate = zones.get(zone)?.rate ?? (everywhere ? 0 : settings.nodeEvictionRate);
      const limiter = this.#limiters.get(zone) ?? newZoneLimiter(settings.nodeEvictionRate, mono);
      this.#limiters.set(zone, withRate(limiter, rate, mono));
    }
  }

  #tell({ zones, everywhere }: Disruption): void {
    const { logger } = this.#options;
    for (const [zone, { state, ready, notReady }] of zones) {
      const size = sizeOf({ ready, notReady });
      this.#size.set(size, { zone });
      this.#health.set((100 * ready) / size, { zone });
      this.#unhealthy.set(notReady, { zone });
      const before = this.#states.get(zone);
      if (before !== undefined && before !== state)
        logger.info('zone changed', { zone, state, before, ready, notReady });
      this.#states.set(zone, state);
    }
    for (const zone of this.#states.keys()) {
      if (zones.has(zone)) continue;
      this.#states.delete(zone);
      this.#limiters.delete(zone);
      this.#size.set(0, { zone });
      this.#health.set(100, { zone });
      this.#unhealthy.set(0, { zone });
    }
    const { mono } = this.#options.clock.now();
    if (everywhere && this.#allLostSince === undefined) {
      this.#allLostSince = mono;
      logger.info('no node is ready anywhere: nothing is evicted');
    } else if (!everywhere && this.#allLostSince !== undefined) {
      this.#options.self.nodesAreBack(mono - this.#allLostSince);
      this.#allLostSince = undefined;
    }
  }
}
