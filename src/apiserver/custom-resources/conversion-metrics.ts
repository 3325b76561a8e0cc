/** What webhooks that convert objects took and failed at, under upstream's names. */
import type { MetricsRegistry } from '../../lib/index.ts';

export interface ConversionMetrics {
  /** One review. `fault` "": it went well. */
  observeRequest(fault: string, seconds: number): void;
  /** The same with the definition and its versions. */
  observeConversion(
    labels: { readonly definition: string; readonly from: string; readonly to: string },
    isDone: boolean,
    seconds: number,
  ): void;
  /** A webhook whose certificate lacks its name. */
  observeOtherName(): void;
}

const LATENCY_BUCKETS = Array.from({ length: 15 }, (_, power) => 0.001 * 2 ** power);
const REQUEST_BUCKETS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60];

export function createConversionMetrics(registry: MetricsRegistry): ConversionMetrics {
  const conversions = registry.histogram({
    name: 'apiserver_crd_conversion_webhook_duration_seconds',
    help: 'Time of conversions by webhooks, by definition and versions.',
    labels: ['crd_name', 'from_version', 'to_version', 'succeeded'],
    buckets: LATENCY_BUCKETS,
  });
  const requests = registry.counter({
    name: 'apiserver_conversion_webhook_request_total',
    help: 'Requests to webhooks that convert, by outcome.',
    labels: ['result', 'failure_type'],
  });
  const durations = registry.histogram({
    name: 'apiserver_conversion_webhook_duration_seconds',
    help: 'Time of requests to webhooks that convert, by outcome.',
    labels: ['result', 'failure_type'],
    buckets: REQUEST_BUCKETS,
  });
  const otherNames = registry.counter({
    name: 'apiserver_webhooks_x509_missing_san_total',
    help: 'Requests to webhooks whose certificate does not have the name of its server.',
    labels: [],
  });
  return {
    observeRequest: (fault, seconds) => {
      const labels = { result: fault === '' ? 'success' : 'failure', failure_type: fault };
      requests.inc(labels);
      durations.observe(seconds, labels);
    },
    observeConversion: ({ definition, from, to }, isDone, seconds) =>
      conversions.observe(seconds, {
        crd_name: definition,
        from_version: from,
        to_version: to,
        succeeded: String(isDone),
      }),
    observeOtherName: () => otherNames.inc({}),
  };
}
