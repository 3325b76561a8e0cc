/**
 * Fetches the authority of a server that is not trusted yet. It is looked for in the chain that the server shows and, as
 * kubeadm's clusters have it, in the ConfigMap kube-public/cluster-info. It is trusted only if its public key has the hash in
 * the token.
 */
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { CONFIG_MAPS, type ConfigMap } from '../../api/index.ts';
import { createHttpConnection } from '../../client/http-connection.node.ts';
import { createKubeClient } from '../../client/index.ts';
import { type Clock, ConnectionError } from '../../lib/index.ts';
import { CLUSTER_INFO, readClusterInfo } from './cluster-info.ts';
import { hashOfKey } from './pin.node.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const MAX_CHAIN = 10;

/** The server has another authority. `found`: the hash of one that it showed, if any. */
export class WrongAuthority extends Error {
  override readonly name = 'WrongAuthority';
}

/**
 * @param server "https://HOST:PORT"
 * @param hash "sha256:…"
 * @returns the authority, PEM
 * @throws WrongAuthority, or ConnectionError when the server does not answer
 */
export async function fetchAuthority(server: string, hash: string, clock: Clock): Promise<string> {
  const chain = await shownChain(server);
  const found = chain.find((certificate) => certificate.ca && hashOfKey(certificate) === hash);
  if (found !== undefined) return pemOf(found);
  const told = await toldAuthority(server, clock);
  if (told !== undefined && hashOfKey(told) === hash) return pemOf(told);
  const other = told ?? chain.find((certificate) => certificate.ca);
  throw new WrongAuthority(
    `${server} is not the server that the token is for: its authority is ${
      other === undefined ? 'not to be seen' : hashOfKey(other)
    }, the token says ${hash}. Either the URL or the token is wrong, or somebody stands in between`,
  );
}

async function shownChain(server: string): Promise<readonly X509Certificate[]> {
  const socket = await open(new URL(server));
  const chain: X509Certificate[] = [];
  try {
    let certificate = socket.getPeerX509Certificate();
    while (certificate !== undefined && chain.length < MAX_CHAIN) {
      chain.push(certificate);
      const issuer: X509Certificate | undefined = certificate.issuerCertificate;
      certificate = issuer?.fingerprint256 === certificate.fingerprint256 ? undefined : issuer;
    }
  } finally {
    socket.destroy();
  }
  return chain;
}

function open(url: URL): Promise<TLSSocket> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port: Number(url.port === '' ? 443 : url.port),
      ...(isIP(host) === 0 && { servername: host }),
      // Nothing secret is sent: the server's identity is not known yet.
      rejectUnauthorized: false,
    });
    const fail = (error: Error): void => {
      socket.destroy();
      reject(new ConnectionError(error.message, { cause: error }));
    };
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => fail(new Error(`no connection within ${CONNECT_TIMEOUT_MS} ms`)));
    socket.once('error', fail);
    socket.once('secureConnect', () => {
      socket.off('error', fail);
      socket.on('error', () => {});
      resolve(socket);
    });
  });
}

/** The content of the ConfigMap; read without credentials. */
async function toldAuthority(server: string, clock: Clock): Promise<X509Certificate | undefined> {
  const connection = createHttpConnection({ server, insecureSkipTlsVerify: true, clock });
  try {
    const client = createKubeClient(connection, { clock, timeoutMs: CONNECT_TIMEOUT_MS });
    const { namespace, name } = CLUSTER_INFO;
    const info = readClusterInfo((await client.get<ConfigMap>(CONFIG_MAPS, namespace, name)).data);
    return info === undefined ? undefined : new X509Certificate(info.authorityPem);
  } catch {
    // Not every server shows it to strangers, and what it shows need not be right.
    return undefined;
  } finally {
    connection.close();
  }
}

function pemOf(certificate: X509Certificate): string {
  return certificate.toString();
}
