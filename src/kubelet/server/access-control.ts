/**
 * Decides who asks the kubelet's API and whether he may, by asking the API server (TokenReview, SubjectAccessReview); answers
 * are kept for a while (upstream: authentication.webhook, authorization.mode Webhook).
 */
import { nodeAudience, SUBJECT_ACCESS_REVIEWS, TOKEN_REVIEWS } from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import { type Clock, errorMessage, type Logger, type UserInfo, withDeadline } from '../../lib/index.ts';
import {
  ALLOWED_TTL_MS,
  DENIED_TTL_MS,
  MAX_ACCESS_ANSWERS,
  MAX_TOKEN_CHARACTERS,
  REVIEW_TIMEOUT_MS,
  TOKEN_TTL_MS,
} from './limits.ts';
import { namesAudience } from './token-audience.ts';

export type AccessDecision = 'allowed' | 'denied' | 'unknown';

export interface AccessControl {
  /** `undefined`: unknown credentials, or the API server could not be asked. */
  authenticate(token: string): Promise<UserInfo | undefined>;
  /** May this user do `verb` to this subresource of the node? `unknown`: the API server could not be asked. */
  authorize(user: UserInfo, verb: string, subresource: string): Promise<AccessDecision>;
}

export interface AccessControlOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly nodeName: string;
  /** A cryptographic hash: tokens are secrets, and none is kept to find its answer again. */
  readonly digest: (text: string) => string;
}

export function createAccessControl({ client, clock, logger, nodeName, digest }: AccessControlOptions): AccessControl {
  const users = new AnswerCache<UserInfo | undefined>(clock, () => TOKEN_TTL_MS);
  const verdicts = new AnswerCache<boolean>(clock, (allowed) => (allowed ? ALLOWED_TTL_MS : DENIED_TTL_MS));
  return {
    authenticate: async (token) => {
      if (token.length > MAX_TOKEN_CHARACTERS) return undefined;
      try {
        return await users.get(digest(token), () => reviewToken(client, clock, { token, nodeName }));
      } catch (error) {
        logger.warn('a token cannot be reviewed', { error: errorMessage(error) });
        return undefined;
      }
    },
    authorize: async (user, verb, subresource) => {
      const { name, uid, groups, extra } = user;
      const key = JSON.stringify([name, uid, groups, extra, verb, subresource]);
      try {
        const ask = (): Promise<boolean> => reviewAccess(client, clock, { user, verb, subresource, nodeName });
        return (await verdicts.get(key, ask)) ? 'allowed' : 'denied';
      } catch (error) {
        logger.warn('access cannot be reviewed', { user: name, verb, subresource, error: errorMessage(error) });
        return 'unknown';
      }
    },
  };
}

/** A token for the API server, or one for this node alone. */
async function reviewToken(
  client: KubeClient,
  clock: Clock,
  { token, nodeName }: { readonly token: string; readonly nodeName: string },
): Promise<UserInfo | undefined> {
  const own = nodeAudience(nodeName);
  const isForUs = namesAudience(token, own);
  const spec = { token, ...(isForUs && { audiences: [own] }) };
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec };
  const { status } = await inTime(clock, (signal) => client.create(TOKEN_REVIEWS, review, signal));
  const user = status?.user;
  if (status?.authenticated !== true || !user?.username) return undefined;
  // A server that knows nothing of audiences says nothing of them, and may have accepted a token for somebody else.
  if (isForUs && status.audiences?.includes(own) !== true) return undefined;
  const { username: name, uid, groups = [], extra } = user;
  return { name, groups, ...(uid !== undefined && { uid }), ...(extra !== undefined && { extra }) };
}

interface Question {
  readonly user: UserInfo;
  readonly verb: string;
  readonly subresource: string;
  readonly nodeName: string;
}

async function reviewAccess(client: KubeClient, clock: Clock, question: Question): Promise<boolean> {
  const { user, verb, subresource, nodeName } = question;
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: {
      user: user.name,
      groups: [...user.groups],
      ...(user.uid !== undefined && { uid: user.uid }),
      ...(user.extra !== undefined && {
        extra: Object.fromEntries(Object.entries(user.extra).map(([key, values]) => [key, [...values]])),
      }),
      resourceAttributes: { verb, group: '', version: 'v1', resource: 'nodes', subresource, name: nodeName },
    },
  };
  const { status } = await inTime(clock, (signal) => client.create(SUBJECT_ACCESS_REVIEWS, review, signal));
  return status?.allowed === true && status.denied !== true;
}

async function inTime<T>(clock: Clock, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ended = await withDeadline({ clock, timeoutMs: REVIEW_TIMEOUT_MS }, work);
  if (ended.kind === 'done') return ended.value;
  throw new Error(`the API server did not answer within ${REVIEW_TIMEOUT_MS} ms`);
}

/** Answers by question, for their time; the same question asked twice at once is asked once. Failures are not kept. */
class AnswerCache<T> {
  readonly #clock: Clock;
  readonly #ttlMs: (answer: T) => number;
  readonly #answers = new Map<string, { readonly answer: T; readonly until: number }>();
  readonly #asking = new Map<string, Promise<T>>();

  constructor(clock: Clock, ttlMs: (answer: T) => number) {
    this.#clock = clock;
    this.#ttlMs = ttlMs;
  }

  async get(question: string, ask: () => Promise<T>): Promise<T> {
    const known = this.#answers.get(question);
    if (known !== undefined && this.#clock.now().mono < known.until) return known.answer;
    const underWay = this.#asking.get(question);
    if (underWay !== undefined) return underWay;
    const asked = ask();
    this.#asking.set(question, asked);
    try {
      const answer = await asked;
      this.#keep(question, answer);
      return answer;
    } finally {
      this.#asking.delete(question);
    }
  }

  #keep(question: string, answer: T): void {
    this.#answers.delete(question);
    this.#answers.set(question, { answer, until: this.#clock.now().mono + this.#ttlMs(answer) });
    if (this.#answers.size <= MAX_ACCESS_ANSWERS) return;
    for (const oldest of this.#answers.keys()) {
      this.#answers.delete(oldest);
      return;
    }
  }
}
