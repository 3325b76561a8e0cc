/** A token bucket on the monotonic clock, as an immutable value: every step returns the next one. */
export interface TokenBucket {
  readonly tokens: number;
  /** Mono ms at which `tokens` was true. */
  readonly at: number;
}

export interface BucketShape {
  /** The maximum number of tokens. */
  readonly burst: number;
  /** Tokens gained per second. */
  readonly perSecond: number;
}

export function fullBucket(shape: BucketShape, mono: number): TokenBucket {
  return { tokens: shape.burst, at: mono };
}

function refill(bucket: TokenBucket, shape: BucketShape, mono: number): TokenBucket {
  const elapsed = Math.max(0, mono - bucket.at) / 1000;
  return { tokens: Math.min(shape.burst, bucket.tokens + elapsed * shape.perSecond), at: Math.max(mono, bucket.at) };
}

/** Takes a token if there is one. */
export function tryTake(
  bucket: TokenBucket,
  shape: BucketShape,
  mono: number,
): { readonly ok: boolean; readonly bucket: TokenBucket } {
  const filled = refill(bucket, shape, mono);
  if (filled.tokens < 1) return { ok: false, bucket: filled };
  return { ok: true, bucket: { ...filled, tokens: filled.tokens - 1 } };
}

/** Takes a token that may become available only after `delayMs`. */
export function reserve(
  bucket: TokenBucket,
  shape: BucketShape,
  mono: number,
): { readonly delayMs: number; readonly bucket: TokenBucket } {
  const filled = refill(bucket, shape, mono);
  const tokens = filled.tokens - 1;
  return { delayMs: tokens >= 0 ? 0 : (-tokens / shape.perSecond) * 1000, bucket: { ...filled, tokens } };
}
