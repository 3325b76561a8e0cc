/** HTTP, TCP and gRPC probes over the network, each on a connection of its own, as upstream makes them (pkg/probe). */
import * as http from 'node:http';
import * as https from 'node:https';
import { connect } from 'node:net';
import { type Clock, concatBytes, decodeText } from '../lib/index.ts';
import { probeGrpc } from './grpc-probe.node.ts';
import type { ProbeAttempt, ProbeTransport } from './ports.ts';
import { dialErrorText, exchangeErrorText, joinHostPort } from './probes/dial-error.ts';

/** Upstream's maxRespBodyLength: more is neither read nor kept. */
const MAX_BODY_BYTES = 10 * 1024;
/** Upstream reads up to 10 MiB. */
const MAX_HEADER_BYTES = 1024 * 1024;
/** As documented: with the 11th redirect the probe counts as a success with a warning. */
const MAX_REDIRECTS = 10;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

type HttpTarget = Parameters<ProbeTransport['http']>[0];

/** The result of one request. */
type Answer =
  | { readonly kind: 'answer'; readonly status: number; readonly location: string | undefined; readonly body: string }
  | { readonly kind: 'failed'; readonly output: string };

/** One deadline over all redirects of a probe. */
class Deadline {
  readonly #timer: { cancel(): void };
  #isOver = false;
  #onOver: () => void = () => {};

  constructor(clock: Clock, timeoutMs: number) {
    this.#timer = clock.setTimer(timeoutMs, () => {
      this.#isOver = true;
      this.#onOver();
    });
  }

  /** Calls `act` when the time is over: now, or later. Replaces the one before. */
  whenOver(act: () => void): void {
    if (this.#isOver) act();
    else this.#onOver = act;
  }

  cancel(): void {
    this.#timer.cancel();
  }
}

