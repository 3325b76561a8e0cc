/** Limits one zone's evictions: a token bucket of one, whose rate changes with the zone's state. A value. */
import { type TokenBucket, tryTake } from '../../lib/index.ts';

export interface ZoneLimiter {
  readonly rate: number;
  readonly bucket: TokenBucket;
}

const BURST = 1;

export function newZoneLimiter(rate: number, mono: number): ZoneLimiter {
  return { rate, bucket: { tokens: BURST, at: mono } };
}

/** Changes the rate: a node that was waiting for a token waits for one at the new rate, from now (upstream: SwapLimiter). */
export function withRate(limiter: ZoneLimiter, rate: number, mono: number): ZoneLimiter {
  if (limiter.rate === rate) return limiter;
  const waited = refilled(limiter, mono).tokens < 1;
  return { rate, bucket: { tokens: waited ? 0 : BURST, at: mono } };
}

/** Mono ms when the next eviction may be; Infinity when none may. */
export function nextAt(limiter: ZoneLimiter, mono: number): number {
  if (limiter.rate <= 0) return Number.POSITIVE_INFINITY;
  const { tokens } = refilled(limiter, mono);
  return tokens >= 1 ? mono : mono + ((1 - tokens) / limiter.rate) * 1000;
}

/** After an eviction. */
export function taken(limiter: ZoneLimiter, mono: number): ZoneLimiter {
  return { ...limiter, bucket: tryTake(limiter.bucket, shapeOf(limiter), mono).bucket };
}

function refilled(limiter: ZoneLimiter, mono: number): TokenBucket {
  const { ok, bucket } = tryTake(limiter.bucket, shapeOf(limiter), mono);
  return ok ? { ...bucket, tokens: bucket.tokens + 1 } : bucket;
}

function shapeOf({ rate }: ZoneLimiter): { readonly burst: number; readonly perSecond: number } {
  return { burst: BURST, perSecond: Math.max(0, rate) };
}
