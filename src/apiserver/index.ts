/** apiserver: HTTP requests to store operations: routing, authorization, admission, registry, watch, tables. */
export { type ApiServer, type ApiServerOptions, createApiServer } from './api-server.ts';
export type { ServerVersion } from './discovery/version.ts';
export { type Authorizer, basicAuthorizer, type Decision } from './http/authorize.ts';
export { parseRequestInfo, type RequestInfo, type ResourceRequest } from './http/request-info.ts';
export type { NodeConnections } from './ports.ts';
export { formatKubeconfig, type KubeconfigOptions } from './edge/kubeconfig.ts';
