/**
 * A small server of the live page for development, with a cluster that is not there (fixture-feed.ts). It has no sessions: it is
 * for loopback and invented data alone. The rules for scripts and styles are those of the real one.
 *
 *   npm run page:fixture -- [PORT]        then open http://127.0.0.1:PORT/?rows=500&troubled=12&write=1&hostile=1&busy=1
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { ASSETS_PATH, BEAT_MS, pageAssets, type PageState, renderLogin, renderPage } from '../../src/page/index.ts';
import { fixtureBeat, fixtureDelta, fixtureLife, fixtureState, HOSTILE, seeded } from './fixture-feed.ts';
import { applied } from '../../src/page/feed.ts';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; " +
  "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
const BUSY_MS = 250;
const LOG_LINE_MS = 100;
const DEFAULT_PORT = 8_711;

let state: PageState = fixtureState({ rows: 14, now: Date.now(), troubled: 5, nodes: 4 });
let isBusy = false;

const server = createServer((request, response) => answer(request, response));
server.listen(Number(process.argv[2] ?? DEFAULT_PORT), '127.0.0.1', () => {
  const address = server.address();
  console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`);
});

function answer(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://fixture');
  response.setHeader('content-security-policy', POLICY);
  response.setHeader('x-content-type-options', 'nosniff');
  if (pathname === '/') sendPage(response, searchParams);
  else if (pathname === '/login-form') send(response, 'text/html; charset=utf-8', renderLogin());
  else if (pathname.startsWith(ASSETS_PATH)) sendAsset(response, pathname.slice(ASSETS_PATH.length));
  else if (pathname === '/stream') stream(response);
  else if (pathname === '/logs') logs(response, searchParams);
  else if (pathname === '/life') {
    const row = state.rows.find(({ id }) => id === searchParams.get('id'));
    if (row === undefined) refuse(response, 404, 'there is no such workload');
    else send(response, 'application/json', JSON.stringify(fixtureLife(row, Date.now())));
  } else if (pathname === '/rights') {
    const allowed = { allowed: true };
    const refused = { allowed: false, reason: 'ada@example.com cannot patch pods in this namespace' };
    send(
      response,
      'application/json',
      JSON.stringify({ restart: allowed, 'try-now': allowed, pause: refused, resume: refused }),
    );
  } else if (pathname === '/acts')
    setTimeout(
      () => send(response, 'application/json', JSON.stringify({ ok: true, words: 'it restarts, one pod at a time' })),
      400,
    );
  else if (pathname === '/login') refuse(response, 403, 'the link was used or is too old: ask for a new one');
  else refuse(response, 404, 'there is nothing here');
}

function sendPage(response: ServerResponse, query: URLSearchParams): void {
  const number = (name: string, otherwise: number): number => Number(query.get(name) ?? otherwise);
  isBusy = query.has('busy');
  state = fixtureState({
    rows: number('rows', 14),
    troubled: number('troubled', 6),
    nodes: number('nodes', 4),
    now: Date.now(),
    mayWrite: query.has('write'),
    isHostile: query.has('hostile'),
  });
  send(response, 'text/html; charset=utf-8', renderPage(state));
}

function sendAsset(response: ServerResponse, name: string): void {
  const asset = pageAssets().find((each) => each.name === name);
  if (asset === undefined) refuse(response, 404, 'there is no such file');
  else send(response, asset.type, gunzipSync(Buffer.from(asset.gzip, 'base64')));
}

function stream(response: ServerResponse): void {
  const random = seeded(5);
  response.setHeader('content-type', 'application/x-ndjson');
  response.write(`${JSON.stringify({ type: 'full', state: { ...state, at: Date.now() } })}\n`);
  const beat = setInterval(() => response.write(`${JSON.stringify(fixtureBeat(Date.now()))}\n`), BEAT_MS);
  const change = setInterval(() => {
    if (!isBusy) return;
    const delta = fixtureDelta(state, random, Date.now());
    state = applied(state, delta);
    response.write(`${JSON.stringify(delta)}\n`);
  }, BUSY_MS);
  response.on('close', () => {
    clearInterval(beat);
    clearInterval(change);
  });
}

function logs(response: ServerResponse, query: URLSearchParams): void {
  response.setHeader('content-type', 'text/plain; charset=utf-8');
  const texts = Object.values(HOSTILE);
  let count = 0;
  const line = (): void => {
    count += 1;
    response.write(
      `line ${count} of ${query.get('container')}: ${(texts[count % 40] ?? 'all is well').replaceAll('\n', ' ')}\n`,
    );
  };
  for (let index = 0; index < 300; index += 1) line();
  if (query.get('follow') !== 'true') {
    response.end();
    return;
  }
  const timer = setInterval(line, LOG_LINE_MS);
  response.on('close', () => clearInterval(timer));
}

function send(response: ServerResponse, type: string, body: string | Uint8Array): void {
  response.setHeader('content-type', type);
  response.end(body);
}

function refuse(response: ServerResponse, status: number, words: string): void {
  response.statusCode = status;
  send(response, 'application/json', JSON.stringify({ words }));
}
