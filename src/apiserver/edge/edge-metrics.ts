/** The metrics of the edge: connections, refusals and ended connections with their reasons, and bytes of bodies. */
import { createMetrics, type MetricsRegistry } from '../../lib/index.ts';
import type { ConnectionClass } from './connection-table.ts';

/** Why a connection was ended by us. */
export type EndReason =
  | 'handshake-timeout'
  | 'header-timeout'
  | 'idle'
  | 'crowded-out'
  | 'over-share'
  | 'no-ping'
  | 'flood-request'
  | 'flood-reset'
  | 'flood-ping'
  | 'flood-settings'
  | 'flood-wasted'
  | 'protocol'
  | 'pipelining';

/** Why a request was refused before it came to its handler, or on the way there. */
export type RefusalReason =
  | 'body-budget'
  | 'body-too-large'
  | 'body-timeout'
  | 'headers-too-large'
  | 'too-many-strangers'
  | 'too-many-connections';

export interface EdgeFigures {
  readonly connections: Readonly<Record<ConnectionClass, number>>;
  readonly bodyBytes: number;
  readonly waitingBodies: number;
}

export interface EdgeMetrics {
  ended(reason: EndReason): void;
  refused(reason: RefusalReason): void;
}

/**
 * @param listener which port: "apiserver", "kubelet"
 * @param read called at each exposition
 */
export function createEdgeMetrics(
  registry: MetricsRegistry = createMetrics(),
  listener = '',
  read: () => EdgeFigures,
): EdgeMetrics {
  const connections = registry.gauge({
    name: 'mendlet_edge_connections',
    help: 'Open connections: strangers have shown no credentials, kept are agents and masters.',
    labels: ['listener', 'class'],
  });
  const bodyBytes = registry.gauge({
    name: 'mendlet_edge_body_bytes',
    help: 'Bytes of request bodies announced, waiting, or in memory.',
    labels: ['listener'],
  });
  const waiting = registry.gauge({
    name: 'mendlet_edge_waiting_bodies',
    help: 'Requests that wait for room for their bodies.',
    labels: ['listener'],
  });
  const ended = registry.counter({
    name: 'mendlet_edge_connections_ended_total',
    help: 'Connections that the server ended, by why.',
    labels: ['listener', 'reason'],
  });
  const refused = registry.counter({
    name: 'mendlet_edge_requests_refused_total',
    help: 'Requests that the edge refused, by why.',
    labels: ['listener', 'reason'],
  });
  registry.onCollect(() => {
    const figures = read();
    for (const [name, count] of Object.entries(figures.connections)) connections.set(count, { listener, class: name });
    bodyBytes.set(figures.bodyBytes, { listener });
    waiting.set(figures.waitingBodies, { listener });
  });
  return {
    ended: (reason) => ended.inc({ listener, reason }),
    refused: (reason) => refused.inc({ listener, reason }),
  };
}
