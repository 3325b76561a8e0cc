/**
 * How a machine becomes a node: with what an earlier start got, with what a kubeconfig says, or with a token for which the
 * server gives it a certificate of its own (upstream: the kubelet's TLS bootstrap).
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createCertificateRequest } from '../../apiserver/edge/certificate-request.node.ts';
import type { KeyPair } from '../key-pair.ts';
import { isNotFound, type Lease, LEASES, type Node, NODES, StatusError } from '../../api/index.ts';
import { exitCodes, type JoinFlags } from '../../cli/index.ts';
import { createHttpConnection } from '../../client/http-connection.node.ts';
import {
  createKubeClient,
  KubeconfigError,
  type KubeClient,
  readKubeconfig,
  type ServerAccess,
} from '../../client/index.ts';
import { systemFileSystem } from '../../lib/file-system.node.ts';
import { ConnectionError, errorMessage, formatTime } from '../../lib/index.ts';
import type { DataPaths } from '../data-dir-path.ts';
import { UserError } from '../user-error.ts';
import { userAgentOf } from '../user-agent.ts';
import { isValidAt } from './certificate-times.ts';
import { connectionTrouble } from './connection-trouble.ts';
import {
  credentialsOf,
  forgetPendingKey,
  type NodeCredentials,
  nodeOf,
  readCredentials,
  readPendingKey,
  validityOf,
  writeCredentials,
  writePendingKey,
} from './credentials.node.ts';
import { fetchAuthority, WrongAuthority } from './fetch-authority.node.ts';
import { type Claimant, judgeName } from './node-name.ts';
import { type Patience, untilDone } from './patience.ts';
import { authorityHash } from './pin.node.ts';
import { CertificateRefused, CLIENT_SIGNER, requestCertificate } from './request-certificate.ts';

export interface JoinOptions extends Patience {
  /** This machine, as the node that it wants to be. */
  readonly me: Claimant;
  readonly given: JoinFlags;
  readonly paths: DataPaths;
  /** Pods may be running that were made for the server that this folder joined. */
  readonly inUse: boolean;
}

/** @throws UserError for problems that a person has to solve; waits for problems that pass by themselves */
export async function joinCluster(options: JoinOptions): Promise<NodeCredentials> {
  const { paths, given, clock, me, say, inUse } = options;
  const { nodeName } = me;
  const own = await readOwn(paths);
  const { wall } = clock.now();
  const access = given.kubeconfig === undefined ? undefined : await readAccess(given.kubeconfig);
  const server = access?.server ?? given.server;
  if (own !== undefined && !isOtherCluster(own, given, access)) {
    const isOurs = nodeOf(own.client.certificatePem) === nodeName;
    const validity = validityOf(own.client.certificatePem);
    if (isOurs && isValidAt(validity, wall)) {
      // A server may get another address, and stays the one that its authority says. Kept only when it has answered
      // (`keepAddress`): a slip in --server must not outlive this start.
      return { ...own, server: server ?? own.server };
    }
    if (given.token === undefined && access === undefined) {
      throw new UserError(
        isOurs
          ? `the certificate of this node is good from ${formatTime(validity.from)} to ${formatTime(validity.to)}, and now it is ` +
              `${formatTime(wall)}: join again with --server and --token, or set this machine's clock`
          : `${paths.dir} is of another node, ${nodeOf(own.client.certificatePem) ?? 'with a certificate of no node'}: ` +
              'leave out --node-name, or join again with --server and --token',
      );
    }
  } else if (own !== undefined && inUse) {
    throw new UserError(
      `the pods of ${paths.dir} are those of ${own.server}, not of ${server ?? 'another server'}; ` +
        `first remove them: mendlet down --data-dir ${paths.dir}`,
    );
  }
  if (server === undefined) {
    throw new UserError(
      'this machine has not joined yet: give --server URL --token TOKEN (as "mendlet server" prints them), or --kubeconfig FILE',
      { exitCode: exitCodes.usage },
    );
  }
  const entry = access ?? (await tokenAccess(options, server));
  const ready = credentialsOf(entry);
  const credentials =
    ready !== undefined && nodeOf(ready.client.certificatePem) === nodeName
      ? ready
      : { ...entry, client: await ownCertificate(options, entry) };
  await refuseTakenName(options, credentials);
  writeCredentials(paths, credentials);
  say(`joined ${credentials.server} as node ${nodeName}`);
  return credentials;
}

async function readOwn(paths: DataPaths): Promise<NodeCredentials | undefined> {
  try {
    return await readCredentials(paths);
  } catch (error) {
    throw new UserError(`${errorMessage(error)}; remove ${paths.kubeconfig} to join again`, { cause: error });
  }
}

async function readAccess(path: string): Promise<ServerAccess> {
  try {
    return await readKubeconfig({ path: absolute(path), fs: systemFileSystem });
  } catch (error) {
    if (!(error instanceof KubeconfigError)) throw error;
    throw new UserError(`--kubeconfig ${error.message}`, { cause: error, exitCode: exitCodes.usage });
  }
}

function absolute(path: string): string {
  return path.startsWith('/') ? path : `${process.cwd()}/${path}`;
}

/** Whether the given token or file leads to another authority than the one that this folder joined. */
function isOtherCluster(
  own: NodeCredentials,
  { token, caHash, ca }: JoinOptions['given'],
  access: ServerAccess | undefined,
): boolean {
  if (own.authorityPem === undefined) return access !== undefined && access.server !== own.server;
  const hash =
    token?.authorityHash ?? caHash ?? hashOf(ca === undefined ? access?.authorityPem : readFileSync(ca, 'utf8'));
  return hash !== undefined && hash !== authorityHash(own.authorityPem);
}

