/**
 * Measures the DNS server alone: queries a second for each core that it uses, and how long one takes. The server runs in a
 * process of its own on real sockets, with as many services as asked for; the client sends raw packets from this process.
 *
 * node test/bench/services/dns.ts [--services 1000] [--seconds 5]
 */
import { fork } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { queryPacket, readAnswer } from '../../../src/network/dns/dns.fixtures.ts';
import { TYPE } from '../../../src/network/dns/codec/wire.ts';
import { percentile } from '../figures.ts';

const { values } = parseArgs({
  options: { services: { type: 'string', default: '1000' }, seconds: { type: 'string', default: '5' } },
});
const services = Number(values.services);
const seconds = Number(values.seconds);
/** Queries under way at a time while throughput is measured: as many as a busy node has. */
const WINDOW = 64;
const SINGLE_QUERIES = 5000;
const SEED = 12;

const server = fork(new URL('dns-server-process.ts', import.meta.url), [String(services)]);
const next = async <T>(): Promise<T> => (await once(server, 'message'))[0] as T;
const { port } = await next<{ port: number }>();
const cpuSeconds = async (): Promise<number> => {
  server.send('cpu');
  return (await next<{ cpuSeconds: number }>()).cpuSeconds;
};

const socket = createSocket('udp4');
socket.bind(0, '127.0.0.1');
await once(socket, 'listening');
socket.connect(port, '127.0.0.1');
await once(socket, 'connect');

// The same names in the same order each time: a linear congruential generator.
let state = SEED;
const pick = (): number => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) % services;
const packets = Array.from({ length: 4096 }, (_, id) => {
  const headless = id % 4 === 0;
  const name = `${headless ? 'peers' : 'svc'}-${pick()}.default.svc.cluster.local`;
  return queryPacket(name, id % 8 === 1 ? TYPE.AAAA : TYPE.A, { id });
});

const begunAt = new Map<number, number>();
const times: number[] = [];
let answered = 0;
let onAnswer = (): void => {};
socket.on('message', (packet) => {
  const id = packet.readUInt16BE(0);
  const at = begunAt.get(id);
  if (at === undefined) return;
  begunAt.delete(id);
  times.push(performance.now() - at);
  if (answered++ === 0 && readAnswer(packet).code !== 'NOERROR') throw new Error('the server has no such service');
  onAnswer();
});
let sent = 0;
const send = (): void => {
  const id = sent++ % packets.length;
  begunAt.set(id, performance.now());
  socket.send(packets[id]!);
};

// One at a time: what one lookup takes.
for (let round = 0; round < SINGLE_QUERIES; round++) {
  const done = new Promise<void>((resolve) => (onAnswer = resolve));
  send();
  await done;
}
const single = times.splice(0).slice(SINGLE_QUERIES / 5);

onAnswer = send;
const [cpuBefore, answeredBefore, startedAt] = [await cpuSeconds(), answered, performance.now()];
for (let open = 0; open < WINDOW; open++) send();
await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
onAnswer = () => {};
const tookSeconds = (performance.now() - startedAt) / 1000;
const queries = answered - answeredBefore;
const usedSeconds = (await cpuSeconds()) - cpuBefore;
server.kill();
socket.close();

console.log(
  `DNS with ${services} services of one ClusterIP and ${services} headless ones of three pods, ${process.version}`,
);
console.log(
  `  one query at a time (${single.length}): p50 ${percentile(single, 0.5).toFixed(3)} ms, p99 ${percentile(single, 0.99).toFixed(3)} ms`,
);
console.log(
  `  ${WINDOW} at a time for ${tookSeconds.toFixed(1)} s: ${Math.round(queries / tookSeconds)} queries a second beside their client,`,
);
console.log(
  `    ${Math.round(queries / usedSeconds)} for each second of CPU that the server used (${((usedSeconds / queries) * 1e6).toFixed(1)} µs each)`,
);
