/** What the verbs that ask a cluster (`restart`, `why`, `history`, `logs`) are given, and the flags that say which cluster. */
import { type Command, Option } from 'commander';
import type { KubeClient } from '../client/index.ts';
import type { Clock, Connection } from '../lib/index.ts';
import type { ExitCode } from './exit-codes.ts';

export interface ClusterChoice {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
}

/** An open way to a cluster's API server. */
export interface ClusterSession {
  readonly client: KubeClient;
  /** For what `client` has no call for: subresources that answer with something else than an object. */
  readonly connection: Connection;
  /** From --namespace, else the kubeconfig's context, else "default". */
  readonly namespace: string;
  readonly clock: Clock;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Text for people: what others have put into it cannot drive the terminal. */
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Standard output as it is: for what has been made visible, or is to be had as it was written. */
  readonly outRaw: (data: string | Uint8Array) => void;
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean;
  /** Width of the terminal; undefined when the output is none. */
  readonly columns: number | undefined;
}

/** What a verb does with it. StatusErrors and ConnectionErrors may be left to the caller, which tells them. */
export type ClusterVerb = (session: ClusterSession) => Promise<ExitCode>;

/** Opens the cluster of the choice, runs the verb, closes it. */
export type WithCluster = (choice: ClusterChoice, verb: ClusterVerb) => Promise<ExitCode>;

/** Adds -n, --kubeconfig and --context, as kubectl has them. */
export function withClusterFlags(command: Command): Command {
  return command
    .addOption(new Option('-n, --namespace <NAME>', "the namespace (default: the kubeconfig's, else default)"))
    .addOption(
      new Option(
        '--kubeconfig <FILE>',
        'which cluster (default: $KUBECONFIG, ~/.kube/config, the default data folder’s)',
      ),
    )
    .addOption(new Option('--context <NAME>', 'the context of the kubeconfig'));
}

/** Of the flags of a verb, those that say which cluster. */
export function choiceOf({ namespace, kubeconfig, context }: ClusterChoice): ClusterChoice {
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
  };
}
