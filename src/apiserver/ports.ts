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

/** Opens connections to "http://HOST:PORT" or "https://HOST:PORT", whose certificate is not checked: it is a pod's own. */
export type OriginConnections = (origin: string) => OriginConnection;

/** The way to a webhook. Its certificate is checked, by the name that `server` has. */
export interface WebhookRoute {
  /** "https://HOST:PORT", as the webhook is told whom it was asked as. */
  readonly server: string;
  /** Where to connect to; absent: where the name of the host leads. */
  readonly dial?: { readonly host: string; readonly port: number };
  /** PEM; absent: the authorities of the system. */
  readonly authorityPem?: string;
}

/** Opens connections to webhooks. */
export type WebhookConnections = (route: WebhookRoute) => OriginConnection;

/** The way to a node's kubelet; undefined for a node that is not connected. */
export type NodeConnections = (nodeName: string) => Connection | undefined;
