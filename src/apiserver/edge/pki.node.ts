/** The certificates: an authority, the servers' (API server, kubelet) and the clients', kept under `DIR/pki`. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { type Clock, decodeText, errorMessage, FileError, type FileSystem } from '../../lib/index.ts';
import type { KeyPair, Signer } from './signer.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** As kubeadm makes them. */
const AUTHORITY_LIFE_MS = 3650 * DAY_MS;
const CERTIFICATE_LIFE_MS = 365 * DAY_MS;
/** Other machines' clocks may be a little behind. */
const BACKDATE_MS = HOUR_MS;
const RENEW_BELOW = 0.3;
const MAX_PEM_BYTES = 64 * 1024;

/** Names every API server has. */
const SERVER_DNS_NAMES = [
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];
const SERVER_ADDRESSES = ['127.0.0.1', '::1'];

export interface PkiOptions {
  /** `DIR/pki`; made with mode 0700. */
  readonly dir: string;
  readonly nodeName: string;
  /** Further host names and addresses of the server: the bridge's, the node's, the service address. */
  readonly serverNames: readonly string[];
  /** Addresses and further names of the node's kubelet, beside the node's name. */
  readonly kubeletNames?: readonly string[];
  readonly fs: FileSystem;
  readonly clock: Clock;
  readonly signer: Signer;
}

export interface Pki {
  /** PEM, for all who verify. */
  readonly authorityPem: string;
  /** The authority with its key: only for what the cluster signs later. */
  readonly authority: KeyPair;
  readonly server: KeyPair;
  /** kubernetes-admin of system:masters. */
  readonly admin: KeyPair;
  /** system:node:NAME of system:nodes: the kubelet as a client. */
  readonly node: KeyPair;
  /** The kubelet as a server. */
  readonly kubelet: KeyPair;
  /** kube-apiserver-kubelet-client: the API server as a client of kubelets, which is all that it may. */
  readonly kubeletClient: KeyPair;
}

/** A file of the PKI that cannot be used; the message names it. */
export class PkiError extends Error {
  override readonly name = 'PkiError';
  readonly path: string;
  constructor(path: string, message: string, options?: ErrorOptions) {
    super(`${path}: ${message}`, options);
    this.path = path;
  }
}

/** The purpose of a certificate. */
interface Wanted {
  readonly file: string;
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly usage: 'server' | 'client';
  readonly names: readonly string[];
}

interface Parsed extends KeyPair {
  readonly certificate: X509Certificate;
}

/** The content of the files: nothing, a key whose certificate was not written yet, or both. */
type Stored = { readonly keyPem?: string; readonly pair?: Parsed };

async function readPem(fs: FileSystem, path: string): Promise<string | undefined> {
  try {
    return decodeText(await fs.readFile(path, { maxBytes: MAX_PEM_BYTES }));
  } catch (error) {
    if (error instanceof FileError && error.code === 'ENOENT') return undefined;
    throw new PkiError(path, `cannot be read: ${errorMessage(error)}`, { cause: error });
  }
}

/** The content of `file`.crt and `file`.key. */
async function readPair(options: PkiOptions, file: string): Promise<Stored> {
  const certificatePath = `${options.dir}/${file}.crt`;
  const keyPath = `${options.dir}/${file}.key`;
  const certificatePem = await readPem(options.fs, certificatePath);
  const keyPem = await readPem(options.fs, keyPath);
  if (keyPem === undefined && certificatePem === undefined) return {};
  if (keyPem === undefined) throw new PkiError(keyPath, `missing, though ${certificatePath} is there`);
  const key = parse(keyPath, 'not a private key', () => createPrivateKey(keyPem));
  // The key is written first: we were stopped before its certificate.
  if (certificatePem === undefined) return { keyPem };
  const certificate = parse(certificatePath, 'not a certificate', () => new X509Certificate(certificatePem));
  if (!certificate.checkPrivateKey(key)) throw new PkiError(keyPath, `not the key of ${certificatePath}`);
  return { keyPem, pair: { certificatePem, keyPem, certificate } };
}

function parse<T>(path: string, message: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const remedy = 'remove both its .crt and .key to have new ones made';
    throw new PkiError(path, `${message} (${remedy})`, { cause: error });
  }
}

/** A renewal keeps the key, so that at any moment the files fit each other. */
async function writePair(options: PkiOptions, file: string, pair: KeyPair, known: Stored): Promise<void> {
  const written = { mode: 0o600, atomic: true, sync: true };
  if (known.keyPem === undefined) await options.fs.writeFile(`${options.dir}/${file}.key`, pair.keyPem, written);
  await options.fs.writeFile(`${options.dir}/${file}.crt`, pair.certificatePem, written);
}

