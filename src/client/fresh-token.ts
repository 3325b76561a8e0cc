/**
 * A connection that rereads its bearer token regularly, as service account tokens last an hour (client-go:
 * cachingTokenSource).
 */
import { type Clock, type Connection, errorMessage, type HttpRequest, type Logger } from '../lib/index.ts';
import { TOKEN_PERIOD_MS } from './limits.ts';

export interface FreshTokenOptions {
  /** Reads the token without the file's end of line. After a rejection the last token is used further. */
  readonly read: () => Promise<string>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function withFreshToken(connection: Connection, options: FreshTokenOptions): Connection {
  const { read, clock, logger } = options;
  let token = '';
  let readAt = Number.NEGATIVE_INFINITY;
  const fresh = async (request: HttpRequest): Promise<HttpRequest> => {
    const { mono } = clock.now();
    if (mono - readAt >= TOKEN_PERIOD_MS) {
      readAt = mono;
      try {
        token = await read();
      } catch (error) {
        logger.warn('the token cannot be read, going on with the last one', { error: errorMessage(error) });
      }
    }
    return { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } };
  };
  return {
    request: async (request) => connection.request(await fresh(request)),
    upgrade: async (request) => connection.upgrade(await fresh(request)),
  };
}
