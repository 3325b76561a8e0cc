/** client: the client of an API server, over HTTP or in memory: calls, watch, reflector, lister, event recorder. */
export * from './connection-client.ts';
export { type Discovery, type DiscoveryDocument, rowsOfDiscovery } from './discovery.ts';
export * from './event-recorder.ts';
export { type FreshTokenOptions, withFreshToken } from './fresh-token.ts';
export * from './in-cluster.ts';
export * from './informers.ts';
export * from './kube-client.ts';
export * from './kubeconfig-file.ts';
export * from './leader-election.ts';
export * from './lister.ts';
export { LruCache } from './lru-cache.ts';
export { resourcePath } from './paths.ts';
export * from './reflector.ts';
export { rowOfKind, ServedKinds } from './served-kinds.ts';
export * from './server-answers.ts';
export * from './source-form.ts';
export { parseWatchLine, parseWatchStream } from './watch-stream.ts';
export { type WatcherEvent, type WatcherOptions, watcher } from './watcher.ts';
