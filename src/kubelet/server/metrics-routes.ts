/** /metrics: the agent's own figures. */
import { METRICS_CONTENT_TYPE, type MetricsRegistry } from '../../lib/index.ts';
import { textResponse } from './responses.ts';
import type { Route } from './routes.ts';

/** @param more figures that are taken for each answer */
export function metricsRoutes(metrics: MetricsRegistry, more: () => Promise<string>): readonly Route[] {
  return [
    {
      path: '/metrics',
      methods: ['GET'],
      answer: async () => ({
        ...textResponse(200, metrics.text() + (await more())),
        headers: { 'content-type': METRICS_CONTENT_TYPE },
      }),
    },
  ];
}
