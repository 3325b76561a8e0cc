/** The flags of `agent` that choose the cluster to join, and the credentials for it. */
import { type Command, Option } from 'commander';
import { valueOf } from './flag-parser.ts';
import { type JoinToken, parseAuthorityHash, parseJoinToken } from './join-token.ts';
import { parseServerUrl } from './node-values.ts';
import { UsageError } from './usage-error.ts';

export interface JoinFlags {
  readonly server?: string;
  readonly token?: JoinToken;
  /** A PEM file with the server's certificate authority. */
  readonly ca?: string;
  readonly caHash?: string;
  readonly kubeconfig?: string;
}

export function addJoinFlags(command: Command): Command {
  return command
    .addOption(
      new Option('--server <URL>', 'the API server to join, https://HOST:PORT').argParser(valueOf(parseServerUrl)),
    )
    .addOption(new Option('--token <TOKEN>', 'a join token: ID.SECRET@sha256:HASH').argParser(valueOf(parseJoinToken)))
    .option('--ca <FILE>', "the server's certificate authority (PEM), for a token without a hash")
    .addOption(
      new Option('--ca-hash <HASH>', "sha256:HASH of the authority's public key, for a token without a hash").argParser(
        valueOf(parseAuthorityHash),
      ),
    )
    .option('--kubeconfig <FILE>', 'join with this kubeconfig instead: a node’s own credentials, or a bootstrap token');
}

/** Checks the flags against each other. @throws UsageError */
export function checkJoinFlags({ server, token, ca, caHash, kubeconfig }: JoinFlags): void {
  if (kubeconfig !== undefined && (server ?? token ?? ca ?? caHash) !== undefined) {
    throw new UsageError('--kubeconfig names the server and the credentials: leave out --server, --token and --ca.');
  }
  if (token !== undefined && server === undefined) throw new UsageError('--token goes with --server URL.');
  if ((ca ?? caHash) !== undefined && token === undefined) throw new UsageError('--ca and --ca-hash go with --token.');
  if (token !== undefined && (token.authorityHash ?? ca ?? caHash) === undefined) {
    throw new UsageError(
      'The token does not identify the server (ID.SECRET@sha256:HASH does): give --ca FILE or --ca-hash too.',
    );
  }
}
