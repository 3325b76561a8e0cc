/** Tells what a program can do without: telemetry, proxies and the like are often away, and the program is well. Pure. */
import { type SpecPeer, variableOf } from './spec-peers.ts';

const AUXILIARY =
  /telemetry|metric|statsd|otel|otlp|opentelemetry|trac(?:e|ing)|jaeger|zipkin|sentry|newrelic|datadog|\bapm\b|analytics|update check|new version|license|syslog|fluentd|collector|pushgateway/i;
/** Names of variables of what is asked now and then, or by others only. */
const OPTIONAL =
  /\b(?:https?|no|all|ftp|socks) ?proxy$|prometheus|grafana|\bloki\b|logstash|graylog|\bgelf\b|fluent|\bsmtp\b|\bmail|webhook|callback|\bcors\b|origin|allowed|feature ?flag|unleash|\bdocs?\b|swagger|public|redirect/i;

/** Whether a text is about what only watches or reports. */
export function isAuxiliary(text: string): boolean {
  return AUXILIARY.test(text);
}

/** Whether a peer is of that kind, by the name of its variable or its own. */
export function isOptionalPeer({ at, host }: Pick<SpecPeer, 'host' | 'at'>): boolean {
  const name = (variableOf(at) ?? '').replaceAll(/[_.-]/g, ' ');
  return AUXILIARY.test(name) || OPTIONAL.test(name) || AUXILIARY.test(host.replaceAll(/[.-]/g, ' '));
}
