/** /stats/summary, /metrics/resource, /metrics/cadvisor and /metrics/probes. */
import {
  errorMessage,
  type HttpResponse,
  type Logger,
  METRICS_CONTENT_TYPE,
  type MetricsRegistry,
} from '../../lib/index.ts';
import type { Cgroups, Machine } from '../ports.ts';
import { cadvisorMetrics } from '../stats/cadvisor-metrics.ts';
import { resourceMetrics } from '../stats/resource-metrics.ts';
import type { Stats } from '../stats/stats-provider.ts';
import { jsonResponse, textResponse } from './responses.ts';
import type { Route, RouteCall } from './routes.ts';

export interface StatsRoutesOptions {
  readonly logger: Logger;
  readonly stats: Stats;
  readonly cgroups: Cgroups;
  readonly machine: Machine;
  /** Probes have a registry of their own: their series come and go with containers. */
  readonly probeMetrics: MetricsRegistry;
}

export function statsRoutes(options: StatsRoutesOptions): readonly Route[] {
  const { probeMetrics } = options;
  return [
    { path: '/stats/summary', methods: ['GET', 'POST'], answer: (call) => summary(options, call) },
    { path: '/metrics/resource', methods: ['GET'], answer: () => resource(options) },
    { path: '/metrics/cadvisor', methods: ['GET'], answer: () => cadvisor(options) },
    { path: '/metrics/probes', methods: ['GET'], answer: () => metricsText(probeMetrics.text()) },
  ];
}

/** `only_cpu_and_memory=true` leaves out disks and networks, and is cheap. */
async function summary({ stats }: StatsRoutesOptions, { query }: RouteCall): Promise<HttpResponse> {
  const isCheap = query.get('only_cpu_and_memory') === 'true';
  return jsonResponse(await (isCheap ? stats.cpuAndMemory() : stats.summary()));
}

async function resource({ stats, logger }: StatsRoutesOptions): Promise<HttpResponse> {
  const taken = await stats.measurement({ disk: false }).catch((error: unknown) => {
    logger.error('no figures for the metrics', { error: errorMessage(error) });
    return undefined;
  });
  return metricsText(resourceMetrics(taken));
}

async function cadvisor({ stats, cgroups, machine }: StatsRoutesOptions): Promise<HttpResponse> {
  const [measured, { cpuCores, memoryBytes }] = await Promise.all([stats.measurement({ disk: true }), machine.facts()]);
  const idOf = (path: readonly string[], id?: string): string => {
    const group = cgroups.cgroupParent(path);
    if (id === undefined) return group;
    return `${group}/${cgroups.driver === 'systemd' ? `cri-containerd-${id}.scope` : id}`;
  };
  return metricsText(cadvisorMetrics(measured, { idOf, cpuCores, memoryBytes }));
}

function metricsText(text: string): HttpResponse {
  return { ...textResponse(200, text), headers: { 'content-type': METRICS_CONTENT_TYPE } };
}
