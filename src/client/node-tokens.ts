/**
 * Tokens of a service account with which kubelets are asked, one for each node: its audience is that node alone. A node that keeps
 * one can ask itself with it, and neither the API server nor another node.
 */
import { nodeAudience, SERVICE_ACCOUNTS, StatusError, type TokenRequest } from '../api/index.ts';
import type { Clock } from '../lib/index.ts';
import { NODE_TOKEN_SECONDS, TOKEN_PERIOD_MS } from './limits.ts';
import type { KubeClient } from './kube-client.ts';

export interface NodeTokensOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** The service account whose rights the kubelets ask for. */
  readonly account: { readonly namespace: string; readonly name: string };
}

interface Kept {
  readonly token: string;
  /** Mono ms. */
  readonly freshUntil: number;
}

export class NodeTokens {
  readonly #options: NodeTokensOptions;
  /** The tokens that are fresh, and those that ended since the last was made: nodes come and go. */
  readonly #kept = new Map<string, Kept>();

  constructor(options: NodeTokensOptions) {
    this.#options = options;
  }

  /** The node refused its token: the next question brings another one. */
  forget(nodeName: string): void {
    this.#kept.delete(nodeName);
  }

  /** Rejects with StatusError or ConnectionError. */
  async tokenFor(nodeName: string, signal?: AbortSignal): Promise<string> {
    const { client, clock, account } = this.#options;
    const known = this.#kept.get(nodeName);
    if (known !== undefined && clock.now().mono < known.freshUntil) return known.token;
    const begun = clock.now().mono;
    const request: TokenRequest = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { audiences: [nodeAudience(nodeName)], expirationSeconds: NODE_TOKEN_SECONDS },
    };
    const answer = await client.createSubresource(
      SERVICE_ACCOUNTS,
      account.namespace,
      account.name,
      'token',
      request,
      signal,
    );
    const { token } = (answer as TokenRequest).status ?? {};
    if (!token) throw new StatusError({ code: 500, message: 'the server answered a TokenRequest without a token' });
    for (const [name, { freshUntil }] of this.#kept) if (begun >= freshUntil) this.#kept.delete(name);
    this.#kept.set(nodeName, { token, freshUntil: begun + NODE_TOKEN_SECONDS * 1000 - TOKEN_PERIOD_MS * 2 });
    return token;
  }
}
