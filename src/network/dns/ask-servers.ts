/** Asks servers one after another until one answers: the next comes in when the one before is late, which may answer still. */
import { childController, type Clock, type Random } from '../../lib/index.ts';
import { decodeAnswer } from './codec/decode-answer.ts';
import type { Query } from './codec/decode-query.ts';
import { encodeQuery } from './codec/encode-query.ts';
import { nameKey } from './codec/name.ts';
import { FLAG, RCODE, uint16At } from './codec/wire.ts';
import type { DnsMetrics } from './dns-metrics.ts';
import type { DnsSockets, ServerAddress } from './dns-sockets.ts';
import { FORWARD_PATIENCE_MS, MAX_ATTEMPTS, NEXT_SERVER_MS } from './limits.ts';
import type { ServerHealth } from './server-health.ts';

export interface AskPorts {
  readonly sockets: DnsSockets;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: DnsMetrics;
  readonly health: ServerHealth;
}

/** @returns the first good answer, else the last bad one; undefined: nobody answered in time */
export function askServers(
  ports: AskPorts,
  servers: readonly ServerAddress[],
  query: Query,
  parent: AbortSignal,
): Promise<Uint8Array | undefined> {
  const { promise, resolve } = Promise.withResolvers<Uint8Array | undefined>();
  const child = childController(parent);
  const rounds = servers.length === 0 ? 0 : Math.ceil(MAX_ATTEMPTS / servers.length);
  const attempts = Array.from({ length: rounds }, () => servers)
    .flat()
    .slice(0, MAX_ATTEMPTS);
  let begun = 0;
  let open = 0;
  let bad: Uint8Array | undefined;
  let timer = { cancel: (): void => {} };
  const end = (packet: Uint8Array | undefined): void => {
    timer.cancel();
    limit.cancel();
    child.release();
    child.controller.abort();
    resolve(packet);
  };
  const launch = (): void => {
    const server = attempts[begun];
    if (server === undefined) {
      if (open === 0) end(bad);
      return;
    }
    begun += 1;
    open += 1;
    timer.cancel();
    timer = ports.clock.setTimer(NEXT_SERVER_MS, () => {
      ports.health.wasSilent(server);
      launch();
    });
    void askServer(ports, server, query, child.controller.signal).then((packet) => {
      open -= 1;
      if (child.controller.signal.aborted) return;
      if (packet !== undefined && isGood(packet)) {
        end(packet);
        return;
      }
      bad = packet ?? bad;
      if (packet === undefined) ports.health.wasSilent(server);
      // All have failed once: asking on at once would only be a storm.
      if (begun >= servers.length && open === 0) end(bad);
      else if (begun < servers.length) launch();
    });
  };
  const limit = ports.clock.setTimer(FORWARD_PATIENCE_MS, () => end(bad));
  if (parent.aborted) end(undefined);
  else launch();
  return promise;
}

/** By UDP, and by TCP if the answer does not fit. */
async function askServer(
  ports: AskPorts,
  server: ServerAddress,
  query: Query,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const { sockets, clock, random, metrics, health } = ports;
  const id = Math.floor(random.next() * 65_536);
  const packet = encodeQuery(query, id);
  const accept = (answer: Uint8Array): boolean => isAnswerTo(answer, id, query);
  const begunAt = clock.now().mono;
  const byUdp = await sockets.exchange({ server, transport: 'udp', packet, accept, signal });
  const truncated = byUdp !== undefined && (uint16At(byUdp, 2) & FLAG.TRUNCATED) !== 0;
  const byTcp = truncated ? await sockets.exchange({ server, transport: 'tcp', packet, accept, signal }) : undefined;
  const answer = byTcp ?? byUdp;
  if (signal.aborted && answer === undefined) return undefined;
  if (answer !== undefined) health.answered(server);
  metrics.forwarded(server, answer === undefined ? undefined : uint16At(answer, 2) & 0x0f, clock.now().mono - begunAt);
  return answer;
}

/** What a stranger who guesses must guess: the id and the question, besides the port. */
function isAnswerTo(packet: Uint8Array, id: number, query: Query): boolean {
  const answer = decodeAnswer(packet);
  if (answer === undefined || answer.id !== id) return false;
  return answer.type === query.type && nameKey(answer.name) === nameKey(query.name);
}

function isGood(packet: Uint8Array): boolean {
  const code = uint16At(packet, 2) & 0x0f;
  return code === RCODE.NOERROR || code === RCODE.NXDOMAIN;
}
