/**
 * Connections to kubelets on other machines: to the address and port in the node's status, with our client certificate or a token,
 * and only if the kubelet shows a certificate of our authority for that node's name.
 */
import type { KeyPair } from './key-pair.ts';
import type { Node } from '../api/index.ts';
import type { NodeTokens } from '../client/index.ts';
import { createHttpConnection, type HttpConnection } from '../client/http-connection.node.ts';
import type { Clock, Connection, HttpRequest } from '../lib/index.ts';
import { kubeletOrigin, noKubeletAddress } from './kubelet-origin.ts';

export interface RemoteNodesOptions {
  readonly clock: Clock;
  readonly authorityPem: string;
  /** Our client certificate for kubelets. */
  readonly client?: KeyPair;
  /** Our tokens, one for each kubelet, instead of a certificate. */
  readonly tokens?: Pick<NodeTokens, 'tokenFor' | 'forget'>;
  /** The node's object, fresh. Rejects with the API's own answer when there is none: who asked through us is told that. */
  readonly nodeOf: (name: string, signal?: AbortSignal) => Promise<Node>;
}

interface Open {
  readonly origin: string;
  readonly connection: HttpConnection;
}

export class RemoteNodes {
  readonly #options: RemoteNodesOptions;
  readonly #open = new Map<string, Open>();
  #client: KeyPair | undefined;

  constructor(options: RemoteNodesOptions) {
    this.#options = options;
    this.#client = options.client;
  }

  /** Nothing is opened before the first request. */
  connection(name: string): Connection {
    return {
      request: async (request) => {
        const response = await (await this.#to(name, request)).request(await this.#signed(name, request));
        if (response.status === 401) this.#options.tokens?.forget(name);
        return response;
      },
      upgrade: async (request) => (await this.#to(name, request)).upgrade(await this.#signed(name, request)),
    };
  }

  /** New connections show this certificate. */
  setClient(client: KeyPair): void {
    if (client.certificatePem === this.#client?.certificatePem) return;
    this.#client = client;
    this.close();
  }

  close(): void {
    for (const name of this.#open.keys()) this.#forget(name);
  }

  async #signed(name: string, request: HttpRequest): Promise<HttpRequest> {
    const { tokens } = this.#options;
    if (tokens === undefined) return request;
    const token = await tokens.tokenFor(name, request.signal);
    return { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } };
  }

  async #to(name: string, { signal }: HttpRequest): Promise<HttpConnection> {
    const { clock, authorityPem } = this.#options;
    const origin = await this.#originOf(name, signal);
    const known = this.#open.get(name);
    if (known?.origin === origin) return known.connection;
    this.#forget(name);
    const connection = createHttpConnection({
      server: origin,
      authorityPem,
      ...(this.#client && { client: this.#client }),
      // A node may report any address; the certificate proves which node it is.
      tlsServerName: name,
      clock,
    });
    this.#open.set(name, { origin, connection });
    return connection;
  }

  async #originOf(name: string, signal: AbortSignal | undefined): Promise<string> {
    let node: Node;
    try {
      node = await this.#options.nodeOf(name, signal);
    } catch (error) {
      this.#forget(name);
      throw error;
    }
    const origin = kubeletOrigin(node);
    if (origin === undefined) throw noKubeletAddress(node);
    return origin;
  }

  #forget(name: string): void {
    this.#open.get(name)?.connection.close();
    this.#open.delete(name);
  }
}
