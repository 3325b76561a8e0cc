/**
 * The live page's server, without sockets: judges each request, finds its session, and answers with what the session's identity may
 * see. Nothing is watched, and no timer runs, while nobody looks.
 */
import {
  fullBucket,
  type Headers,
  type HttpRequest,
  type HttpResponse,
  type TokenBucket,
  tryTake,
  withBody,
} from '../lib/index.ts';
import type { PageState } from '../page/index.ts';
import { clearCookie, cookieOf, setCookie } from './access/cookies.ts';
import { guard } from './access/guard.ts';
import { type Admission, OneTimeLinks } from './access/one-time-links.ts';
import { linkOf, originOf, type Place } from './access/place.ts';
import { IMMUTABLE } from './access/security-headers.ts';
import { type Session, Sessions } from './access/sessions.ts';
import { carryOut, rightsIn } from './detail/acts.ts';
import { lifeOf } from './detail/life.ts';
import { logWish, openLog } from './detail/logs.ts';
import { rowId } from './detail/row-id.ts';
import { Feeds, type Look } from './feed/feeds.ts';
import {
  LOGIN_RATE,
  MAX_ASKED_EACH,
  MAX_BODY_BYTES,
  MAX_STREAMS,
  MAX_STREAMS_EACH,
  MAX_STREAMS_OF_ONE,
  TOKEN_RECHECK_MS,
} from './limits.ts';
import type { DashboardPorts, LinkWish, Viewer } from './ports.ts';
import { empty, file, html, json, refusal, stream } from './responses.ts';
import { Refused, refusalOf } from './refused.ts';
import { streamOf } from './stream.ts';

export interface DashboardOptions {
  readonly place: Place;
  /** The name of the cluster on the page. */
  readonly cluster: string;
  /** Whose token that is, as the API server judges it; absent: tokens are not taken here. */
  readonly viewerOfToken?: (token: string) => Promise<Viewer | undefined>;
  /** What a session that begins with a token may. */
  readonly tokenWish?: LinkWish;
}

/** A link for one person, once. */
export interface DashboardLink {
  readonly url: string;
  /** Without the code: it is for whoever looks whether the page can be reached. */
  readonly origin: string;
}

/** A request that may come from the page. */
interface Asking {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly known: () => void;
}

/** What a request with a session is answered with. */
interface Asked {
  readonly session: Session;
  readonly query: URLSearchParams;
  readonly request: HttpRequest;
  /** Aborted when the client leaves, or the session ends. */
  readonly signal: AbortSignal;
}

export class Dashboard {
  readonly #ports: DashboardPorts;
  readonly #options: DashboardOptions;
  readonly #links: OneTimeLinks;
  readonly #sessions: Sessions;
  readonly #feeds: Feeds;
  #attempts: TokenBucket;
  #streams = 0;
  /** By the user's name. */
  readonly #streamsOf = new Map<string, number>();

  constructor(ports: DashboardPorts, options: DashboardOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#links = new OneTimeLinks(ports);
    this.#sessions = new Sessions(ports);
    this.#feeds = new Feeds(ports);
    this.#attempts = fullBucket(LOGIN_RATE, ports.clock.now().mono);
  }

