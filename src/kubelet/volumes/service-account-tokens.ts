/** Service account tokens by TokenRequest, kept until most of their life is over (upstream: pkg/kubelet/token). */
import { type Pod, SERVICE_ACCOUNTS, type TokenRequest, type TokenRequestStatus } from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import { type Clock, type Logger, parseTime, type Random } from '../../lib/index.ts';
import type { PodUID } from '../types.ts';
import {
  MAX_CACHED_TOKENS,
  TOKEN_JITTER_MS,
  TOKEN_MAX_AGE_MS,
  TOKEN_RENEW_FRACTION,
  TOKEN_RETRY_MS,
} from './limits.ts';
import { VolumeError } from './payload.ts';
import type { TokenSource } from './payload-source.ts';

interface CachedToken {
  readonly token: string;
  /** As the API server says it. */
  readonly expirationTimestamp: string;
  /** Mono ms. */
  readonly renewAt: number;
  readonly expiresAt: number;
}

export interface TokenOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly client: KubeClient;
}

/** Mono ms after which a token that lives for `lifeMs` from `nowMono` is renewed. Pure but for the jitter. */
export function renewalTime(nowMono: number, lifeMs: number, random: Random): number {
  return nowMono + Math.min(lifeMs * TOKEN_RENEW_FRACTION, TOKEN_MAX_AGE_MS) - random.next() * TOKEN_JITTER_MS;
}

export class ServiceAccountTokens implements TokenSource {
  readonly #options: TokenOptions;
  readonly #tokens = new Map<string, CachedToken>();
  /** One request for one token at a time. */
  readonly #requests = new Map<string, Promise<CachedToken>>();

  constructor(options: TokenOptions) {
    this.#options = options;
  }

  async token(pod: Pod, audience: string | undefined, expirationSeconds: number): Promise<string> {
    return (await this.#token(pod, audience, expirationSeconds)).token;
  }

  /** The token with its end, for CSI drivers that ask for tokens of a pod. */
  async status(pod: Pod, audience: string | undefined, expirationSeconds: number): Promise<TokenRequestStatus> {
    const { token, expirationTimestamp } = await this.#token(pod, audience, expirationSeconds);
    return { token, expirationTimestamp };
  }

  async #token(pod: Pod, audience: string | undefined, expirationSeconds: number): Promise<CachedToken> {
    const key = keyOf(pod, audience, expirationSeconds);
    const known = this.#tokens.get(key);
    const now = this.#options.clock.now().mono;
    if (known !== undefined && now < known.renewAt) return known;
    try {
      const request = this.#requests.get(key) ?? this.#request(pod, audience, expirationSeconds);
      this.#requests.set(key, request);
      const fresh = await request.finally(() => this.#requests.delete(key));
      this.#keep(key, fresh);
      return fresh;
    } catch (error) {
      if (known === undefined || now >= known.expiresAt) throw error;
      // It is good for a while yet.
      this.#options.logger.warn('a service account token cannot be renewed', { pod: pod.metadata?.name, error });
      this.#keep(key, { ...known, renewAt: now + TOKEN_RETRY_MS });
      return known;
    }
  }

  forget(uid: PodUID): void {
    for (const key of this.#tokens.keys()) if (key.startsWith(`${uid}/`)) this.#tokens.delete(key);
  }

  #keep(key: string, token: CachedToken): void {
    this.#tokens.delete(key);
    this.#tokens.set(key, token);
    if (this.#tokens.size <= MAX_CACHED_TOKENS) return;
    const [oldest] = this.#tokens.keys();
    if (oldest !== undefined) this.#tokens.delete(oldest);
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
    const { clock, client, random } = this.#options;
    const answer = await client.createSubresource(SERVICE_ACCOUNTS, namespace, account, 'token', request);
    const { token, expirationTimestamp } = (answer as TokenRequest).status ?? {};
    if (token === undefined) throw new VolumeError(`failed to fetch token for service account ${account}`);
    const now = clock.now();
    const lifeMs = (parseTime(expirationTimestamp) ?? now.wall + expirationSeconds * 1000) - now.wall;
    return {
      token,
      expirationTimestamp: expirationTimestamp ?? '',
      renewAt: renewalTime(now.mono, lifeMs, random),
      expiresAt: now.mono + lifeMs,
    };
  }
}

function keyOf(pod: Pod, audience: string | undefined, expirationSeconds: number): string {
  const account = pod.spec?.serviceAccountName ?? '';
  return `${pod.metadata?.uid ?? ''}/${account}/${expirationSeconds}/${audience ?? ''}`;
}
