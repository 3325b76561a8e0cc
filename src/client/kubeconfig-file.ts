/**
 * Reads the server, its authority and the credentials from a kubeconfig (the part of client-go's clientcmd that a node
 * needs).
 */
import { load, YAMLException } from 'js-yaml';
import { decodeText, errorMessage, type FileSystem } from '../lib/index.ts';

const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** The access to a server: all options of `createHttpConnection` except the clock. */
export interface ServerAccess {
  readonly server: string;
  readonly authorityPem?: string;
  readonly client?: { readonly certificatePem: string; readonly keyPem: string };
  readonly token?: string;
  /** The file of the token, which may be replaced there. */
  readonly tokenPath?: string;
  readonly insecureSkipTlsVerify?: boolean;
  readonly tlsServerName?: string;
  /** The namespace of the context. */
  readonly namespace?: string;
}

/** An invalid kubeconfig; the message names the file and the field. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';
  readonly path: string;
  readonly field: string;
  constructor(path: string, field: string, problem: string, options?: ErrorOptions) {
    super(`${path}: ${field === '' ? '' : `${field}: `}${problem}`, options);
    this.path = path;
    this.field = field;
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** One mapping of the file, with its path for messages. */
class Section {
  readonly #file: KubeconfigFile;
  readonly #fields: Fields;
  readonly at: string;

  constructor(file: KubeconfigFile, fields: Fields, at: string) {
    this.#file = file;
    this.#fields = fields;
    this.at = at;
  }

  has(name: string): boolean {
    return this.#fields[name] !== undefined && this.#fields[name] !== null;
  }

