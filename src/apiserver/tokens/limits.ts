/** Bounds of service account tokens, with upstream's names. */

/** The issuer of tokens, and their audience when a request names none (upstream: --service-account-issuer). */
export const TOKEN_ISSUER = 'https://kubernetes.default.svc.cluster.local';
/** Shortest life that may be asked for (upstream: 10 minutes). */
export const MIN_TOKEN_SECONDS = 600;
/** Longest (upstream: 2^32). */
export const MAX_TOKEN_SECONDS = 2 ** 32;
/** Lifetime of a token whose request names none (upstream's default). */
export const DEFAULT_TOKEN_SECONDS = 3600;
/**
 * The lifetime that the admission of pods asks for; such a token really lives a year (upstream:
 * WarnOnlyBoundTokenExpirationPeriod).
 */
export const POD_TOKEN_SECONDS = 3607;
/** For programs that read their token once (upstream: ExpirationExtensionSeconds). */
export const EXTENDED_TOKEN_SECONDS = 365 * 24 * 3600;
/** A longer text is no token of ours. */
export const MAX_TOKEN_CHARACTERS = 16 * 1024;
/** Other machines' clocks may be a little ahead (upstream: jwt.DefaultLeeway). */
export const TOKEN_LEEWAY_SECONDS = 60;
/** Audiences that one request may name. */
export const MAX_AUDIENCES = 64;
