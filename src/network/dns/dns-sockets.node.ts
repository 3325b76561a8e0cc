/** The DNS over UDP and TCP sockets of this machine. */
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { connect, createServer, isIPv6, type Server, type Socket } from 'node:net';
import type { Logger } from '../../lib/index.ts';
import type { DnsSockets, Exchange, ListenResult, PacketHandler, ServerAddress } from './dns-sockets.ts';
import { TcpFrames, tcpFrame } from './tcp-frames.ts';
import {
  MAX_TCP_BACKLOG_BYTES,
  MAX_TCP_CONNECTIONS,
  MAX_TCP_CONNECTIONS_PER_CLIENT,
  MAX_TCP_OPEN_QUERIES,
  RECEIVE_BUFFER_BYTES,
  TCP_IDLE_MS,
} from './limits.ts';

type Lookup = (
  name: string,
  options: unknown,
  done: (error: Error | null, address: string, family: number) => void,
) => void;

/** Addresses are numbers already: asking for them would cost a turn of the loop for each packet. */
const noLookup: Lookup = (address, _options, done) => done(null, address, isIPv6(address) ? 6 : 4);

/** @param logger is told of errors of open sockets */
export function openDnsSockets(logger: Logger): DnsSockets {
  return {
    listen: (at, handler) => listen(at, handler, logger),
    exchange: (exchange) => (exchange.transport === 'udp' ? exchangeByUdp(exchange) : exchangeByTcp(exchange)),
  };
}

async function listen(at: ServerAddress, handler: PacketHandler, logger: Logger): Promise<ListenResult> {
  const udp = createSocket({ type: 'udp4', lookup: noLookup });
  const tcp = createServer();
  // First of all: what comes before there is a handler is lost.
  serveUdp(udp, handler);
  const connections = serveTcp(tcp, handler);
  try {
    await bound(udp, (done) => udp.bind({ ...at, exclusive: true }, done));
    await bound(tcp, (done) => tcp.listen({ host: at.address, port: at.port, exclusive: true }, done));
  } catch (error) {
    await Promise.all([closedUdp(udp), closedTcp(tcp)]);
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? 'in-use' : code === 'EADDRNOTAVAIL' ? 'no-address' : 'other';
    return { ok: false, reason, message };
  }
  try {
    // Bursts wait here while the loop is busy; the kernel gives what it allows.
    udp.setRecvBufferSize(RECEIVE_BUFFER_BYTES);
  } catch {
    // The kernel's own size serves, too.
  }
  udp.on('error', (error) => logger.warn('the UDP socket of DNS has an error', { error }));
  tcp.on('error', (error) => logger.warn('the TCP socket of DNS has an error', { error }));
  const close = async (): Promise<void> => {
    for (const connection of connections) connection.destroy();
    await Promise.all([closedUdp(udp), closedTcp(tcp)]);
  };
  return { ok: true, server: { close } };
}

/** Resolves once it listens; rejects with why it cannot. */
async function bound(socket: UdpSocket | Server, begin: (done: () => void) => void): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    begin(() => {
      socket.off('error', reject);
      resolve();
    });
  });
}

function closedUdp(socket: UdpSocket): Promise<void> {
  return new Promise((resolve) => {
    try {
      socket.close(() => resolve());
    } catch {
      // It never was open.
      resolve();
    }
  });
}

function closedTcp(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

function serveUdp(socket: UdpSocket, handler: PacketHandler): void {
  let closed = false;
  socket.on('close', () => {
    closed = true;
  });
  socket.on('message', (packet, { address, port }) => {
    handler(packet, { address, transport: 'udp' }, (answer) => {
      if (closed) return;
      // A client that is gone needs no answer, and a full buffer is as good as a lost packet.
      socket.send(answer, 0, answer.length, port, address, () => {});
    });
  });
}

/** @returns the open connections */
function serveTcp(server: Server, handler: PacketHandler): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  const perClient = new Map<string, number>();
  server.on('connection', (socket) => {
    const client = socket.remoteAddress ?? '';
    const count = perClient.get(client) ?? 0;
    socket.on('error', () => socket.destroy());
    if (open.size >= MAX_TCP_CONNECTIONS || count >= MAX_TCP_CONNECTIONS_PER_CLIENT) {
      socket.destroy();
      return;
    }
    open.add(socket);
    perClient.set(client, count + 1);
    socket.on('close', () => {
      open.delete(socket);
      const left = (perClient.get(client) ?? 1) - 1;
      if (left > 0) perClient.set(client, left);
      else perClient.delete(client);
    });
    serveConnection(socket, client, handler);
  });
  return open;
}

/** Queries may follow each other without waiting, and answers come in any order (RFC 7766). */
function serveConnection(socket: Socket, client: string, handler: PacketHandler): void {
  const frames = new TcpFrames();
  let unanswered = 0;
  const work = (): void => {
    while (unanswered < MAX_TCP_OPEN_QUERIES && !socket.destroyed) {
      const packet = frames.next();
      if (packet === undefined) break;
      unanswered += 1;
      let answered = false;
      handler(packet, { address: client, transport: 'tcp' }, (answer) => {
        if (answered) return;
        answered = true;
        unanswered -= 1;
        if (socket.destroyed) return;
        socket.write(tcpFrame(answer));
        // It asks and does not read.
        if (socket.writableLength > MAX_TCP_BACKLOG_BYTES) socket.destroy();
        if (socket.isPaused()) queueMicrotask(work);
      });
    }
    if (unanswered >= MAX_TCP_OPEN_QUERIES) socket.pause();
    else if (socket.isPaused()) socket.resume();
  };
  socket.setTimeout(TCP_IDLE_MS, () => socket.destroy());
  socket.setNoDelay(true);
  socket.on('data', (chunk: Buffer) => {
    frames.push(chunk);
    work();
  });
}

function exchangeByUdp({ server, packet, accept, signal }: Exchange): Promise<Uint8Array | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket({ type: isIPv6(server.address) ? 'udp6' : 'udp4', lookup: noLookup });
    let ended = false;
    const end = (result: Uint8Array | undefined): void => {
      if (ended) return;
      ended = true;
      signal.removeEventListener('abort', onAbort);
      resolve(result);
      void closedUdp(socket);
    };
    const onAbort = (): void => end(undefined);
    if (signal.aborted) {
      end(undefined);
      return;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    socket.on('error', () => end(undefined));
    socket.on('message', (answer) => {
      if (accept(answer)) end(answer);
    });
    // Connected: the kernel drops what others send, and says when nobody listens there.
    socket.connect(server.port, server.address, (error?: Error) => {
      if (error !== undefined) end(undefined);
      // A closed socket throws, and nobody would catch that.
      else if (!ended) socket.send(packet);
    });
  });
}

function exchangeByTcp({ server, packet, accept, signal }: Exchange): Promise<Uint8Array | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: server.address, port: server.port });
    const frames = new TcpFrames();
    const end = (result: Uint8Array | undefined): void => {
      signal.removeEventListener('abort', onAbort);
      resolve(result);
      socket.destroy();
    };
    const onAbort = (): void => end(undefined);
    if (signal.aborted) {
      end(undefined);
      return;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    socket.on('error', () => end(undefined));
    socket.on('close', () => end(undefined));
    socket.on('data', (chunk: Buffer) => {
      frames.push(chunk);
      for (let answer = frames.next(); answer !== undefined; answer = frames.next()) if (accept(answer)) end(answer);
    });
    socket.on('connect', () => socket.write(tcpFrame(packet)));
  });
}
