/** The headers of every answer. Pure. */
import type { Headers } from '../../lib/index.ts';

/** Nothing but the page's own files; nothing inline; no text can become HTML by a script. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const NO_FEATURES = 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()';

export const SECURITY_HEADERS: Headers = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'permissions-policy': NO_FEATURES,
  // Answers differ by session, and hold what the session's identity may see.
  'cache-control': 'no-store',
};

/** Of files whose names hold a hash of their contents. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';
