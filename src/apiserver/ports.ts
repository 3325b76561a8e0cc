/** The ports that the API server stands on, gathered for its own files. */
import type { Connection, Headers } from '../lib/index.ts';

export type {
  Clock,
  Connection,
  HttpRequest,
  HttpResponse,
  Logger,
  Random,
  UpgradeResponse,
  UserInfo,
} from '../lib/index.ts';

/** What the server's own requests to itself bear: whoever reads managed fields sees who wrote. */
export const OWN_HEADERS: Headers = { 'user-agent': 'kube-apiserver' };

/** A way to one server somewhere, for one request. */
export interface OriginConnection extends Connection {
  close(): void;
}

/** How a server that must prove who it is is reached: its certificate is checked by the name in its origin. */
export interface CheckedRoute {
  /** Where to connect to; absent: where the name of the host leads. */
  readonly dial?: { readonly host: string; readonly port: number };
  /** PEM; absent: the authorities of the system. */
  readonly authorityPem?: string;
}

/**
 * Opens connections to "http://HOST:PORT" or "https://HOST:PORT". Without a route the certificate is not checked: it is a pod's own.
 */
export type OriginConnections = (origin: string, route?: CheckedRoute) => OriginConnection;

/** The way to a node's kubelet; undefined for a node that is not connected. */
export type NodeConnections = (nodeName: string) => Connection | undefined;