function hashOf(pem: string | undefined): string | undefined {
  return pem === undefined ? undefined : authorityHash(pem);
}

/** The way in that a token opens: the authority first, from a file or, by its hash, from the server itself. */
async function tokenAccess(options: JoinOptions, server: string): Promise<ServerAccess> {
  const { token, ca, caHash } = options.given;
  if (token === undefined) {
    throw new UserError(`this machine has not joined ${server} yet: give --token TOKEN too`, {
      exitCode: exitCodes.usage,
    });
  }
  const hash = token.authorityHash ?? caHash;
  const authorityPem = ca === undefined ? await seekAuthority(options, server, hash ?? '') : readAuthority(ca, hash);
  return { server, authorityPem, token: `${token.id}.${token.secret}` };
}

function readAuthority(path: string, hash: string | undefined): string {
  let found: string;
  let pem: string;
  try {
    pem = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UserError(`--ca ${path}: ${errorMessage(error)}`, { cause: error, exitCode: exitCodes.usage });
  }
  try {
    found = authorityHash(pem);
  } catch (error) {
    throw new UserError(`--ca ${path}: there is no certificate in it (PEM)`, {
      cause: error,
      exitCode: exitCodes.usage,
    });
  }
  if (hash === undefined || hash === found) return pem;
  throw new UserError(`--ca ${path} has the hash ${found}, and the token says ${hash}`, { exitCode: exitCodes.usage });
}

function seekAuthority(options: JoinOptions, server: string, hash: string): Promise<string> {
  const { clock } = options;
  return untilDone<string>(options, async () => {
    try {
      return { done: await fetchAuthority(server, hash, clock) };
    } catch (error) {
      if (error instanceof WrongAuthority) throw new UserError(error.message, { cause: error });
      if (!(error instanceof ConnectionError)) throw error;
      const trouble = connectionTrouble(server, error, clock.now().wall);
      if (trouble.kind === 'wait') return { waitFor: trouble.message };
      throw new UserError(trouble.message, { cause: error });
    }
  });
}

/** A key of our own, and a certificate for it. */
async function ownCertificate(options: JoinOptions, access: ServerAccess): Promise<KeyPair> {
  const { paths, me, clock, say } = options;
  say(`asking ${access.server} for a certificate`);
  const { csrPem, keyPem } = await createCertificateRequest(
    { commonName: `system:node:${me.nodeName}`, organizations: ['system:nodes'], dnsNames: [], ipAddresses: [] },
    readPendingKey(paths),
  );
  writePendingKey(paths, keyPem);
  const connection = createHttpConnection({ ...access, clock });
  const client = createKubeClient(connection, { clock, userAgent: userAgentOf('bootstrap') });
  // The same key, the same name: a restarted agent finds its earlier request.
  const name = `node-csr-${createHash('sha256').update(keyPem).digest('base64url').replaceAll(/[-_]/g, 'x').toLowerCase()}`;
  try {
    const wanted = { client, server: access.server, signerName: CLIENT_SIGNER, csrPem, name } as const;
    const certificatePem = await requestCertificate(wanted, options);
    warnOfClock(options, certificatePem);
    return { certificatePem, keyPem };
  } catch (error) {
    if (!(error instanceof CertificateRefused)) throw error;
    // A denied request stays denied for that key.
    if (error.reason === 'denied' || error.reason === 'failed') forgetPendingKey(paths);
    const remedy =
      error.reason === 'unauthorized'
        ? '; the token is wrong, was deleted or has expired: "mendlet token create" on the server makes another'
        : '';
    throw new UserError(`${error.message}${remedy}`, { cause: error });
  } finally {
    connection.close();
  }
}

/** A certificate that is not valid yet, or no more, shows which clock is wrong before anything else fails for it. */
function warnOfClock({ clock, say }: JoinOptions, certificatePem: string): void {
  const { from, to } = validityOf(certificatePem);
  const { wall } = clock.now();
  if (isValidAt({ from, to }, wall)) return;
  say(
    `the clocks differ: the new certificate is good from ${formatTime(from)} to ${formatTime(to)}, and this machine says ${formatTime(wall)}`,
  );
}

/** Two machines of one name would take each other's pods. @throws UserError (exit code 3) */
async function refuseTakenName(options: JoinOptions, credentials: NodeCredentials): Promise<void> {
  const { me, clock } = options;
  const { nodeName } = me;
  const connection = createHttpConnection({ ...credentials, clock });
  const client = createKubeClient(connection, { clock, userAgent: userAgentOf('join') });
  try {
    await untilDone(options, async (signal) => {
      try {
        const node = await getOrNot<Node>(client.get(NODES, undefined, nodeName, signal));
        const lease = node && (await getOrNot<Lease>(readLease(client, nodeName, signal)));
        const verdict = judgeName(me, { node, lease }, clock.now().wall);
        if (verdict.kind === 'taken') throw new UserError(verdict.message, { exitCode: exitCodes.inUse });
        return { done: undefined };
      } catch (error) {
        if (error instanceof ConnectionError) {
          const trouble = connectionTrouble(credentials.server, error, clock.now().wall);
          if (trouble.kind === 'wait') return { waitFor: trouble.message };
          throw new UserError(trouble.message, { cause: error });
        }
        if (!(error instanceof StatusError)) throw error;
        return { waitFor: `${credentials.server}: ${error.message}` };
      }
    });
  } finally {
    connection.close();
  }
}

function readLease(client: KubeClient, nodeName: string, signal: AbortSignal): Promise<Lease> {
  return client.get<Lease>(LEASES, 'kube-node-lease', nodeName, signal);
}

async function getOrNot<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
