/** Reads the access that a pod has through its service account (client-go: rest.InClusterConfig). */
import { decodeText, errorMessage, type FileSystem } from '../lib/index.ts';
import { KubeconfigError, type ServerAccess } from './kubeconfig-file.ts';

const FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';
const MAX_FILE_BYTES = 1024 * 1024;

export interface InClusterOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly fs: FileSystem;
}

/** Whether the environment shows that this process is in a pod of a cluster. */
export function isInCluster({ env }: Pick<InClusterOptions, 'env'>): boolean {
  return Boolean(env['KUBERNETES_SERVICE_HOST']) && Boolean(env['KUBERNETES_SERVICE_PORT']);
}

/** Rejects with `KubeconfigError` for a file that cannot be read, as a pod may have no token. */
export async function readInCluster({ env, fs }: InClusterOptions): Promise<ServerAccess> {
  const host = env['KUBERNETES_SERVICE_HOST'] ?? '';
  const port = env['KUBERNETES_SERVICE_PORT'] ?? '';
  const read = async (name: string): Promise<string> => {
    const path = `${FOLDER}/${name}`;
    try {
      return decodeText(await fs.readFile(path, { maxBytes: MAX_FILE_BYTES }));
    } catch (error) {
      throw new KubeconfigError(path, '', `cannot be read: ${errorMessage(error)}`, { cause: error });
    }
  };
  const namespace = (await read('namespace').catch(() => '')).trim();
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    authorityPem: await read('ca.crt'),
    token: (await read('token')).trim(),
    tokenPath: `${FOLDER}/token`,
    ...(namespace === '' ? {} : { namespace }),
  };
}
