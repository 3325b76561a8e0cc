/** A client for tests without mendlet's code: requests and watches over HTTPS, with the credentials of a kubeconfig. */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ApiObject {
  readonly metadata?: {
    readonly name?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly deletionTimestamp?: string;
  };
}

export interface Answer {
  readonly code: number;
  readonly body: unknown;
}

interface DiscoveredResource {
  readonly name: string;
  readonly singularName?: string;
  readonly shortNames?: readonly string[];
  readonly kind: string;
  readonly namespaced: boolean;
}

interface Where {
  /** Default: `default`. */
  readonly namespace?: string;
  /** Of labels. */
  readonly selector?: string;
  /** Of fields. */
  readonly fields?: string;
}

type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** Time limit of an answer, which only ends a hang. */
const ANSWER_MS = 120_000;

/** A connection that had carried answers before was closed by the server. */
class StaleConnection extends Error {}

export class Api {
  readonly #server: URL;
  readonly #agent: Agent;
  /** Discovered resources by apiVersion. */
  readonly #resources = new Map<string, readonly DiscoveredResource[]>();
  #apiVersions: readonly string[] | undefined;

  constructor(kubeconfig: string) {
    const text = readFileSync(kubeconfig, 'utf8');
    const field = (name: string): string => new RegExp(`^\\s*${name}: (\\S+)$`, 'm').exec(text)?.[1] ?? '';
    const pem = (name: string): Buffer => Buffer.from(field(`${name}-data`), 'base64');
    this.#server = new URL(field('server'));
    this.#agent = new Agent({
      keepAlive: true,
      ca: pem('certificate-authority'),
      cert: pem('client-certificate'),
      key: pem('client-key'),
    });
  }

  /**
   * Resolves to any answer, even an error. A read on a connection that the server had closed is sent once more.
   * @param body a text is sent as it is
   * @throws when there is no answer
   */
  send(method: string, path: string, body?: object | string, type = 'application/json'): Promise<Answer> {
    return this.#attempt(method, path, body, type).catch((error: unknown) => {
      if (method !== 'GET' || !(error instanceof StaleConnection)) throw error;
      return this.#attempt(method, path, body, type);
    });
  }

  #attempt(method: string, path: string, body: object | string | undefined, type: string): Promise<Answer> {
    return new Promise((done, fail) => {
      const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
      // Node sends no length with a DELETE by itself, and the server would take the body for another request.
      const headers = text === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(text) };
      const call = request(new URL(path, this.#server), { method, agent: this.#agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const answer = Buffer.concat(chunks).toString();
          done({ code: response.statusCode ?? 0, body: answer.startsWith('{') ? JSON.parse(answer) : answer });
        });
        response.on('error', fail);
      });
      call.on('error', (error) =>
        fail(call.reusedSocket ? new StaleConnection(error.message, { cause: error }) : error),
      );
      call.setTimeout(ANSWER_MS, () => call.destroy(new Error(`no answer within ${ANSWER_MS} ms`)));
      call.end(text);
    });
  }

  /** @throws unless the answer is a success */
  async get<T>(path: string): Promise<T> {
    const { code, body } = await this.send('GET', path);
    if (code !== 200) throw new Error(`GET ${path}: ${code} ${JSON.stringify(body)}`);
    return body as T;
  }

  /**
   * Creates the object at the path that discovery gives for its kind, and refuses unknown fields.
   * @throws unless it was created
   */
  async create(object: object): Promise<void> {
    const { apiVersion, kind, metadata } = object as {
      readonly apiVersion: string;
      readonly kind: string;
      readonly metadata: { readonly name?: string; readonly namespace?: string };
    };
    const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const known =
      this.#resources.get(apiVersion) ?? (await this.get<{ resources: DiscoveredResource[] }>(group)).resources;
    this.#resources.set(apiVersion, known);
    const resource = known.find((each) => each.kind === kind && !each.name.includes('/'));
    if (resource === undefined) throw new Error(`the server has no ${apiVersion} ${kind}`);
    const namespace = resource.namespaced ? `/namespaces/${metadata.namespace ?? 'default'}` : '';
    const path = `${group}${namespace}/${resource.name}?fieldValidation=Strict`;
    const { code, body } = await this.send('POST', path, object);
    if (code !== 201) throw new Error(`POST ${path} of ${metadata.name}: ${code} ${JSON.stringify(body)}`);
  }

  /**
   * Reads the same as `kubectl get WHAT -o json`.
   *
   * @param what a resource by any of its names, optionally with a slash and an object's name: `pods`, `sts/web`
   * @throws when the server has no such resource or object
   */
  async read<T>(what: string, { namespace, selector, fields }: Where = {}): Promise<T> {
    const [type = '', name] = what.split('/');
    const selectors = {
      ...(selector !== undefined && { labelSelector: selector }),
      ...(fields !== undefined && { fieldSelector: fields }),
    };
    const query = `?${new URLSearchParams(selectors).toString()}`;
    for (const apiVersion of await this.#versions()) {
      const resource = (await this.#resourcesOf(apiVersion)).find((each) =>
        [each.name, each.singularName, ...(each.shortNames ?? [])].includes(type),
      );
      if (resource === undefined) continue;
      const path = pathOf(apiVersion, resource, namespace);
      return this.get<T>(name === undefined ? `${path}${query}` : `${path}/${name}`);
    }
    throw new Error(`the server has no ${type}`);
  }

  async #versions(): Promise<readonly string[]> {
    // As kubectl: the preferred version of each group first, then those that alone have some kinds.
    this.#apiVersions ??= (
      await this.get<{ groups: { versions: { groupVersion: string }[] }[] }>('/apis')
    ).groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => groupVersion));
    return ['v1', ...this.#apiVersions];
  }

  /** The resources of a version of a group, without their subresources. */
  async #resourcesOf(apiVersion: string): Promise<readonly DiscoveredResource[]> {
    const known = this.#resources.get(apiVersion);
    if (known !== undefined) return known;
    const { resources } = await this.get<{ resources: DiscoveredResource[] }>(rootOf(apiVersion));
    const found = resources.filter(({ name }) => !name.includes('/'));
    this.#resources.set(apiVersion, found);
    return found;
  }

  /** The objects at `path`, kept up to date until it is stopped. `query`: selectors. */
  watch<T extends ApiObject>(path: string, query = ''): Watched<T> {
    return new Watched<T>(this, path, query);
  }

  /** Calls `line` for each line of a watch; resolves at its end, also after an error. */
  stream(path: string, line: (text: string) => void, signal: AbortSignal): Promise<void> {
    return new Promise((done) => {
      const call = request(new URL(path, this.#server), { agent: this.#agent, signal }, (response) => {
        let rest = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          const lines = (rest + chunk).split('\n');
          rest = lines.pop() ?? '';
          for (const each of lines) line(each);
        });
        response.on('close', done);
        response.on('error', () => done());
      });
      call.on('error', () => done());
      call.end();
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function rootOf(apiVersion: string): string {
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

function pathOf(apiVersion: string, { name, namespaced }: DiscoveredResource, namespace = 'default'): string {
  return `${rootOf(apiVersion)}${namespaced ? `/namespaces/${namespace}` : ''}/${name}`;
}

const GIVE_UP_MS = 300_000;
const AGAIN_MS = 100;

/** A list that follows its watch, and lists again when the watch ends, so that it survives restarts of the server. */
export class Watched<T extends ApiObject> {
  readonly #api: Api;
  readonly #path: string;
  readonly #query: string;
  readonly #stop = new AbortController();
  readonly #objects = new Map<string, T>();
  readonly #listeners = new Set<() => void>();

  constructor(api: Api, path: string, query: string) {
    this.#api = api;
    this.#path = path;
    this.#query = query;
    void this.#run();
  }

  get items(): readonly T[] {
    return [...this.#objects.values()];
  }

  /** Calls `listener` after each change. @returns a function that ends that */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The first value that `look` finds in the objects. The time limit only ends a hang. @throws with the last objects */
  until<V>(what: string, look: (items: readonly T[]) => V | undefined, last?: (item: T) => unknown): Promise<V> {
    return new Promise((done, fail) => {
      const end = (): void => {
        clearTimeout(timer);
        unlisten();
      };
      const check = (): void => {
        const found = look(this.items);
        if (found === undefined) return;
        end();
        done(found);
      };
      const timer = setTimeout(() => {
        end();
        fail(new Error(`waited in vain for ${what}; last seen: ${JSON.stringify(this.items.map(last ?? ((i) => i)))}`));
      }, GIVE_UP_MS);
      const unlisten = this.onChange(check);
      check();
    });
  }

  stop(): void {
    this.#stop.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        const list = await this.#api.get<{ metadata: { resourceVersion: string }; items: T[] }>(
          `${this.#path}?${this.#query}`,
        );
        this.#objects.clear();
        for (const item of list.items) this.#objects.set(item.metadata?.uid ?? '', item);
        this.#tell();
        const from = `watch=1&resourceVersion=${list.metadata.resourceVersion}&${this.#query}`;
        await this.#api.stream(`${this.#path}?${from}`, (line) => this.#take(line), signal);
      } catch {
        // The server cannot be reached.
      }
      await sleep(AGAIN_MS);
    }
  }

  #take(line: string): void {
    const event = JSON.parse(line) as { type: EventType | 'ERROR'; object: T };
    if (event.type === 'ERROR') return;
    const uid = event.object.metadata?.uid ?? '';
    if (event.type === 'DELETED') this.#objects.delete(uid);
    else this.#objects.set(uid, event.object);
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