/** Several headers of one name are sent as several. */
function headerMap(headers: HttpTarget['headers']): Record<string, string | string[]> {
  const map = new Map<string, { name: string; values: string[] }>();
  for (const { name, value } of headers) {
    const known = map.get(name.toLowerCase());
    if (known === undefined) map.set(name.toLowerCase(), { name, values: [value] });
    else known.values.push(value);
  }
  // One value as a text: Node takes no list for Host.
  return Object.fromEntries(
    [...map.values()].map(({ name, values }) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  );
}

/** A request line takes printable ASCII only. */
function escapePath(path: string): string {
  return path.replaceAll(/[^\x21-\x7e]/gu, (char) => encodeURIComponent(char.isWellFormed() ? char : '\ufffd'));
}

/** The start of the body; past the limit the connection is closed, and what was read counts. */
function readBody(response: http.IncomingMessage, done: (body: string) => void): void {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const finish = (): void => done(decodeText(concatBytes(chunks)));
  response.on('data', (chunk: Uint8Array) => {
    const kept = chunk.subarray(0, MAX_BODY_BYTES - length);
    chunks.push(kept);
    length += kept.length;
    if (length < MAX_BODY_BYTES) return;
    finish();
    response.destroy();
  });
  response.on('end', finish);
}

/** One GET. The error texts are those of Go's http.Client. */
function exchange(url: URL, path: string, target: HttpTarget, deadline: Deadline): Promise<Answer> {
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const shown = `Get "${url.protocol}//${joinHostPort(host, port)}${path}"`;
  return new Promise((resolve) => {
    const fail = (reason: string): void => resolve({ kind: 'failed', output: `${shown}: ${reason}` });
    const options: https.RequestOptions = {
      method: 'GET',
      host,
      port,
      path,
      headers: headerMap(target.headers),
      agent: false,
      rejectUnauthorized: false,
      // As lenient as Go's reader: a header may end with LF alone, as CGI scripts write it. Only the probe reads the answer.
      insecureHTTPParser: true,
      maxHeaderSize: MAX_HEADER_BYTES,
    };
    let request: http.ClientRequest;
    try {
      request = url.protocol === 'https:' ? https.request(options) : http.request(options);
    } catch (error) {
      // A header or path that cannot be sent.
      fail(error instanceof Error ? error.message : String(error));
      return;
    }
    let isConnected = false;
    let isSecure = url.protocol !== 'https:';
    let isAnswered = false;
    request.on('socket', (socket) => {
      socket.once('connect', () => (isConnected = true));
      socket.once('secureConnect', () => (isSecure = true));
    });
    request.on('error', (error) =>
      fail(isConnected ? exchangeErrorText(error, host, port) : dialErrorText(error, host, port)),
    );
    request.on('response', (response) => {
      isAnswered = true;
      const { statusCode: status = 0 } = response;
      response.on('error', (error) => fail(exchangeErrorText(error, host, port)));
      readBody(response, (body) => resolve({ kind: 'answer', status, location: response.headers.location, body }));
    });
    deadline.whenOver(() => {
      // A server of plain HTTP may wait for the rest of what it takes for a request.
      if (isConnected && !isSecure) fail('net/http: TLS handshake timeout');
      const where = `dial tcp ${joinHostPort(host, port)}: i/o timeout`;
      const what = isConnected ? 'context deadline exceeded' : where;
      fail(
        isAnswered
          ? 'context deadline exceeded (Client.Timeout or context cancellation while reading body)'
          : `${what} (Client.Timeout exceeded while awaiting headers)`,
      );
      request.destroy();
    });
    request.end();
  });
}

function verdict(status: number, body: string): ProbeAttempt {
  if (status >= 200 && status < 300) return { result: 'success', output: body };
  if (status >= 300 && status < 400) {
    return { result: 'success', output: body, warning: `Probe terminated redirects, Response body: ${body}` };
  }
  return { result: 'failure', output: `HTTP probe failed with statuscode: ${status}` };
}

/** The target of a redirect, if it stays on the same host. */
function localTarget(location: string, from: URL): URL | undefined {
  const to = URL.parse(location, from.href);
  const isHttp = to?.protocol === 'http:' || to?.protocol === 'https:';
  return to !== null && isHttp && to.hostname === from.hostname ? to : undefined;
}

async function probeHttp(clock: Clock, target: HttpTarget): Promise<ProbeAttempt> {
  const origin = URL.parse(`${target.scheme}://${joinHostPort(target.host, target.port)}`);
  if (origin === null) return { result: 'error', output: `invalid host: ${target.host}` };
  const deadline = new Deadline(clock, target.timeoutMs);
  try {
    let url = origin;
    let path = escapePath(target.path);
    for (let redirects = 0; ; redirects++) {
      const answer = await exchange(url, path, target, deadline);
      if (answer.kind === 'failed') return { result: 'failure', output: answer.output };
      const { status, location, body } = answer;
      if (!REDIRECTS.has(status) || location === undefined || redirects === MAX_REDIRECTS) return verdict(status, body);
      const next = localTarget(location, new URL(path, url));
      if (next === undefined) return verdict(status, body);
      url = next;
      path = next.pathname + next.search;
    }
  } finally {
    deadline.cancel();
  }
}

function probeTcp(clock: Clock, host: string, port: number, timeoutMs: number): Promise<ProbeAttempt> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const finish = (attempt: ProbeAttempt): void => {
      timer.cancel();
      socket.destroy();
      resolve(attempt);
    };
    const timer = clock.setTimer(timeoutMs, () =>
      finish({ result: 'failure', output: `dial tcp ${joinHostPort(host, port)}: i/o timeout` }),
    );
    socket.on('connect', () => finish({ result: 'success', output: '' }));
    socket.on('error', (error) => finish({ result: 'failure', output: dialErrorText(error, host, port) }));
  });
}

/** Probes from this process. HTTPS is not verified; a redirect to another host is a success with a warning. */
export function createProbeTransport({ clock }: { readonly clock: Clock }): ProbeTransport {
  return {
    http: (target) => probeHttp(clock, target),
    tcp: ({ host, port, timeoutMs }) => probeTcp(clock, host, port, timeoutMs),
    grpc: (target) => probeGrpc(clock, target),
  };
}