  /** What is held now, for tests and metrics: nothing while nobody looks. */
  get usage(): { readonly sessions: number; readonly feeds: number; readonly streams: number } {
    return { sessions: this.#sessions.size, feeds: this.#feeds.size, streams: this.#streams };
  }

  /** Lets one person in as this viewer, within a minute. @returns undefined: too many links wait */
  link(viewer: Viewer, wish: LinkWish): DashboardLink | undefined {
    const { place } = this.#options;
    const code = this.#links.make({ ...wish, viewer });
    return code === undefined ? undefined : { url: linkOf(place, code), origin: originOf(place) };
  }

  close(): void {
    this.#sessions.endAll();
    this.#feeds.close();
  }

  /** @param known called when the request has a session */
  async handle(request: HttpRequest, known: () => void = () => {}): Promise<HttpResponse> {
    const verdict = guard(request, this.#options.place);
    if (!verdict.ok) {
      const headers: Headers = verdict.status === 405 ? { allow: 'GET, HEAD, POST' } : {};
      return refusal(verdict.status, verdict.words, headers);
    }
    try {
      const query = new URLSearchParams(verdict.query);
      return await this.#route(request, { path: verdict.path, query, known });
    } catch (error) {
      const refused = refusalOf(error);
      if (refused !== undefined) return refusal(refused.status, refused.message);
      if (request.signal?.aborted !== true) this.#ports.logger.error('request failed', { path: verdict.path, error });
      return refusal(500, 'That went wrong here; the log of mendlet says why.');
    }
  }

  async #route(request: HttpRequest, { path, query, known }: Asking): Promise<HttpResponse> {
    const isRead = request.method !== 'POST';
    if (path === '/' && isRead) return await this.#first(request, known);
    if (isRead) {
      const asset = this.#asset(path, request);
      if (asset !== undefined) return asset;
    }
    const key = `${request.method} ${path}`;
    if (key === 'POST /login') return await this.#login(request);
    const answer = ANSWERS[key];
    if (answer === undefined) {
      const isOther = ANSWERS[`GET ${path}`] ?? ANSWERS[`POST ${path}`];
      return isOther === undefined ? refusal(404, 'There is nothing at this path.') : refusal(405, 'Not so.');
    }
    const session = await this.#session(request);
    if (session === undefined) return refusal(401, 'The session is over: "mendlet dashboard" prints a new link.');
    known();
    const signal = AbortSignal.any([session.ended, ...(request.signal === undefined ? [] : [request.signal])]);
    return await answer(this, { session, query, request, signal });
  }

  #asset(path: string, { headers }: HttpRequest): HttpResponse | undefined {
    const asset = this.#ports.files.asset(path, headers['accept-encoding'] ?? '');
    if (asset === undefined) return undefined;
    return file(asset.type, asset.body, {
      'cache-control': IMMUTABLE,
      vary: 'accept-encoding',
      ...(asset.encoding === undefined ? {} : { 'content-encoding': asset.encoding }),
    });
  }

