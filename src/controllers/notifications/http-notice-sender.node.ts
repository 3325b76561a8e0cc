/**
 * Sends messages over HTTP to places that others name. The name is resolved once, each address is checked, and the connection goes
 * to exactly a checked address: an answer of the name server that changes in between changes nothing. No redirect is followed, no
 * proxy and no credential of this machine is used, certificates are verified, and time and answer are bounded.
 */
import * as http from 'node:http';
import * as https from 'node:https';
import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { orAborted, visibleLine } from '../../lib/index.ts';
import { maskSecrets, withoutKnown } from '../../log-analysis/index.ts';
import { MAX_ANSWER_BYTES, MAX_ANSWER_LENGTH, MAX_RETRY_AFTER_MS, SEND_TIMEOUT_MS } from './limits.ts';
import { createNameLookup, type NameLookup } from './name-lookup.node.ts';
import type { NoticeSender, OutgoingMessage, SendResult } from './notice-sender.ts';
import { addressProblem } from './target-address.ts';

export interface HttpNoticeSenderOptions {
  /** Ranges of addresses that an administrator allows beside those that are allowed anyway. */
  readonly allowed: readonly string[];
  readonly userAgent: string;
  /** Default: as the machine is set up. */
  readonly lookup?: NameLookup;
  /** ms; for tests. */
  readonly timeoutMs?: number;
  readonly connectTimeoutMs?: number;
}

const MAX_ADDRESSES = 3;
/** For a connection to an address that is not the last one. */
const CONNECT_TIMEOUT_MS = 2500;
const MAX_HEADER_BYTES = 16 * 1024;
/** For the rest of an answer whose status is known. */
const ANSWER_TIMEOUT_MS = 1000;

type Failure = Extract<SendResult, { readonly delivered: false }>;

export function createHttpNoticeSender(options: HttpNoticeSenderOptions): NoticeSender {
  const lookup = options.lookup ?? createNameLookup();
  return async (message, signal) => {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(options.timeoutMs ?? SEND_TIMEOUT_MS)]);
    const url = URL.parse(message.url);
    if (url === null) return failure('Refused', 'the address of the target is no URL');
    try {
      const addresses = await checkedAddresses(hostOf(url), lookup, options.allowed, deadline);
      if ('problem' in addresses) return addresses;
      return await sendToAny(addresses, url, message, { options, deadline });
    } catch (error) {
      return deadline.aborted ? late(url) : failure('Unreachable', `${hostOf(url)}: ${textOf(error)}`);
    }
  };
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

async function checkedAddresses(
  host: string,
  lookup: NameLookup,
  allowed: readonly string[],
  deadline: AbortSignal,
): Promise<readonly string[] | Failure> {
  const found = isIP(host) === 0 ? await resolved(host, lookup, deadline) : [host];
  if ('problem' in found) return found;
  const judged = found.map((address) => ({
    address,
    problem: addressProblem(address, allowed),
  }));
  const good = judged.filter(({ problem }) => problem === undefined).map(({ address }) => address);
  const [bad] = judged;
  if (good.length > 0) return good;
  if (bad === undefined) return failure('Unresolved', `the name ${host} has no address here`);
  const name = bad.address === host ? host : `${host} (${bad.address})`;
  return failure(
    'Refused',
    `${name} is ${bad.problem}: no message goes there unless an administrator allows it with --notification-allow`,
  );
}

async function resolved(host: string, lookup: NameLookup, deadline: AbortSignal): Promise<readonly string[] | Failure> {
  try {
    return await orAborted(lookup(host, deadline), deadline);
  } catch (error) {
    if (deadline.aborted) throw error;
    return failure('Unresolved', `the name ${host} cannot be resolved here: ${textOf(error)}`);
  }
}

interface Way {
  readonly options: HttpNoticeSenderOptions;
  readonly deadline: AbortSignal;
}

/** The next address is tried only if no connection came about: nothing was sent then. */
async function sendToAny(
  addresses: readonly string[],
  url: URL,
  message: OutgoingMessage,
  way: Way,
): Promise<SendResult> {
  let last: unknown;
  const tried = addresses.slice(0, MAX_ADDRESSES);
  for (const address of tried) {
    try {
      return await post(address, url, message, { ...way, isLast: address === tried.at(-1) });
    } catch (error) {
      last = error;
      if (way.deadline.aborted || !isNotConnected(error)) break;
    }
  }
  return way.deadline.aborted ? late(url) : failure('Unreachable', `${hostOf(url)}: ${textOf(last)}`);
}

