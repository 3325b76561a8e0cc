/** Writes a kubeconfig with everything in it, so that one file is all that kubectl needs. */
import { dump } from 'js-yaml';
import { encodeText } from '../../lib/index.ts';
import type { KeyPair } from './signer.ts';

export interface KubeconfigOptions {
  /** E.g. "https://127.0.0.1:6443". */
  readonly server: string;
  readonly authorityPem: string;
  readonly client: KeyPair;
  /** The name of cluster, context and (with a dash and the user) credentials. */
  readonly clusterName?: string;
  readonly userName?: string;
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...encodeText(text)));
}

/** The YAML text; it holds a private key, so the file is for its owner alone (0600). */
export function formatKubeconfig(options: KubeconfigOptions): string {
  const cluster = options.clusterName ?? 'mendlet';
  const user = options.userName ?? 'kubernetes-admin';
  const context = `${user}@${cluster}`;
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: cluster,
        cluster: { server: options.server, 'certificate-authority-data': base64(options.authorityPem) },
      },
    ],
    users: [
      {
        name: user,
        user: {
          'client-certificate-data': base64(options.client.certificatePem),
          'client-key-data': base64(options.client.keyPem),
        },
      },
    ],
    contexts: [{ name: context, context: { cluster, user } }],
    'current-context': context,
  };
  return dump(config, { lineWidth: -1 });
}
