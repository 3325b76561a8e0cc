/** Reads for whom a token says it is meant, without believing it: that decides only how the API server is asked. Pure. */

/** Whether the payload of the token, if it is a JWT, names the audience. */
export function namesAudience(token: string, audience: string): boolean {
  const [, payload, , ...more] = token.split('.');
  if (payload === undefined || more.length > 0 || !/^[\w-]+$/.test(payload)) return false;
  try {
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as { aud?: unknown } | null;
    const named = claims?.aud;
    return Array.isArray(named) ? named.includes(audience) : named === audience;
  } catch {
    return false;
  }
}