  /** The page with its first state, so that it is of use before, and without, any script. */
  async #first(request: HttpRequest, known: () => void): Promise<HttpResponse> {
    const { files } = this.#ports;
    const session = await this.#session(request);
    if (session === undefined) return html(200, files.login());
    known();
    if (request.method === 'HEAD') return html(200, '');
    return await this.#looking(session, async (look) => {
      await look.feed.ready();
      return html(200, files.page(this.#stateOf(session, look)));
    });
  }

  #stateOf({ viewer, write }: Session, { feed }: Look): PageState {
    return { ...feed.picture(), cluster: this.#options.cluster, you: viewer.name, mayWrite: write };
  }

  /** @throws Refused when too many others look */
  #look({ viewer, namespace }: Session): Look {
    const look = this.#feeds.look(viewer, namespace);
    if (look === undefined) throw new Refused(503, 'Too many others look; try again later.');
    return look;
  }

  async #looking<T>(session: Session, work: (look: Look) => Promise<T>): Promise<T> {
    const look = this.#look(session);
    try {
      return await work(look);
    } finally {
      look.release();
    }
  }

  async #session({ headers }: HttpRequest): Promise<Session | undefined> {
    const value = cookieOf(headers['cookie'], this.#options.place);
    const session = value === undefined ? undefined : this.#sessions.find(value);
    if (value === undefined || session === undefined) return undefined;
    if (await this.#isStillValid(session)) return session;
    this.#sessions.end(value);
    return undefined;
  }

  /** A token that was deleted, or has expired, opens nothing any more. */
  async #isStillValid(session: Session): Promise<boolean> {
    if (session.ended.aborted) return false;
    if (session.token === undefined) return true;
    const { mono } = this.#ports.clock.now();
    if (mono - session.checkedAt < TOKEN_RECHECK_MS) return true;
    const viewer = await this.#options.viewerOfToken?.(session.token);
    if (viewer?.key !== session.viewer.key) return false;
    session.checkedAt = mono;
    return true;
  }

  async #login(request: HttpRequest): Promise<HttpResponse> {
    const { place } = this.#options;
    const body = await bodyOf(request);
    const admission = await this.#admit(body);
    const before = cookieOf(request.headers['cookie'], place);
    const value = this.#sessions.begin(admission);
    if (value === undefined) return refusal(503, 'Too many sessions are open; try again later.');
    // Another identity never comes into a session that is there.
    if (before !== undefined) this.#sessions.end(before);
    return empty({ 'set-cookie': setCookie(place, value) });
  }

  /** @throws Refused */
  async #admit(body: unknown): Promise<Admission> {
    const { code, token } = (body ?? {}) as { readonly code?: unknown; readonly token?: unknown };
    // A valid link is let in whatever strangers have tried before: its check costs one hash.
    const admission = typeof code === 'string' && code.length <= 64 ? this.#links.use(code) : undefined;
    if (admission !== undefined) return admission;
    this.#countAttempt();
    const { viewerOfToken, tokenWish = { write: false } } = this.#options;
    if (typeof token === 'string' && token !== '' && viewerOfToken !== undefined) {
      const viewer = await viewerOfToken(token);
      if (viewer !== undefined) return { ...tokenWish, viewer, token };
    }
    const words =
      typeof code === 'string'
        ? 'The link was used, or is older than a minute: "mendlet dashboard" prints a new one.'
        : viewerOfToken === undefined
          ? 'Tokens are not taken here: "mendlet dashboard" prints a link.'
          : 'The API server does not know this token.';
    throw new Refused(403, words);
  }

  #countAttempt(): void {
    const { ok, bucket } = tryTake(this.#attempts, LOGIN_RATE, this.#ports.clock.now().mono);
    this.#attempts = bucket;
    if (!ok) throw new Refused(429, 'Too many attempts; try again in some seconds. New links work at once.');
  }

  logout({ request }: Asked): HttpResponse {
    const { place } = this.#options;
    const value = cookieOf(request.headers['cookie'], place);
    if (value !== undefined) this.#sessions.end(value);
    return empty({ 'set-cookie': clearCookie(place) });
  }

  async stream({ session, query, signal }: Asked): Promise<HttpResponse> {
    const given = query.get('from');
    const from = given === null ? undefined : Number(given);
    if (from !== undefined && !Number.isSafeInteger(from)) throw new Refused(400, 'from is no revision.');
    const release = this.#countStream(session);
    const look = this.#lookOr(session, release);
    const { clock } = this.#ports;
    const end = (): void => {
      look.release();
      release();
    };
    try {
      await look.feed.ready();
    } catch (error) {
      end();
      throw error;
    }
    const messages = streamOf({
      feed: look.feed,
      clock,
      from,
      state: () => this.#stateOf(session, look),
      signal,
      mayGoOn: () => this.#isStillValid(session),
    });
    return stream('application/x-ndjson', finallyDo(messages, signal, end));
  }

  async life({ session, query, signal }: Asked): Promise<HttpResponse> {
    return await this.#asking(session, async () => {
      const id = rowId((query.get('id') ?? '').split('/'), session.namespace);
      const life = await this.#looking(session, async ({ feed }) => {
        await feed.ready();
        const row = feed.row(`${id.kind}/${id.namespace}/${id.name}`);
        if (row === undefined) throw new Refused(404, 'There is no such workload any more.');
        return await lifeOf(session.viewer, row, id, this.#ports.clock, signal);
      });
      return json(200, life);
    });
  }

  async logs({ session, query, signal }: Asked): Promise<HttpResponse> {
    const wish = logWish(query, session.namespace);
    const release = this.#countStream(session);
    try {
      const lines = await openLog(session.viewer, wish, this.#ports, signal);
      return stream('text/plain; charset=utf-8', finallyDo(lines, signal, release));
    } catch (error) {
      release();
      throw error;
    }
  }

  async rights({ session, query, signal }: Asked): Promise<HttpResponse> {
    return await this.#asking(session, async () => {
      const { namespace } = rowId(['pod', query.get('namespace') ?? '', 'any'], session.namespace);
      return json(200, await rightsIn(session.viewer, namespace, session.write, signal));
    });
  }

  async acts({ session, request }: Asked): Promise<HttpResponse> {
    return await this.#asking(session, async () => {
      const { clock, logger } = this.#ports;
      const { viewer, namespace, write, ended } = session;
      const body = await bodyOf(request);
      const frame = { clock, logger, namespace, mayWrite: write, signal: ended };
      return json(200, await carryOut(viewer, body, frame));
    });
  }

  #lookOr(session: Session, release: () => void): Look {
    try {
      return this.#look(session);
    } catch (error) {
      release();
      throw error;
    }
  }

  /** @throws Refused */
  #countStream(session: Session): () => void {
    const { name } = session.viewer;
    const own = this.#streamsOf.get(name) ?? 0;
    if (session.streams >= MAX_STREAMS_EACH || own >= MAX_STREAMS_OF_ONE || this.#streams >= MAX_STREAMS)
      throw new Refused(429, 'Too many tabs are open; close some.');
    session.streams += 1;
    this.#streams += 1;
    this.#streamsOf.set(name, own + 1);
    return once(() => {
      session.streams -= 1;
      this.#streams -= 1;
      const rest = (this.#streamsOf.get(name) ?? 1) - 1;
      if (rest > 0) this.#streamsOf.set(name, rest);
      else this.#streamsOf.delete(name);
    });
  }

  async #asking(session: Session, work: () => Promise<HttpResponse>): Promise<HttpResponse> {
    if (session.asked >= MAX_ASKED_EACH) throw new Refused(429, 'Too many questions at once; try again.');
    session.asked += 1;
    try {
      return await work();
    } finally {
      session.asked -= 1;
    }
  }
}

