/** /metrics: the agent's own figures. */
import { METRICS_CONTENT_TYPE, type MetricsRegistry } from '../../lib/index.ts';
import { textResponse } from './responses.ts';
import type { Route } from './routes.ts';

export function metricsRoutes(metrics: MetricsRegistry): readonly Route[] {
  return [
    {
      path: '/metrics',
      methods: ['GET'],
      answer: () => ({ ...textResponse(200, metrics.text()), headers: { 'content-type': METRICS_CONTENT_TYPE } }),
    },
  ];
}