/** True while more than the renewal share of a certificate's life is left, and it has begun. */
function isFresh(certificate: X509Certificate, wall: number): boolean {
  const from = certificate.validFromDate.getTime();
  const to = certificate.validToDate.getTime();
  return wall >= from && to - wall > (to - from) * RENEW_BELOW;
}

async function ensureAuthority(options: PkiOptions): Promise<Parsed> {
  const { wall } = options.clock.now();
  const stored = await readPair(options, 'ca');
  if (stored.pair !== undefined && isFresh(stored.pair.certificate, wall)) return stored.pair;
  // The same key again: certificates signed earlier stay good, and so do clients that know only the old one.
  const pair = await options.signer.createAuthority(
    { commonName: 'mendlet', notBefore: wall - BACKDATE_MS, notAfter: wall + AUTHORITY_LIFE_MS },
    stored.keyPem,
  );
  await writePair(options, 'ca', pair, stored);
  return { ...pair, certificate: new X509Certificate(pair.certificatePem) };
}

function subjectOf(wanted: Wanted): string {
  return [...wanted.organizations.map((name) => `O=${name}`), `CN=${wanted.commonName}`].join('\n');
}

function isFitting(pair: Parsed, authority: Parsed, wanted: Wanted, wall: number): boolean {
  const { certificate } = pair;
  return (
    isFresh(certificate, wall) &&
    certificate.verify(authority.certificate.publicKey) &&
    certificate.subject === subjectOf(wanted) &&
    wanted.names.every((name) =>
      isIP(name) === 0 ? certificate.checkHost(name) !== undefined : certificate.checkIP(name) !== undefined,
    )
  );
}

async function ensurePair(options: PkiOptions, authority: Parsed, wanted: Wanted): Promise<KeyPair> {
  const { wall } = options.clock.now();
  const stored = await readPair(options, wanted.file);
  if (stored.pair !== undefined && isFitting(stored.pair, authority, wanted, wall)) return stored.pair;
  const request = {
    commonName: wanted.commonName,
    organizations: wanted.organizations,
    usage: wanted.usage,
    dnsNames: wanted.names.filter((name) => isIP(name) === 0),
    ipAddresses: wanted.names.filter((name) => isIP(name) !== 0),
    notBefore: wall - BACKDATE_MS,
    notAfter: Math.min(wall + CERTIFICATE_LIFE_MS, authority.certificate.validToDate.getTime()),
  };
  const pair = await options.signer.issue(authority, request, stored.keyPem);
  await writePair(options, wanted.file, pair, stored);
  return pair;
}

/**
 * Reads the certificates of `DIR/pki`, makes those that are missing, and renews those with little life left or for other
 * names. Rejects with `PkiError`. Call it again (daily) to renew; it does nothing while all is well.
 */
export async function ensurePki(options: PkiOptions): Promise<Pki> {
  await options.fs.mkdir(options.dir, { mode: 0o700 });
  const authority = await ensureAuthority(options);
  const { nodeName } = options;
  const names = [...SERVER_DNS_NAMES, ...SERVER_ADDRESSES, nodeName, ...options.serverNames];
  const server: Wanted = {
    file: 'server',
    commonName: 'kube-apiserver',
    organizations: [],
    usage: 'server',
    names: [...new Set(names)],
  };
  const admin: Wanted = {
    file: 'admin',
    commonName: 'kubernetes-admin',
    organizations: ['system:masters'],
    usage: 'client',
    names: [],
  };
  const node: Wanted = {
    file: 'node',
    commonName: `system:node:${nodeName}`,
    organizations: ['system:nodes'],
    usage: 'client',
    names: [],
  };
  const kubelet: Wanted = {
    file: 'kubelet',
    commonName: `system:node:${nodeName}`,
    organizations: ['system:nodes'],
    usage: 'server',
    names: [...new Set(['localhost', ...SERVER_ADDRESSES, nodeName, ...(options.kubeletNames ?? [])])],
  };
  const kubeletClient: Wanted = {
    file: 'apiserver-kubelet-client',
    commonName: 'kube-apiserver-kubelet-client',
    organizations: [],
    usage: 'client',
    names: [],
  };
  return {
    authorityPem: authority.certificatePem,
    authority: { certificatePem: authority.certificatePem, keyPem: authority.keyPem },
    server: await ensurePair(options, authority, server),
    admin: await ensurePair(options, authority, admin),
    node: await ensurePair(options, authority, node),
    kubelet: await ensurePair(options, authority, kubelet),
    kubeletClient: await ensurePair(options, authority, kubeletClient),
  };
}