  fail(name: string, problem: string, cause?: unknown): never {
    throw new KubeconfigError(this.#file.path, this.at === '' ? name : `${this.at}.${name}`, problem, { cause });
  }

  text(name: string): string | undefined {
    const value = this.#fields[name];
    if (value === undefined || value === null || value === '') return undefined;
    return typeof value === 'string' ? value : this.fail(name, 'must be a string');
  }

  flag(name: string): boolean {
    const value = this.#fields[name];
    if (value === undefined || value === null) return false;
    return typeof value === 'boolean' ? value : this.fail(name, 'must be true or false');
  }

  /** The mapping called `name` in the list `list`, below its key `inner`. */
  named(list: string, name: string, inner: string): Section {
    const items = this.#fields[list];
    if (!Array.isArray(items)) return this.fail(list, 'must be a list');
    const index = items.findIndex((item: unknown) => isFields(item) && item['name'] === name);
    const item: unknown = items[index];
    if (!isFields(item)) return this.fail(list, `has no entry called ${JSON.stringify(name)}`);
    const fields = item[inner] ?? {};
    const at = `${list}[${index}].${inner}`;
    return isFields(fields)
      ? new Section(this.#file, fields, at)
      : this.fail(`${list}[${index}].${inner}`, 'must be a mapping');
  }

  /** The PEM of `NAME-data` (base64) or of the file that `NAME` names. */
  async pem(name: string): Promise<string | undefined> {
    const data = this.text(`${name}-data`);
    if (data !== undefined) return this.checkPem(`${name}-data`, this.decode(`${name}-data`, data));
    const path = this.text(name);
    return path === undefined ? undefined : this.checkPem(name, await this.file(name, path));
  }

  async file(name: string, path: string): Promise<string> {
    try {
      return await this.#file.readRelative(path);
    } catch (error) {
      return this.fail(name, errorMessage(error), error);
    }
  }

  absolute(path: string): string {
    return this.#file.absolute(path);
  }

  decode(name: string, data: string): string {
    try {
      return decodeText(Uint8Array.from(atob(data), (char) => char.charCodeAt(0)));
    } catch (error) {
      return this.fail(name, 'is not base64', error);
    }
  }

  checkPem(name: string, text: string): string {
    return text.includes('-----BEGIN ') ? text : this.fail(name, 'holds no PEM block');
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

class KubeconfigFile {
  readonly path: string;
  readonly #fs: FileSystem;

  constructor(path: string, fs: FileSystem) {
    this.path = path;
    this.#fs = fs;
  }

  async root(): Promise<Section> {
    let text: string;
    try {
      text = decodeText(await this.#fs.readFile(this.path, { maxBytes: MAX_FILE_BYTES }));
    } catch (error) {
      throw new KubeconfigError(this.path, '', `cannot be read: ${errorMessage(error)}`, { cause: error });
    }
    let parsed: unknown;
    try {
      parsed = load(text);
    } catch (error) {
      const where =
        error instanceof YAMLException && error.mark
          ? `line ${error.mark.line + 1}: ${error.reason}`
          : errorMessage(error);
      throw new KubeconfigError(this.path, '', `not YAML: ${where}`, { cause: error });
    }
    if (!isFields(parsed)) throw new KubeconfigError(this.path, '', 'not a kubeconfig');
    const root = new Section(this, parsed, '');
    if (root.has('kind') && root.text('kind') !== 'Config') root.fail('kind', 'must be Config');
    return root;
  }

  /** Reads a file that the kubeconfig names, relative to the kubeconfig's folder. */
  async readRelative(path: string): Promise<string> {
    return decodeText(await this.#fs.readFile(this.absolute(path), { maxBytes: MAX_FILE_BYTES }));
  }

  absolute(path: string): string {
    return path.startsWith('/') ? path : this.path.slice(0, this.path.lastIndexOf('/') + 1) + path;
  }
}

const UNSUPPORTED_USER = ['exec', 'auth-provider', 'username', 'password', 'as'];

async function credentials(user: Section): Promise<Pick<ServerAccess, 'client' | 'token' | 'tokenPath'>> {
  const unsupported = UNSUPPORTED_USER.find((name) => user.has(name));
  if (unsupported !== undefined) user.fail(unsupported, 'is not supported; use a client certificate or a token');
  const certificatePem = await user.pem('client-certificate');
  const keyPem = await user.pem('client-key');
  if (certificatePem !== undefined && keyPem === undefined)
    user.fail('client-key', 'is missing beside the certificate');
  if (certificatePem === undefined && keyPem !== undefined)
    user.fail('client-certificate', 'is missing beside the key');
  const tokenFile = user.text('tokenFile');
  const token = tokenFile === undefined ? user.text('token') : (await user.file('tokenFile', tokenFile)).trim();
  return {
    ...(certificatePem === undefined || keyPem === undefined ? {} : { client: { certificatePem, keyPem } }),
    ...(token === undefined ? {} : { token }),
    ...(tokenFile === undefined ? {} : { tokenPath: user.absolute(tokenFile) }),
  };
}

function checkServer(cluster: Section): string {
  const server = cluster.text('server') ?? cluster.fail('server', 'is missing');
  const url = URL.parse(server);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    cluster.fail('server', `must be an http or https URL, not ${JSON.stringify(server)}`);
  }
  return server;
}

/**
 * The access that a kubeconfig describes, by its current context or by `context`. `path` is absolute. Rejects with
 * `KubeconfigError`.
 */
export async function readKubeconfig(options: {
  readonly path: string;
  readonly fs: FileSystem;
  readonly context?: string;
}): Promise<ServerAccess> {
  const root = await new KubeconfigFile(options.path, options.fs).root();
  const contextName = options.context ?? root.text('current-context') ?? root.fail('current-context', 'is missing');
  const context = root.named('contexts', contextName, 'context');
  const cluster = root.named('clusters', context.text('cluster') ?? context.fail('cluster', 'is missing'), 'cluster');
  const userName = context.text('user');
  const user = userName === undefined ? undefined : root.named('users', userName, 'user');
  if (cluster.has('proxy-url')) cluster.fail('proxy-url', 'is not supported');
  const authorityPem = await cluster.pem('certificate-authority');
  const tlsServerName = cluster.text('tls-server-name');
  const namespace = context.text('namespace');
  return {
    server: checkServer(cluster),
    ...(authorityPem === undefined ? {} : { authorityPem }),
    ...(tlsServerName === undefined ? {} : { tlsServerName }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(cluster.flag('insecure-skip-tls-verify') ? { insecureSkipTlsVerify: true } : {}),
    ...(user === undefined ? {} : await credentials(user)),
  };
}
