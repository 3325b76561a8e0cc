/** HTTP and TCP probes over real sockets, with upstream's verdicts and texts (pkg/probe/http, pkg/probe/tcp). */
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect, isIPv6 } from 'node:net';
import type { ProbeAttempt, ProbeTransport } from '../ports.ts';

/** maxRespBodyLength; redirects as Go's client follows them. */
const MAX_BODY_BYTES = 10 * 1024;
const MAX_REDIRECTS = 10;
/** Our own machine's shortage: no verdict on the container. */
const OWN_TROUBLE = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EADDRNOTAVAIL', 'ENOBUFS']);

type HttpProbe = Parameters<ProbeTransport['http']>[0];

export function createProbeTransport(): ProbeTransport {
  return {
    http: (probe) =>
      withinTime(probe.timeoutMs, httpUrl(probe), (signal) => httpAttempt(probe, new URL(httpUrl(probe)), 0, signal)),
    tcp: ({ host, port, timeoutMs }) => tcpAttempt(host, port, timeoutMs),
  };
}

async function withinTime(
  timeoutMs: number,
  url: string,
  work: (signal: AbortSignal) => Promise<ProbeAttempt>,
): Promise<ProbeAttempt> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), timeoutMs);
  try {
    return await work(controller.signal);
  } catch (error) {
    const get = `Get "${url}": `;
    if (controller.signal.aborted) {
      return {
        result: 'failure',
        output: `${get}context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
      };
    }
    return failed(error, get);
  } finally {
    clearTimeout(timer);
  }
}

function httpUrl({ scheme, host, port, path }: HttpProbe): string {
  return `${scheme}://${isIPv6(host) ? `[${host}]` : host}:${port}${path}`;
}

async function httpAttempt(probe: HttpProbe, url: URL, redirects: number, signal: AbortSignal): Promise<ProbeAttempt> {
  const response = await get(probe, url, signal);
  const status = response.statusCode ?? 0;
  const { location } = response.headers;
  if (status >= 300 && status < 400 && location !== undefined) {
    response.destroy();
    const next = new URL(location, url);
    // Another host's health is not this container's: as upstream, a success with a warning.
    if (next.hostname !== url.hostname) return { result: 'success', output: '', warning: 'Probe terminated redirects' };
    if (redirects + 1 > MAX_REDIRECTS) throw new Error(`stopped after ${MAX_REDIRECTS} redirects`);
    return httpAttempt(probe, next, redirects + 1, signal);
  }
  const body = await readBody(response);
  if (status >= 200 && status < 400) return { result: 'success', output: body };
  return { result: 'failure', output: `HTTP probe failed with statuscode: ${status}` };
}

function get(probe: HttpProbe, url: URL, signal: AbortSignal): Promise<IncomingMessage> {
  const headers: Record<string, string | string[]> = {};
  for (const { name, value } of probe.headers) {
    const known = headers[name];
    headers[name] = known === undefined ? value : [known, value].flat();
  }
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      headers: { connection: 'close', ...headers },
      // Each attempt is a connection of its own: a pooled one would probe the pool.
      agent: false,
      signal,
      rejectUnauthorized: false,
    });
    outgoing.on('response', resolve);
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** The beginning of the body; the rest is not wanted. */
async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= MAX_BODY_BYTES) break;
  }
  response.destroy();
  return Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES).toString('utf8');
}

function tcpAttempt(host: string, port: number, timeoutMs: number): Promise<ProbeAttempt> {
  const dial = `dial tcp ${isIPv6(host) ? `[${host}]` : host}:${port}: `;
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (attempt: ProbeAttempt): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(attempt);
    };
    const timer = setTimeout(() => end({ result: 'failure', output: `${dial}i/o timeout` }), timeoutMs);
    socket.on('connect', () => end({ result: 'success', output: '' }));
    socket.on('error', (error) => end(failed(error, '')));
  });
}

function failed(error: unknown, prefix: string): ProbeAttempt {
  const { code, address, port, message } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  const output = `${prefix}${address === undefined ? '' : `dial tcp ${address}:${port}: `}${systemText(code) ?? message}`;
  return { result: code !== undefined && OWN_TROUBLE.has(code) ? 'error' : 'failure', output };
}

function systemText(code: string | undefined): string | undefined {
  switch (code) {
    case 'ECONNREFUSED':
      return 'connect: connection refused';
    case 'EHOSTUNREACH':
      return 'connect: no route to host';
    case 'ENETUNREACH':
      return 'connect: network is unreachable';
    case 'ECONNRESET':
      return 'read: connection reset by peer';
    default:
      return undefined;
  }
}
