/** client: speaks to an API server, over HTTP or in memory: calls, watch, reflector, lister, event recorder. */
export * from './kube-client.ts';
