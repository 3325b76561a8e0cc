/** apiserver: HTTP requests to store operations: routing, authorization, admission, registry, watch, tables. */
export { type AdmissionSettings, DEFAULT_ADMISSION } from './admission/settings.ts';
export { type ApiServer, type ApiServerOptions, type ApiServerPorts, createApiServer } from './api-server.ts';
export type { ServerVersion } from './discovery/version.ts';
export type { AccessRequest } from './authorization/access-request.ts';
export type { Authorizer, Decision } from './authorization/authorizer.ts';
export { parseRequestInfo, type RequestInfo, type ResourceRequest } from './http/request-info.ts';
export { createPlainTokenSigner } from './tokens/plain-token-signer.ts';
export type { Advertised } from './services/system-objects.ts';
export type { TokenSigner } from './tokens/token-signer.ts';
export type { NodeConnections, OriginConnections } from './ports.ts';
export type { DashboardLinks } from './dashboard-links.ts';
export { formatKubeconfig, type KubeconfigOptions } from './edge/kubeconfig.ts';
export { type ConnectionShares, connectionShares } from './edge/connection-shares.ts';