function post(
  address: string,
  url: URL,
  message: OutgoingMessage,
  { options, deadline, isLast }: Way & { readonly isLast: boolean },
): Promise<SendResult> {
  const { promise, resolve, reject } = Promise.withResolvers<SendResult>();
  const body = Buffer.from(message.body);
  const isTls = url.protocol === 'https:';
  const request = (isTls ? https : http).request({
    host: address,
    port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    method: 'POST',
    headers: {
      'user-agent': options.userAgent,
      accept: '*/*',
      ...message.headers,
      host: url.host,
      'accept-encoding': 'identity',
      'content-length': String(body.length),
      connection: 'close',
    },
    agent: false,
    setHost: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    signal: deadline,
    ...(isTls ? tlsOptions(hostOf(url), message.authorityPem) : {}),
  });
  request.on('error', reject);
  if (!isLast) giveUpConnecting(request, options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS);
  request.on('response', (response) =>
    readAnswer(response, (text, isWhole) =>
      resolve(resultOf(response, withoutSecrets(text, isWhole, message.secrets))),
    ),
  );
  // Nobody asked for another protocol.
  request.on('upgrade', (_, socket) => {
    socket.destroy();
    resolve(failure('Answered', 'the target answered 101 Switching Protocols'));
  });
  request.end(body);
  return promise;
}

/** An address that packets vanish on their way to leaves time for the next one. */
function giveUpConnecting(request: http.ClientRequest, ms: number): void {
  const error = Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT', syscall: 'connect' });
  const timer = setTimeout(() => request.destroy(error), ms);
  const stop = (): void => clearTimeout(timer);
  request.once('socket', (socket) => socket.once('connect', stop));
  request.once('close', stop);
}

function tlsOptions(host: string, authorityPem: string | undefined): https.RequestOptions {
  return {
    rejectUnauthorized: true,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    checkServerIdentity: (_: string, certificate: PeerCertificate) => checkServerIdentity(host, certificate),
    ...(authorityPem === undefined ? {} : { ca: authorityPem }),
  };
}

/** The beginning of an answer, or what came in time: its status is known already. */
function readAnswer(response: http.IncomingMessage, done: (text: string, isWhole: boolean) => void): void {
  const chunks: Buffer[] = [];
  let length = 0;
  const end = (): void => {
    clearTimeout(timer);
    response.destroy();
    done(Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES).toString('utf8'), response.complete);
  };
  const timer = setTimeout(end, ANSWER_TIMEOUT_MS);
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= MAX_ANSWER_BYTES) end();
  });
  response.once('end', end);
  response.once('error', end);
}

/** An answer that was cut off may end with the beginning of a secret, which nothing would recognize. */
function withoutSecrets(text: string, isWhole: boolean, secrets: readonly string[]): string {
  const masked = withoutKnown(text, secrets);
  if (isWhole && text.length < MAX_ANSWER_BYTES) return masked;
  const longest = secrets.reduce((most, { length }) => Math.max(most, length), 0);
  return masked.slice(0, Math.max(0, masked.length - longest));
}

function resultOf({ statusCode: status = 0, headers }: http.IncomingMessage, text: string): SendResult {
  const excerpt = maskSecrets(visibleLine(text)).slice(0, MAX_ANSWER_LENGTH);
  const answer = `${status} ${http.STATUS_CODES[status] ?? ''}`.trim();
  const full = excerpt === '' ? answer : `${answer}: ${excerpt}`;
  if (status >= 200 && status < 300) return { delivered: true, answer: full };
  if (status >= 300 && status < 400)
    return failure('Answered', `the target answered ${answer}, and redirects are not followed`);
  const retryAfterMs = retryAfterOf(headers['retry-after'], headers.date);
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  return { ...failure('Answered', `the target answered ${full}`), ...wait };
}

/** Seconds, or a date by the target's own clock (RFC 9110, 10.2.3), in ms. Undefined: neither. */
function retryAfterOf(text: string | undefined, date: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, MAX_RETRY_AFTER_MS);
  const [at, now] = [HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN, Date.parse(date ?? '')];
  return Number.isNaN(at)
    ? undefined
    : Math.min(Math.max(0, at - (Number.isNaN(now) ? Date.now() : now)), MAX_RETRY_AFTER_MS);
}

/** "Tue, 24 Nov 2026 03:33:26 GMT" */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

function late(url: URL): Failure {
  return failure('TimedOut', `${hostOf(url)} did not answer in time`);
}

function failure(reason: Failure['reason'], problem: string): Failure {
  return { delivered: false, reason, problem };
}

function isNotConnected(error: unknown): boolean {
  const { syscall } = error as { readonly syscall?: string };
  return syscall === 'connect';
}

function textOf(error: unknown): string {
  const { message = 'unknown error', code } = error as { readonly message?: string; readonly code?: string };
  const words = code === 'ECONNREFUSED' ? 'connection refused' : message;
  return visibleLine(words).slice(0, MAX_ANSWER_LENGTH);
}
