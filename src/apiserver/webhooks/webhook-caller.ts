/**
 * Asks webhooks: finds the pods behind a Service, waits for a bounded time for a bounded answer, and asks again when the webhook says
 * when (upstream: the REST client of webhook.ClientManager).
 */
import type { EndpointSlice, Service, WebhookClient } from '../../api/index.ts';
import { decodeText, encodeText, type HttpResponse, orAborted, readAll } from '../../lib/index.ts';
import { MAX_IDLE_WEBHOOKS, MAX_WEBHOOK_ADDRESSES, MAX_WEBHOOK_ANSWER_BYTES, MAX_WEBHOOK_RETRIES } from '../limits.ts';
import type { CheckedRoute, Clock, OriginConnection, OriginConnections, Random } from '../ports.ts';
import { failureText, hasOtherName, isNotConnected, statusText } from './failure-text.ts';
import { type Address, addressesOf, targetOf, type WebhookTarget } from './webhook-target.ts';

/** What the caller knows of the cluster's Services. */
export interface KnownServices {
  service(namespace: string, name: string): Promise<Service | undefined>;
  slices(namespace: string, name: string): Promise<readonly EndpointSlice[]>;
}

export interface WebhookCallerOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Absent: no webhook can be reached. */
  readonly connections: OriginConnections | undefined;
  readonly services: KnownServices;
  /** A certificate without the name of its server was seen. */
  readonly onOtherName?: () => void;
}

export interface WebhookRequest {
  readonly client: WebhookClient;
  /** JSON */
  readonly body: string;
  /** The longest wait, for which the webhook is told of, too. */
  readonly timeoutMs: number;
  /** From the begin of the wait, which may lie before the call. */
  readonly signal: AbortSignal;
}

interface Kept {
  readonly connection: OriginConnection;
  users: number;
}

export class WebhookCaller {
  readonly #options: WebhookCallerOptions;
  /** The least recently used ones first. */
  readonly #connections = new Map<string, Kept>();

  constructor(options: WebhookCallerOptions) {
    this.#options = options;
  }

  /** The decoded answer. Throws an `Error` whose message says what upstream says. */
  async ask({ client, body, timeoutMs, signal }: WebhookRequest): Promise<unknown> {
    const target = targetOf(client);
    const path = `${target.path}?timeout=${timeoutMs / 1000}s`;
    try {
      return await this.#retrying(target, path, { body, signal });
    } catch (error) {
      if (error instanceof AnswerError) throw error;
      if (hasOtherName(error)) this.#options.onOtherName?.();
      const isLate = signal.aborted && !(error instanceof UnreachableError);
      const text = isLate ? LATE : failureText(error);
      throw new Error(`Post ${JSON.stringify(target.server + path)}: ${text}`, { cause: error });
    }
  }

  close(): void {
    for (const { connection } of this.#connections.values()) connection.close();
    this.#connections.clear();
  }

  async #retrying(target: WebhookTarget, path: string, asked: Asked): Promise<unknown> {
    for (let attempt = 0; ; attempt++) {
      const answer = await this.#toAnyAddress(target, path, asked);
      const seconds = /^\d{1,4}$/.test(answer.retryAfter) ? Number(answer.retryAfter) : undefined;
      const mayRetry = seconds !== undefined && (answer.status === 429 || answer.status >= 500);
      if (!mayRetry || attempt >= MAX_WEBHOOK_RETRIES) return readAnswer(answer);
      if (seconds > 0) await this.#options.clock.sleep(seconds * 1000, asked.signal);
    }
  }

  /** The next address is asked only if the connection was refused: nothing was sent then. */
  async #toAnyAddress(target: WebhookTarget, path: string, asked: Asked): Promise<Answer> {
    const addresses = await this.#addresses(target);
    for (const [position, address] of addresses.entries()) {
      try {
        return await this.#send(target, address, path, asked);
      } catch (error) {
        const isLast = position + 1 >= Math.min(addresses.length, MAX_WEBHOOK_ADDRESSES);
        if (isLast || !isNotConnected(error) || asked.signal.aborted) throw error;
      }
    }
    throw new UnreachableError('no address to ask');
  }

  /** In an order that chance begins; undefined: the one that the name leads to. */
  async #addresses({ service }: WebhookTarget): Promise<readonly (Address | undefined)[]> {
    if (service === undefined) return [undefined];
    const { services, random } = this.#options;
    const { namespace, name } = service;
    const found = addressesOf(service, await services.service(namespace, name), await services.slices(namespace, name));
    if (typeof found === 'string') throw new UnreachableError(found);
    const first = Math.floor(random.next() * found.length);
    return [...found.slice(first), ...found.slice(0, first)];
  }

  async #send(
    { server, authorityPem }: WebhookTarget,
    dial: Address | undefined,
    path: string,
    { body, signal }: Asked,
  ): Promise<Answer> {
    const route: CheckedRoute = {
      ...(dial === undefined ? {} : { dial }),
      ...(authorityPem === undefined ? {} : { authorityPem }),
    };
    const kept = this.#take(server, route);
    try {
      const headers = { 'content-type': 'application/json', accept: 'application/json, */*' };
      const sent = kept.connection.request({ method: 'POST', url: path, headers, body: encodeText(body), signal });
      const answer = await orAborted(sent, signal);
      return { status: answer.status, retryAfter: retryAfterOf(answer), text: await orAborted(textOf(answer), signal) };
    } finally {
      kept.users -= 1;
      this.#closeIdle();
    }
  }

  #take(server: string, route: CheckedRoute): Kept {
    const { connections } = this.#options;
    if (connections === undefined) throw new UnreachableError('this server cannot reach webhooks');
    const key = JSON.stringify([server, route]);
    const kept = this.#connections.get(key) ?? { connection: connections(server, route), users: 0 };
    this.#connections.delete(key);
    this.#connections.set(key, kept);
    kept.users += 1;
    return kept;
  }

  #closeIdle(): void {
    for (const [key, { connection, users }] of this.#connections) {
      if (this.#connections.size <= MAX_IDLE_WEBHOOKS) return;
      if (users > 0) continue;
      this.#connections.delete(key);
      connection.close();
    }
  }
}

const LATE = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';

interface Asked {
  readonly body: string;
  readonly signal: AbortSignal;
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string;
  readonly text: string;
}

/** The webhook answered, and not well. */
class AnswerError extends Error {}

/** There is no way to the webhook. */
class UnreachableError extends Error {}

const MAX_QUOTED = 2048;

function readAnswer({ status, text }: Answer): unknown {
  if (status < 200 || status > 206) throw new AnswerError(statusText(status, text.slice(0, MAX_QUOTED).trim()));
  try {
    return JSON.parse(text);
  } catch {
    throw new AnswerError(
      `couldn't get version/kind; json parse error: ${JSON.stringify(text.slice(0, 100))} is no JSON`,
    );
  }
}

function retryAfterOf({ headers }: HttpResponse): string {
  return headers['retry-after'] ?? '';
}

async function textOf({ body }: HttpResponse): Promise<string> {
  return decodeText(body instanceof Uint8Array ? body : await readAll(body, MAX_WEBHOOK_ANSWER_BYTES));
}
