/** The certificates and kubeconfigs of a control plane for tests, all signed by one authority. */
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dump } from 'js-yaml';
import { signCertificateRequest } from '../../src/apiserver/edge/certificate-request.node.ts';
import type { KeyPair } from '../../src/apiserver/edge/signer.ts';
import { systemSigner } from '../../src/apiserver/edge/signer.node.ts';

const HOUR_MS = 3_600_000;

export interface Identity {
  readonly commonName: string;
  readonly organizations?: readonly string[];
}

export class Pki {
  readonly #folder: string;
  readonly #authority: KeyPair;

  private constructor(folder: string, authority: KeyPair) {
    this.#folder = folder;
    this.#authority = authority;
  }

  /** Makes the authority, the API server's certificate, and the key pair of service account tokens in `folder`. */
  static async create(folder: string): Promise<Pki> {
    const authority = await systemSigner.createAuthority({ commonName: 'kubernetes', ...validity() });
    const pki = new Pki(folder, authority);
    pki.#write('ca', authority);
    const tokens = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    writeFileSync(pki.path('sa.pub'), tokens.publicKey);
    writeFileSync(pki.path('sa.key'), tokens.privateKey, { mode: 0o600 });
    const server = await systemSigner.issue(authority, {
      commonName: 'kube-apiserver',
      organizations: [],
      usage: 'server',
      dnsNames: ['localhost', 'kubernetes.default.svc'],
      ipAddresses: ['127.0.0.1'],
      ...validity(),
    });
    pki.#write('apiserver', server);
    pki.#write(
      'kubelet-client',
      await pki.#client({ commonName: 'kube-apiserver', organizations: ['system:masters'] }),
    );
    return pki;
  }

  path(file: string): string {
    return join(this.#folder, file);
  }

  /** Writes the kubeconfig of a user with a certificate, and returns its path. */
  async kubeconfig(file: string, server: string, identity: Identity): Promise<string> {
    const { certificatePem, keyPem } = await this.#client(identity);
    const user = { 'client-certificate-data': base64(certificatePem), 'client-key-data': base64(keyPem) };
    return this.#writeKubeconfig(file, server, user);
  }

  /** Writes the kubeconfig of a user with a token, which is in a separate file. */
  tokenKubeconfig(file: string, server: string, token: string): string {
    writeFileSync(this.path(`${file}.token`), token, { mode: 0o600 });
    return this.#writeKubeconfig(file, server, { tokenFile: `${file}.token` });
  }

  /** Signs a node's request. @throws when it cannot be signed */
  async sign(csrPem: string, usages: readonly string[]): Promise<string> {
    const result = await signCertificateRequest(this.#authority, { csrPem, usages, ...validity() });
    if (!result.ok) throw new Error(`a node's request: ${result.reason}`);
    return result.certificatePem;
  }

  #client({ commonName, organizations = [] }: Identity): Promise<KeyPair> {
    const names = { dnsNames: [], ipAddresses: [] };
    return systemSigner.issue(this.#authority, { commonName, organizations, usage: 'client', ...names, ...validity() });
  }

  #write(name: string, { certificatePem, keyPem }: KeyPair): void {
    writeFileSync(this.path(`${name}.crt`), certificatePem);
    writeFileSync(this.path(`${name}.key`), keyPem, { mode: 0o600 });
  }

  #writeKubeconfig(file: string, server: string, user: object): string {
    const cluster = { server, 'certificate-authority-data': base64(this.#authority.certificatePem) };
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'main',
      contexts: [{ name: 'main', context: { cluster: 'main', user: 'main' } }],
      clusters: [{ name: 'main', cluster }],
      users: [{ name: 'main', user }],
    };
    writeFileSync(this.path(file), dump(config, { lineWidth: -1 }), { mode: 0o600 });
    return this.path(file);
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function validity(): { readonly notBefore: number; readonly notAfter: number } {
  return { notBefore: Date.now() - HOUR_MS, notAfter: Date.now() + 24 * HOUR_MS };
}
