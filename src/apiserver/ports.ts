/** The ports that the API server stands on, gathered for its own files. */
import type { Connection } from '../lib/index.ts';

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

/** The way to a node's kubelet; undefined for a node that is not connected. */
export type NodeConnections = (nodeName: string) => Connection | undefined;
