/**
 * The credentials in an agent's data folder with which it reaches its server again: DIR/kubeconfig, which names
 * DIR/pki/kubelet-client.pem (certificate and key in one file, so that both change at once), and the same for its own port in
 * DIR/pki/kubelet-server.pem.
 */
import { X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyPair } from '../key-pair.ts';
import { replaceFile } from '../replace-file.node.ts';
import { readKubeconfig, type ServerAccess } from '../../client/index.ts';
import { systemFileSystem } from '../../lib/file-system.node.ts';
import type { DataPaths } from '../data-dir-path.ts';
import type { Validity } from './certificate-times.ts';

/** The agent's user on its server. */
export interface NodeCredentials {
  readonly server: string;
  /** Absent: the system's authorities. */
  readonly authorityPem?: string;
  readonly tlsServerName?: string;
  readonly client: KeyPair;
}

const files = (paths: DataPaths) => ({
  client: join(paths.pki, 'kubelet-client.pem'),
  server: join(paths.pki, 'kubelet-server.pem'),
  /** The key of a request that is not answered yet. */
  pendingKey: join(paths.pki, 'kubelet-client.key.tmp'),
});

/**
 * `undefined`: it has not joined yet.
 * @throws KubeconfigError for damaged files
 */
export async function readCredentials(paths: DataPaths): Promise<NodeCredentials | undefined> {
  if (!existsSync(paths.kubeconfig) || !existsSync(files(paths).client)) return undefined;
  const access = await readKubeconfig({ path: paths.kubeconfig, fs: systemFileSystem });
  return credentialsOf(access);
}

/** `undefined`: it has no certificate. */
export function credentialsOf({
  server,
  authorityPem,
  tlsServerName,
  client,
}: ServerAccess): NodeCredentials | undefined {
  return (
    client && {
      server,
      ...(authorityPem !== undefined && { authorityPem }),
      ...(tlsServerName !== undefined && { tlsServerName }),
      client: splitPair(`${client.certificatePem}\n${client.keyPem}`),
    }
  );
}

export function writeCredentials(paths: DataPaths, credentials: NodeCredentials): void {
  writeClientPair(paths, credentials.client);
  const { server, authorityPem, tlsServerName } = credentials;
  const { client } = files(paths);
  const cluster = {
    server,
    ...(authorityPem !== undefined && {
      'certificate-authority-data': Buffer.from(authorityPem).toString('base64'),
    }),
    ...(tlsServerName !== undefined && { 'tls-server-name': tlsServerName }),
  };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'cluster', cluster }],
    users: [{ name: 'node', user: { 'client-certificate': client, 'client-key': client } }],
    contexts: [{ name: 'node@cluster', context: { cluster: 'cluster', user: 'node' } }],
    'current-context': 'node@cluster',
  };
  // JSON is YAML.
  replaceFile(paths.kubeconfig, `${JSON.stringify(config, undefined, 2)}\n`);
  rmSync(files(paths).pendingKey, { force: true });
}

/** Writes down where the server was reached, if that is news. */
export async function keepAddress(paths: DataPaths, credentials: NodeCredentials): Promise<void> {
  const kept = await readCredentials(paths);
  if (kept !== undefined && kept.server !== credentials.server)
    writeCredentials(paths, { ...kept, server: credentials.server });
}

export function writeClientPair(paths: DataPaths, pair: KeyPair): void {
  mkdirSync(paths.pki, { recursive: true, mode: 0o700 });
  replaceFile(files(paths).client, `${pair.certificatePem.trim()}\n${pair.keyPem.trim()}\n`);
}

/** The pair of the agent's own port. */
export function readServerPair(paths: DataPaths): KeyPair | undefined {
  const path = files(paths).server;
  return existsSync(path) ? splitPair(readFileSync(path, 'utf8')) : undefined;
}

export function writeServerPair(paths: DataPaths, pair: KeyPair): void {
  mkdirSync(paths.pki, { recursive: true, mode: 0o700 });
  replaceFile(files(paths).server, `${pair.certificatePem.trim()}\n${pair.keyPem.trim()}\n`);
}

/** The key that a request was made for before we were stopped. */
export function readPendingKey(paths: DataPaths): string | undefined {
  const path = files(paths).pendingKey;
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

export function writePendingKey(paths: DataPaths, keyPem: string): void {
  mkdirSync(paths.pki, { recursive: true, mode: 0o700 });
  replaceFile(files(paths).pendingKey, keyPem);
}

export function forgetPendingKey(paths: DataPaths): void {
  rmSync(files(paths).pendingKey, { force: true });
}

/** When a certificate is good. */
export function validityOf(certificatePem: string): Validity {
  const { validFromDate, validToDate } = new X509Certificate(certificatePem);
  return { from: validFromDate.getTime(), to: validToDate.getTime() };
}

/** The node that a client certificate is for; `undefined`: it is no node's. */
export function nodeOf(certificatePem: string): string | undefined {
  const lines = new X509Certificate(certificatePem).subject.split('\n');
  const name = lines.find((line) => line.startsWith('CN=system:node:'))?.slice('CN=system:node:'.length);
  return lines.includes('O=system:nodes') && name !== '' ? name : undefined;
}

/** Certificates and the private key of one text. */
function splitPair(text: string): KeyPair {
  const blocks = text.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g) ?? [];
  const certificates = blocks.filter((block) => block.includes('BEGIN CERTIFICATE'));
  const keyPem = blocks.find((block) => block.includes('PRIVATE KEY')) ?? '';
  return { certificatePem: `${[...new Set(certificates)].join('\n')}\n`, keyPem: `${keyPem}\n` };
}
