/**
 * The connection of a simulated process to the API server: latency, partitions, answers that are lost after the request took
 * effect. Streams keep their order, and break with the network.
 */
import {
  AsyncQueue,
  type Connection,
  ConnectionError,
  type HttpRequest,
  type HttpResponse,
  type Random,
} from '../lib/index.ts';
import type { Life } from './life.ts';
import type { Sim } from './sim.ts';

/** Chunks on their way to a slow reader; more break the stream, as a full socket would. */
const MAX_STREAM_CHUNKS = 10_000;

export interface LinkFaults {
  partitioned: boolean;
  /** Shares of requests, 0 to 1. */
  failBefore: number;
  failAfter: number;
  slow: number;
  slowMs: number;
  /** Maximum delay of watches, ms; they keep their order. */
  streamMs: number;
}

export function noLinkFaults(): LinkFaults {
  return { partitioned: false, failBefore: 0, failAfter: 0, slow: 0, slowMs: 0, streamMs: 0 };
}

/** The network between one place and the server, shared by all processes of that place. */
export class Link {
  readonly faults: LinkFaults = noLinkFaults();
  readonly #streams = new Set<() => void>();
  #breaks = 0;

  /** How often its streams were broken. */
  get breaks(): number {
    return this.#breaks;
  }

  get hasFaults(): boolean {
    const { partitioned, failBefore, failAfter, slow, streamMs } = this.faults;
    return partitioned || failBefore > 0 || failAfter > 0 || slow > 0 || streamMs > 0;
  }

  /** Cuts the link: requests are lost, and streams break. */
  partition(): void {
    this.faults.partitioned = true;
    this.breakStreams();
  }

  heal(): void {
    Object.assign(this.faults, noLinkFaults());
  }

  breakStreams(): void {
    this.#breaks += 1;
    for (const cut of this.#streams) cut();
  }

  addStream(cut: () => void): () => void {
    this.#streams.add(cut);
    return () => this.#streams.delete(cut);
  }
}

export interface ConnectionWiring {
  readonly sim: Sim;
  readonly life: Life;
  readonly link: Link;
  readonly random: Random;
  /** The present server; `undefined` while it is down. */
  readonly server: () => Connection | undefined;
  /** Called with every piece of an answer that reaches the process. */
  readonly onDelivered?: (request: HttpRequest, bytes: Uint8Array) => void;
}

export function createSimConnection(wiring: ConnectionWiring): Connection {
  return {
    request: (request) => send(wiring, request),
    upgrade: async (request) => ({ upgraded: false, response: await send(wiring, request) }),
  };
}

function send(wiring: ConnectionWiring, request: HttpRequest): Promise<HttpResponse> {
  const { sim, life, link, random } = wiring;
  const { faults } = link;
  const what = `${request.method} ${request.url.split('?')[0]} by ${life.name}`;
  const slowMs = random.next() < faults.slow ? random.next() * faults.slowMs : 0;
  const thereMs = 0.2 + random.next() + slowMs;
  const failBefore = random.next() < faults.failBefore;
  const failAfter = random.next() < faults.failAfter;
  const lostMs = 1000 + random.next() * 9000;
  return new Promise<HttpResponse>((resolve, reject) => {
    const fail = (why: string, afterMs: number): void => {
      sim.after(afterMs, `lost ${what}`, () => life.deliver(() => reject(new ConnectionError(`${what}: ${why}`))));
    };
    const serverSide = new AbortController();
    const onAbort = (): void => {
      reject(new ConnectionError(`${what}: aborted`, { cause: request.signal?.reason }));
      sim.after(0.5, `abort ${what}`, () => serverSide.abort(new Error('client is gone')));
    };
    if (request.signal?.aborted === true) onAbort();
    request.signal?.addEventListener('abort', onAbort, { once: true });
    sim.after(thereMs, `request ${what}`, () => {
      const server = wiring.server();
      if (faults.partitioned) return fail('no route to host', lostMs);
      if (server === undefined) return fail('connection refused', 0.5);
      if (failBefore) return fail('connection reset', 0.5);
      void server.request({ ...request, signal: serverSide.signal }).then(
        (response) => {
          if (failAfter || faults.partitioned) {
            fail('connection reset after the request', faults.partitioned ? lostMs : 0.5);
            void discard(response);
            return;
          }
          const carried = carry(wiring, request, what, response, serverSide);
          sim.after(0.2 + random.next(), `response ${what}`, () =>
            life.deliver(() => {
              if (response.body instanceof Uint8Array) wiring.onDelivered?.(request, response.body);
              resolve(carried);
            }),
          );
        },
        (error: unknown) => sim.fail(error),
      );
      return undefined;
    });
  });
}

async function discard(response: HttpResponse): Promise<void> {
  if (response.body instanceof Uint8Array) return;
  await response.body[Symbol.asyncIterator]().return?.();
}

/** The same response, with its stream over the link. */
function carry(
  wiring: ConnectionWiring,
  request: HttpRequest,
  what: string,
  response: HttpResponse,
  serverSide: AbortController,
): HttpResponse {
  if (response.body instanceof Uint8Array) return response;
  const { sim, life, link, random } = wiring;
  const queue = new AsyncQueue<Uint8Array>(MAX_STREAM_CHUNKS);
  const iterator = response.body[Symbol.asyncIterator]();
  const state = { open: true };
  let lastArrival = 0;
  /** Delivers a piece after all earlier ones, so that a stream keeps its order. */
  const arrive = (fn: () => void): void => {
    lastArrival = Math.max(sim.mono + 0.2 + random.next() * (1 + link.faults.streamMs), lastArrival + 0.001);
    sim.after(lastArrival - sim.mono, `stream ${what}`, () => life.deliver(fn));
  };
  const close = (): void => {
    if (!state.open) return;
    state.open = false;
    forget();
    serverSide.abort(new Error('stream closed'));
    void iterator.return?.();
  };
  const forget = link.addStream(() => {
    close();
    const lateMs = random.next() * 5000;
    sim.after(lateMs, `broken ${what}`, () =>
      life.deliver(() => queue.fail(new ConnectionError(`${what}: connection reset`))),
    );
  });
  const pump = async (): Promise<void> => {
    while (state.open) {
      const next = await iterator.next();
      if (!state.open) return;
      if (next.done === true) {
        arrive(() => queue.end());
        close();
        return;
      }
      const bytes = next.value;
      arrive(() => {
        wiring.onDelivered?.(request, bytes);
        if (!queue.push(bytes)) queue.fail(new ConnectionError(`${what}: reader too slow`));
      });
    }
  };
  void pump().catch((error: unknown) => {
    arrive(() => queue.fail(new ConnectionError(`${what}: ${String(error)}`)));
    close();
  });
  return { ...response, body: readUntilEnd(queue, close) };
}

async function* readUntilEnd(
  queue: AsyncQueue<Uint8Array>,
  close: () => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* queue;
  } finally {
    close();
  }
}