type Answer = (dashboard: Dashboard, asked: Asked) => HttpResponse | Promise<HttpResponse>;

/** What needs a session. A method that is not here is not served, HEAD of them neither. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  'POST /logout': (dashboard, asked) => dashboard.logout(asked),
  'GET /stream': (dashboard, asked) => dashboard.stream(asked),
  'GET /life': (dashboard, asked) => dashboard.life(asked),
  'GET /logs': (dashboard, asked) => dashboard.logs(asked),
  'GET /rights': (dashboard, asked) => dashboard.rights(asked),
  'POST /acts': (dashboard, asked) => dashboard.acts(asked),
};

/** @throws Refused */
async function bodyOf(request: HttpRequest): Promise<unknown> {
  const { body = new Uint8Array() } = await withBody(request);
  if (body.length > MAX_BODY_BYTES) throw new Refused(413, 'The body is too large.');
  try {
    return JSON.parse(new TextDecoder().decode(body)) as unknown;
  } catch {
    throw new Refused(400, 'The body is no JSON.');
  }
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}

/** Ends what a stream holds, however it ends: a stream that nobody ever reads ends with the signal. */
function finallyDo(source: AsyncIterable<Uint8Array>, signal: AbortSignal, end: () => void): AsyncIterable<Uint8Array> {
  const ended = once(end);
  if (signal.aborted) ended();
  else signal.addEventListener('abort', ended, { once: true });
  return (async function* () {
    try {
      yield* source;
    } finally {
      ended();
    }
  })();
}
