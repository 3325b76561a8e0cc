/** A client that finds the ready pods of a service by its EndpointSlices, as proxies do, and sends them requests continuously. */
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EndpointSlice } from '../../src/api/index.ts';
import type { Watched } from './api-over-https.ts';

export interface Load {
  /** Requests so far. */
  readonly count: () => number;
  /** Ends the client. @returns the number of answers by pod, and the failures */
  stop(): Promise<{ readonly answers: ReadonlyMap<string, number>; readonly failures: readonly string[] }>;
}

export interface LoadOptions {
  readonly slices: Watched<EndpointSlice>;
  /** The number of concurrent requests. */
  readonly workers: number;
  /** Pause of each worker after an answer, ms. */
  readonly pauseMs: number;
}

/** Addresses with ports that a proxy would send new connections to. */
export function readyAddresses(slices: readonly EndpointSlice[]): readonly string[] {
  return slices.flatMap(({ endpoints, ports }) =>
    (endpoints ?? [])
      .filter(({ conditions }) => conditions?.ready !== false)
      .flatMap(({ addresses }) => addresses.map((address) => `${address}:${ports?.[0]?.port}`)),
  );
}

export function startLoad({ slices, workers, pauseMs }: LoadOptions): Load {
  const answers = new Map<string, number>();
  const failures: string[] = [];
  let count = 0;
  let turn = 0;
  const over = new AbortController();
  const work = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const ready = readyAddresses(slices.items);
      const address = ready[turn++ % ready.length];
      count += 1;
      try {
        if (address === undefined) throw new Error('no ready address');
        const who = await ask(address);
        answers.set(who, (answers.get(who) ?? 0) + 1);
      } catch (error) {
        failures.push(`${new Date().toISOString()} ${address}: ${(error as Error).message}`);
      }
      await sleep(pauseMs);
    }
  };
  const running = Array.from({ length: workers }, work);
  return {
    count: () => count,
    stop: async () => {
      over.abort();
      await Promise.all(running);
      return { answers, failures };
    },
  };
}

/** Sends a request on a new connection. */
function ask(address: string): Promise<string> {
  return new Promise((done, fail) => {
    const call = get(`http://${address}/`, { agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => {
        if (response.statusCode === 200 && text !== '') done(text.trim());
        else fail(new Error(`${response.statusCode}: ${text}`));
      });
      response.on('error', fail);
    });
    call.on('error', fail);
  });
}
