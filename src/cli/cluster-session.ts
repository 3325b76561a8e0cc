/** The session of the verbs that query a cluster (`restart`, `why` and others), and the flags that choose the cluster. */
import { type Command, Option } from 'commander';
import type { KubeClient } from '../client/index.ts';
import type { CertificateFacts } from '../diagnosis/index.ts';
import type { Clock, Connection, Terminal } from '../lib/index.ts';
import type { ExitCode } from './exit-codes.ts';

export interface ClusterChoice {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
}

/** An open connection to a cluster's API server, with the terminal. */
export interface ClusterSession {
  readonly client: KubeClient;
  /** The connection for subresources that answer with something else than an object, for which `client` has no call. */
  readonly connection: Connection;
  /** The namespace from --namespace, else the kubeconfig's context, else "default". */
  readonly namespace: string;
  readonly clock: Clock;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Prints text for people; control characters in it are made visible, so that they cannot drive the terminal. */
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Writes to standard output without changes: for text that has been made visible, or that must stay as it was written. */
  readonly outRaw: (data: string | Uint8Array) => void;
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean;
  /** Width of the terminal in characters; undefined when standard output is no terminal. */
  readonly columns: number | undefined;
  /** The terminal itself, for what is drawn in place; absent when standard output is none. */
  readonly screen?: Terminal;
  /** Aborted when nobody reads the output any more: `mendlet watch | head`. Absent: nobody notices. */
  readonly readerGone?: AbortSignal;
  /** The user wants no colours ($NO_COLOR). */
  readonly isPlain?: boolean;
  /** What the first certificate of a text tells whoever connects; absent: certificates are not read. */
  readonly readCertificate?: (text: string) => CertificateFacts | undefined;
}

/** The work of a verb. It may throw StatusErrors and ConnectionErrors; the caller prints them. */
export type ClusterVerb = (session: ClusterSession) => Promise<ExitCode>;

/** Opens a session with the chosen cluster, runs the verb and closes the session. */
export type WithCluster = (choice: ClusterChoice, verb: ClusterVerb) => Promise<ExitCode>;

/** Adds -n, --kubeconfig and --context, as kubectl has them. */
export function withClusterFlags(command: Command): Command {
  return command
    .addOption(new Option('-n, --namespace <NAME>', 'the namespace (default: that of the kubeconfig, else default)'))
    .addOption(
      new Option(
        '--kubeconfig <FILE>',
        'the kubeconfig (default: $KUBECONFIG, ~/.kube/config, or that of the default data folder)',
      ),
    )
    .addOption(new Option('--context <NAME>', 'the context of the kubeconfig'));
}

/** The flags of a verb that choose the cluster. */
export function choiceOf({ namespace, kubeconfig, context }: ClusterChoice): ClusterChoice {
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
  };
}
