/**
 * How long after its object a name is answered: Services of both kinds are created one by one while a client asks this node for
 * their names all the time. A Service with a cluster IP is answered once it is there, a headless one once it has an endpoint.
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Mendlet } from '../../e2e/harness.ts';
import { queryPacket, readAnswer } from '../../../src/network/dns/dns.fixtures.ts';
import { TYPE } from '../../../src/network/dns/codec/wire.ts';
import { percentile } from '../figures.ts';

const NAMES = 100;
const ASK_EVERY_MS = 2;
const DNS_PORT = 53;

/** @returns ms from the server's answer to the creation until the first answer with an address, one for each name */
export async function nameFigures(mendlet: Mendlet, server: string): Promise<readonly number[]> {
  const socket = createSocket('udp4');
  socket.connect(DNS_PORT, server);
  await once(socket, 'connect');
  try {
    const ms: number[] = [];
    for (let at = 0; at < NAMES; at++) {
      const name = `named-${at}`;
      const answered = untilAnswered(socket, `${name}.default.svc.cluster.local`, at);
      // The client has been told by now that there is no such name.
      await sleep(20);
      const isHeadless = at % 2 === 1;
      await mendlet.create({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name },
        spec: { ports: [{ port: 80 }], ...(isHeadless && { clusterIP: 'None' }) },
      });
      if (isHeadless) await mendlet.create(sliceOf(name));
      const readyAt = performance.now();
      ms.push(Math.max(0, (await answered) - readyAt));
    }
    return ms;
  } finally {
    socket.close();
  }
}

function sliceOf(name: string): object {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports: [{ name: '', port: 80, protocol: 'TCP' }],
    endpoints: [{ addresses: ['198.51.100.7'], conditions: { ready: true } }],
  };
}

/** @returns when the first answer with an address came */
function untilAnswered(socket: Socket, name: string, id: number): Promise<number> {
  return new Promise((resolve) => {
    const packet = queryPacket(name, TYPE.A, { id });
    const timer = setInterval(() => socket.send(packet), ASK_EVERY_MS);
    const onMessage = (answer: Buffer): void => {
      if (answer.readUInt16BE(0) !== id || readAnswer(answer).answers.length === 0) return;
      clearInterval(timer);
      socket.off('message', onMessage);
      resolve(performance.now());
    };
    socket.on('message', onMessage);
  });
}

export function nameLine(ms: readonly number[]): string {
  const part = (p: number): string => `${percentile(ms, p).toFixed(0)} ms`;
  return `a name's object → its answer       p50 ${part(0.5)}  p99 ${part(0.99)}  n ${ms.length} (goal p99 ≤ 100 ms)`;
}
