/** What tests do in the network of another machine or pod: a program that they start there with nsenter. Its output is JSON. */
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { connect } from 'node:net';
import { ConnectionLoad, type LoadOptions } from './connection-load.ts';

/** Ends a hang; an answer takes some milliseconds. */
const TIMEOUT_MS = 3000;
const BEAT_MS = 100;

const tell = (value: unknown): void => {
  process.stdout.write(`${JSON.stringify(value)}\n`);
};

/** What a request of HTTP/1.0 is answered: the body, or "failed: " and why. */
export function ask(host: string, port: number, path = '/'): Promise<string> {
  return new Promise((done) => {
    let text = '';
    const socket = connect({ host, port, timeout: TIMEOUT_MS }, () => socket.write(`GET ${path} HTTP/1.0\r\n\r\n`));
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('timeout', () => socket.destroy(new Error('timeout')));
    socket.on('error', (error: NodeJS.ErrnoException) => done(`failed: ${error.code ?? error.message}`));
    socket.on('close', () => done(text.split(/\r?\n\r?\n/)[1]?.trim() ?? `failed: ${text.length} bytes`));
  });
}

/** What a datagram from a new port is answered. */
function askByUdp(host: string, port: number): Promise<string> {
  const socket = createSocket('udp4');
  return new Promise<string>((done) => {
    setTimeout(() => done('failed: timeout'), TIMEOUT_MS).unref();
    socket.on('message', (message) => done(message.toString()));
    socket.on('error', (error) => done(`failed: ${error.message}`));
    socket.connect(port, host, () => socket.send('who are you?', () => {}));
  }).finally(() => socket.close());
}

/** Answers each datagram with `name`, until it is killed. */
function answerByUdp(port: number, name: string): void {
  const socket = createSocket('udp4');
  socket.on('message', (_, from) => socket.send(name, from.port, from.address));
  socket.bind(port, () => tell('listening'));
}

/** Keeps one connection, on which it goes on sending, and says how that ends. */
function hold(host: string, port: number): void {
  const socket = connect({ host, port }, () => {
    tell('connected');
    setInterval(() => socket.write('?'), BEAT_MS).unref();
  });
  socket.on('error', (error: NodeJS.ErrnoException) => tell(`ended: ${error.code}`));
  socket.on('end', () => tell('ended: by the server'));
  socket.on('close', () => process.exit());
}

/** Sends requests until SIGTERM. */
function load(options: LoadOptions): void {
  const running = new ConnectionLoad(options);
  process.on('SIGTERM', () => {
    void running.stop().then(({ sent, failures, answers }) => {
      tell({ sent, failures, answers: [...answers] });
      process.exit();
    });
  });
  tell('started');
}

/** Asks so many times, one after another. @returns each answer once, in order */
export async function distinct(ask: () => Promise<string>, count: number): Promise<readonly string[]> {
  const answers = new Set<string>();
  for (let at = 0; at < count; at++) answers.add(await ask());
  return [...answers].toSorted();
}

async function resolve(server: string, name: string): Promise<readonly string[] | string> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 2 });
  resolver.setServers([server]);
  try {
    return (await resolver.resolve4(name)).toSorted();
  } catch (error) {
    return `failed: ${(error as NodeJS.ErrnoException).code}`;
  }
}

async function main([verb, host = '', port = '', more]: readonly string[]): Promise<void> {
  switch (verb) {
    case 'ask':
      return tell(await distinct(() => ask(host, Number(port)), Number(more)));
    case 'ask-udp':
      return tell(await distinct(() => askByUdp(host, Number(port)), Number(more)));
    case 'answer-udp':
      return answerByUdp(Number(port), host);
    case 'hold':
      return hold(host, Number(port));
    case 'load':
      return load(JSON.parse(host) as LoadOptions);
    case 'resolve':
      return tell(await resolve(host, port));
    case undefined:
    default:
      throw new Error(`no such verb: ${verb}`);
  }
}

if (import.meta.filename === process.argv[1]) await main(process.argv.slice(2));
