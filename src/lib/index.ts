/**
 * lib: ports without knowledge of Kubernetes, and small tools. It imports no other room.
 * The adapters are the `*.node.ts` files of this room; only `main` (and tests) load them, by their own path.
 */
export * from './async-queue.ts';
export * from './async.ts';
export * from './back-off.ts';
export * from './breather.ts';
export * from './bytes.ts';
export * from './clock.ts';
export * from './duplex.ts';
export * from './errors.ts';
export * from './file-system.ts';
export * from './http-headers.ts';
export * from './http.ts';
export * from './fnv.ts';
export * from './keyed-lines.ts';
export * from './logger.ts';
export * from './metrics.ts';
export { nearNames } from './near-names.ts';
export { formatNumber, labelText } from './metrics-text.ts';
export * from './process-metrics.ts';
export * from './process.ts';
export * from './random.ts';
export * from './seeded-random.ts';
export * from './streams/index.ts';
export * from './token-bucket.ts';
export * from './work-queue-metrics.ts';
export { Screen, type Terminal } from './screen.ts';
export * from './visible-text.ts';
export * from './work-queue.ts';
export { parseDocument, parseYamlText, splitDocuments, type YamlDocument } from './yaml.ts';
export { NotInStepsError, yamlSteps } from './yaml-steps.ts';
export { BoundedMap } from './bounded-map.ts';
