/** What the dashboard stands on: the way to the cluster as its viewer, secrets, and the page's files. */
import type { ClusterSession } from '../cli/index.ts';
import type { KubeClient } from '../client/index.ts';
import type { Clock, Connection, Logger } from '../lib/index.ts';
import type { PageState } from '../page/index.ts';

/** Who looks: all that is shown and done goes through this connection, with the rights of this identity. */
export interface Viewer {
  /** "kubernetes-admin" */
  readonly name: string;
  /** Equal for the same identity alone: name, uid, groups and further facts. */
  readonly key: string;
  readonly connection: Connection;
  readonly client: KubeClient;
  /** As `ClusterSession.readCertificate`. */
  readonly readCertificate?: ClusterSession['readCertificate'];
}

/** What a link was asked for with. */
export interface LinkWish {
  /** Restart and other acts, as far as the identity may; otherwise read-only. */
  readonly write: boolean;
  /** The page shows this namespace alone. */
  readonly namespace?: string;
}

/** Random and hashes, as a port: tests know what comes. */
export interface Secrets {
  /** 256 random bits in characters of URLs. */
  random(): string;
  /** Of a text, in hexadecimal: what is stored in place of a secret. */
  hash(text: string): string;
}

export interface Asset {
  readonly type: string;
  readonly body: Uint8Array;
  /** "br", "gzip"; absent: as it is. */
  readonly encoding?: string;
}

/** The page, as text and files. Nothing of it is read before it is asked for. */
export interface PageFiles {
  login(): string;
  page(state: PageState): string;
  /** The file of an immutable name, in the best form that `accept` takes; undefined: there is none. */
  asset(path: string, accept: string): Asset | undefined;
}

export interface DashboardPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly secrets: Secrets;
  readonly files: PageFiles;
}
