/** Service account tokens by TokenRequest, kept until most of their life is over (upstream: pkg/kubelet/token). */
import { type Pod, SERVICE_ACCOUNTS, type TokenRequest } from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import { type Clock, parseTime } from '../../lib/index.ts';
import type { PodUID } from '../types.ts';
import { MAX_CACHED_TOKENS, TOKEN_RENEW_FRACTION } from './limits.ts';
import { VolumeError } from './payload.ts';
import type { TokenSource } from './payload-source.ts';

interface CachedToken {
  readonly token: string;
  /** Mono ms. */
  readonly renewAt: number;
}

export class ServiceAccountTokens implements TokenSource {
  readonly #clock: Clock;
  readonly #client: KubeClient;
  readonly #tokens = new Map<string, CachedToken>();

  constructor(clock: Clock, client: KubeClient) {
    this.#clock = clock;
    this.#client = client;
  }

  async token(pod: Pod, audience: string | undefined, expirationSeconds: number): Promise<string> {
    const key = `${pod.metadata?.uid ?? ''}/${expirationSeconds}/${audience ?? ''}`;
    const known = this.#tokens.get(key);
    if (known !== undefined && this.#clock.now().mono < known.renewAt) return known.token;
    const fresh = await this.#request(pod, audience, expirationSeconds);
    this.#tokens.delete(key);
    this.#tokens.set(key, fresh);
    if (this.#tokens.size > MAX_CACHED_TOKENS) {
      const [oldest] = this.#tokens.keys();
      if (oldest !== undefined) this.#tokens.delete(oldest);
    }
    return fresh.token;
  }

  forget(uid: PodUID): void {
    for (const key of this.#tokens.keys()) if (key.startsWith(`${uid}/`)) this.#tokens.delete(key);
  }

  async #request(pod: Pod, audience: string | undefined, expirationSeconds: number): Promise<CachedToken> {
    const { name = '', namespace = '', uid = '' } = pod.metadata ?? {};
    const account = pod.spec?.serviceAccountName || 'default';
    const request: TokenRequest = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {
        ...(audience && { audiences: [audience] }),
        expirationSeconds,
        boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
      },
    };
    const answer = await this.#client.createSubresource(SERVICE_ACCOUNTS, namespace, account, 'token', request);
    const { token, expirationTimestamp } = (answer as TokenRequest).status ?? {};
    if (token === undefined) throw new VolumeError(`failed to fetch token for service account ${account}`);
    const now = this.#clock.now();
    const lifeMs = (parseTime(expirationTimestamp) ?? now.wall + expirationSeconds * 1000) - now.wall;
    return { token, renewAt: now.mono + lifeMs * TOKEN_RENEW_FRACTION };
  }
}
