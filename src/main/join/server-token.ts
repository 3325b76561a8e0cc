/** The token that `mendlet server` prints: the given one, or one of its own for a day. */
import {
  BOOTSTRAP_TOKEN_NAMESPACE,
  BOOTSTRAP_TOKEN_TYPE,
  bootstrapSecretName,
  bootstrapTokenEnd,
  bootstrapTokenSecret,
  checkBootstrapToken,
  isAlreadyExists,
  isNotFound,
  parseBootstrapToken,
  type Secret,
  SECRETS,
} from '../../api/index.ts';
import type { JoinToken } from '../../cli/index.ts';
import type { KubeClient } from '../../client/index.ts';
import { type Clock, formatTime, type Random } from '../../lib/index.ts';

const HOUR_MS = 3_600_000;
export const TOKEN_LIFE_MS = 24 * HOUR_MS;
/** One of ours with less life left is not shown again. */
const LEAST_LIFE_MS = 12 * HOUR_MS;
const SERVERS_OWN = 'made by "mendlet server"';
const ID_LENGTH = 6;
const SECRET_LENGTH = 16;

export interface TokenWork {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
}

/** @param given a token that shall let in for ever */
export async function ensureServerToken(work: TokenWork, given: JoinToken | undefined): Promise<JoinToken> {
  if (given !== undefined) return ensureGiven(work, given);
  const { wall } = work.clock.now();
  const known = (await listTokens(work.client)).find((token) => {
    const end = bootstrapTokenEnd(token);
    return fieldOf(token, 'description') === SERVERS_OWN && typeof end === 'number' && end - wall > LEAST_LIFE_MS;
  });
  const token = parseBootstrapToken(known === undefined ? '' : textOf(known));
  return token ?? createToken(work, { lifeMs: TOKEN_LIFE_MS, description: SERVERS_OWN });
}

async function ensureGiven({ client, clock }: TokenWork, { id, secret }: JoinToken): Promise<JoinToken> {
  const wanted = bootstrapTokenSecret({ id, secret, description: 'given with --token' });
  try {
    await client.create(SECRETS, wanted);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const there = await client.get<Secret>(SECRETS, BOOTSTRAP_TOKEN_NAMESPACE, bootstrapSecretName(id));
    const isGood = checkBootstrapToken({ id, secret }, there, clock.now().wall).ok;
    if (!isGood || bootstrapTokenEnd(there) !== undefined) {
      await client.delete(SECRETS, BOOTSTRAP_TOKEN_NAMESPACE, bootstrapSecretName(id));
      await client.create(SECRETS, wanted);
    }
  }
  return { id, secret };
}

/** @param lifeMs 0: for ever */
export async function createToken(
  { client, clock, random }: TokenWork,
  { lifeMs, description }: { readonly lifeMs: number; readonly description?: string },
): Promise<JoinToken> {
  const id = random.suffix(ID_LENGTH);
  const secret = random.suffix(SECRET_LENGTH);
  const expiration = lifeMs === 0 ? undefined : formatTime(clock.now().wall + lifeMs);
  await client.create(
    SECRETS,
    bootstrapTokenSecret({
      id,
      secret,
      ...(expiration !== undefined && { expiration }),
      ...(description !== undefined && { description }),
    }),
  );
  return { id, secret };
}

export async function listTokens(client: KubeClient): Promise<readonly Secret[]> {
  const { items } = await client.list<Secret>(SECRETS, { namespace: BOOTSTRAP_TOKEN_NAMESPACE });
  return items.filter(({ type }) => type === BOOTSTRAP_TOKEN_TYPE);
}

/** @returns false when there is none of that id */
export async function deleteToken(client: KubeClient, id: string): Promise<boolean> {
  try {
    await client.delete(SECRETS, BOOTSTRAP_TOKEN_NAMESPACE, bootstrapSecretName(id));
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** A field of a token's secret, as text. */
export function fieldOf({ data = {} }: Secret, name: string): string {
  return Buffer.from(data[name] ?? '', 'base64').toString('utf8');
}

function textOf(secret: Secret): string {
  return `${fieldOf(secret, 'token-id')}.${fieldOf(secret, 'token-secret')}`;
}
