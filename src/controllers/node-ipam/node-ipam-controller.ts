/**
 * Gives each node its part of the pods' network, once (upstream: pkg/controller/nodeipam, the range allocator). The Node
 * objects are the record: a node keeps its part until it is gone.
 */
import { type Node, NODES } from '../../api/index.ts';
import { type EventRecorder, referenceTo, type Informers } from '../../client/index.ts';
import { assert, type Logger, type MetricsRegistry } from '../../lib/index.ts';
import type { ControllerSetup } from '../controller-setup.ts';
import { type Controller, source } from '../controller.ts';
import { checkNodeIpam, CidrPool, type NodeIpamSettings } from '../../network/index.ts';

/** Absent: there is no network to give out. */
export function nodeIpamControllers(setup: ControllerSetup): readonly Controller[] {
  const { nodeIpam } = setup.settings;
  if (nodeIpam === undefined) return [];
  return [nodeIpamController({ ...setup, settings: nodeIpam, events: setup.events('cidrAllocator') })];
}

export interface NodeIpamOptions {
  readonly informers: Informers;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  readonly events: EventRecorder;
  readonly settings: NodeIpamSettings;
}

/** Nodes that found no free network wait for one that is given back; this is the safety net, ms. */
const FULL_RETRY_MS = 60_000;

/** Keys are nodes' names. */
export function nodeIpamController(options: NodeIpamOptions): Controller {
  const { informers, logger, events, settings } = options;
  const wrong = checkNodeIpam(settings);
  assert(wrong === undefined, wrong ?? '');
  const pool = new CidrPool(settings);
  const nodes = informers.lister(NODES);
  const metrics = poolMetrics(options.metrics, settings.clusterCidr, pool);
  /** Nodes without a network, since there is none. */
  const waiting = new Set<string>();
  let begun = false;
  /** Before the first network is given out, all that are in use are known. */
  const begin = (): void => {
    if (begun) return;
    begun = true;
    for (const node of nodes.list()) occupy(node);
  };
  const occupy = (node: Node): void => {
    const name = node.metadata?.name ?? '';
    for (const cidr of cidrsOf(node)) {
      const other = pool.occupy(name, cidr);
      if (other !== undefined) logger.error('two nodes have the same pod network', { node: name, other, cidr });
    }
  };
  return {
    name: 'node-ipam-controller',
    concurrency: 1,
    sources: [
      source(NODES, (change) => {
        if (change.type === 'delete') return [change.key, ...waiting];
        // A heartbeat is no reason to look.
        const isNews = change.previous === undefined || cidrsOf(change.previous).length === 0;
        return isNews ? [change.key] : [];
      }),
    ],
    reconcile: async (name, context) => {
      begin();
      const node = nodes.getByKey(name);
      if (node === undefined) {
        waiting.delete(name);
        if (pool.giveBack(name)) metrics.released();
        return undefined;
      }
      if (cidrsOf(node).length > 0) {
        waiting.delete(name);
        occupy(node);
        return undefined;
      }
      const cidr = pool.take(name);
      if (cidr === undefined) {
        if (!waiting.has(name)) {
          waiting.add(name);
          logger.error('no pod network left for a node', { node: name, clusterCidr: settings.clusterCidr });
          const about = referenceTo({ ...node, apiVersion: 'v1', kind: 'Node' });
          events.event(about, 'Normal', 'CIDRNotAvailable', `Node ${name} status is now: CIDRNotAvailable`);
        }
        return { requeueAfterMs: FULL_RETRY_MS };
      }
      waiting.delete(name);
      const { uid } = node.metadata ?? {};
      const patch = { metadata: { uid }, spec: { podCIDR: cidr, podCIDRs: [cidr] } };
      await context.write({ verb: 'patch', resource: NODES, name, type: 'merge', patch });
      metrics.given();
      logger.info('node has its pod network', { node: name, cidr });
      return undefined;
    },
  };
}

function cidrsOf({ spec }: Node): readonly string[] {
  if ((spec?.podCIDRs ?? []).length > 0) return spec?.podCIDRs ?? [];
  return spec?.podCIDR ? [spec.podCIDR] : [];
}

function poolMetrics(metrics: MetricsRegistry, clusterCIDR: string, pool: CidrPool) {
  const labels = { clusterCIDR };
  const names = { labels: ['clusterCIDR'] };
  const given = metrics.counter({
    ...names,
    name: 'node_ipam_controller_cidrset_cidrs_allocations_total',
    help: 'Counter measuring total number of CIDR allocations.',
  });
  const released = metrics.counter({
    ...names,
    name: 'node_ipam_controller_cidrset_cidrs_releases_total',
    help: 'Counter measuring total number of CIDR releases.',
  });
  const max = metrics.gauge({
    ...names,
    name: 'node_ipam_controller_cirdset_max_cidrs',
    help: 'Maximum number of CIDRs that can be allocated.',
  });
  const usage = metrics.gauge({
    ...names,
    name: 'node_ipam_controller_cidrset_usage_cidrs',
    help: 'Gauge measuring percentage of allocated CIDRs.',
  });
  metrics.onCollect(() => {
    max.set(pool.size, labels);
    usage.set(pool.used / pool.size, labels);
  });
  return { given: () => given.inc(labels), released: () => released.inc(labels) };
}
