/** The API server, as a program in a pod reaches it: plain HTTPS with the pod's token, and lists that follow watches. */
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const RETRY_MS = 500;

export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly object[];
  };
}

/** An answer that is no success. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

type Patch = 'merge' | 'strategic-merge' | 'json';

export class Cluster {
  readonly #agent = new Agent({ keepAlive: true, ca: readFileSync(`${ACCOUNT}/ca.crt`) });
  readonly #base: string;

  constructor() {
    const host = process.env['KUBERNETES_SERVICE_HOST'] ?? 'kubernetes.default.svc';
    this.#base = `https://${host.includes(':') ? `[${host}]` : host}:${process.env['KUBERNETES_SERVICE_PORT'] ?? '443'}`;
  }

  get<T extends object>(path: string): Promise<T> {
    return this.#ask<T>('GET', path);
  }

  create<T extends object>(path: string, body: object): Promise<T> {
    return this.#ask<T>('POST', path, body);
  }

  replace<T extends object>(path: string, body: object): Promise<T> {
    return this.#ask<T>('PUT', path, body);
  }

  patch<T extends object>(path: string, body: object, kind: Patch = 'merge'): Promise<T> {
    return this.#ask<T>('PATCH', path, body, `application/${kind}-patch+json`);
  }

  /** Succeeds also where it is gone already. */
  async remove(path: string): Promise<void> {
    await this.#ask('DELETE', path).catch((error: unknown) => {
      if (!(error instanceof ApiError && error.code === 404)) throw error;
    });
  }

  /** A list that stays true, once its first content is there. @param changed called after each change */
  async follow<T extends KubeObject>(path: string, changed: () => void): Promise<Followed<T>> {
    const items = new Map<string, T>();
    const first = Promise.withResolvers<void>();
    void (async () => {
      for (;;) {
        try {
          const list = await this.get<{ items: readonly T[]; metadata: { resourceVersion: string } }>(path);
          items.clear();
          for (const item of list.items) items.set(item.metadata.uid, item);
          first.resolve();
          changed();
          await this.#watch<T>(path, list.metadata.resourceVersion, items, changed);
        } catch (error) {
          console.log(`${path}: ${error instanceof Error ? error.message : String(error)}`);
        }
        await sleep(RETRY_MS);
      }
    })();
    await first.promise;
    return { list: () => [...items.values()] };
  }

  /** Returns when the watch has ended, which it does after minutes. */
  async #watch<T extends KubeObject>(
    path: string,
    from: string,
    items: Map<string, T>,
    changed: () => void,
  ): Promise<void> {
    const response = await this.#send('GET', `${path}?watch=true&allowWatchBookmarks=true&resourceVersion=${from}`);
    if (response.statusCode !== 200) throw new ApiError(response.statusCode ?? 0, await textOf(response));
    for await (const line of createInterface({ input: response })) {
      const { type, object } = JSON.parse(line) as { type: string; object: T };
      if (type === 'ERROR') return;
      if (type === 'BOOKMARK') continue;
      if (type === 'DELETED') items.delete(object.metadata.uid);
      else items.set(object.metadata.uid, object);
      changed();
    }
  }

  async #ask<T extends object>(method: string, path: string, body?: object, type?: string): Promise<T> {
    const response = await this.#send(method, path, body, type);
    const text = await textOf(response);
    const code = response.statusCode ?? 0;
    if (code >= 200 && code < 300) return JSON.parse(text) as T;
    throw new ApiError(code, `${method} ${path}: ${messageOf(text)}`);
  }

  #send(method: string, path: string, body?: object, type = 'application/json'): Promise<IncomingMessage> {
    return new Promise((done, fail) => {
      const authorization = `Bearer ${readFileSync(`${ACCOUNT}/token`, 'utf8').trim()}`;
      const headers = { authorization, accept: 'application/json', ...(body && { 'content-type': type }) };
      const call = request(`${this.#base}${path}`, { method, headers, agent: this.#agent }, done);
      call.on('error', fail);
      call.end(body && JSON.stringify(body));
    });
  }
}

export interface Followed<T> {
  list(): readonly T[];
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += String(chunk);
  return text;
}

function messageOf(text: string): string {
  try {
    return (JSON.parse(text) as { message?: string }).message ?? text;
  } catch {
    return text;
  }
}
