/**
 * Port-forward for WebSocket clients. The tunnel (kubectl since 1.31): SPDY's bytes inside binary messages. The older form
 * (upstream: portforward/websocket.go): two channels a port, data and error, each beginning with the port's number.
 */
import {
  CLOSE_NORMAL,
  CLOSE_PROTOCOL_ERROR,
  type Clock,
  type DuplexStream,
  encodeWebSocketFrame,
  encodeText,
  errorMessage,
  holdBackPings,
  SpdySession,
  WebSocketConnection,
} from '../../lib/index.ts';
import { MAX_STATUS_BYTES } from './limits.ts';
import { ChannelReader, type ChannelProtocol, encodeChannel } from './streaming-channels.ts';
import { collector } from './streaming-exec.ts';

export interface PortTunnel {
  readonly clock: Clock;
  readonly client: DuplexStream;
  /** Upgraded to SPDY/3.1 with portforward.k8s.io. */
  readonly runtime: DuplexStream;
}

/** Resolves when the client is gone and the runtime's connection is closed. Never rejects. */
export async function tunnelPorts({ clock, client, runtime }: PortTunnel): Promise<void> {
  const socket = new WebSocketConnection(client, clock);
  const server = holdBackPings(runtime, clock);
  const output = (async () => {
    try {
      for await (const chunk of server.readable) await socket.send(encodeWebSocketFrame('binary', chunk));
    } catch {
      // Broken instead of ended: SPDY's own streams show that data is missing.
    }
    socket.close(CLOSE_NORMAL, '');
  })();
  let serverTakes = true;
  for await (const { payload } of socket.messages()) {
    if (!serverTakes || payload.length === 0) continue;
    await server.write(payload).catch(() => {
      serverTakes = false;
    });
  }
  server.destroy();
  socket.destroy();
  await output;
}

export interface PortTranslation extends PortTunnel {
  readonly protocol: ChannelProtocol;
  readonly ports: readonly number[];
}

/** Resolves when the client is gone and the runtime's connection is closed. Never rejects. */
export async function translatePorts(translation: PortTranslation): Promise<void> {
  const { clock, client, runtime, protocol, ports } = translation;
  const session = new SpdySession(holdBackPings(runtime, clock));
  const socket = new WebSocketConnection(client, clock);
  const send = (channel: number, payload: Uint8Array): Promise<void> =>
    socket.send(encodeChannel(protocol, channel, payload));
  /** Each port's data stream, while it takes something. */
  const inputs = ports.map(() => Promise.withResolvers<number | undefined>());
  const closed = new Set<number>();

  const forward = async (port: number, i: number): Promise<void> => {
    const [dataChannel, errorChannel] = [2 * i, 2 * i + 1];
    const headers = { port: String(port), requestid: String(i) };
    const failure = collector(MAX_STATUS_BYTES);
    const ended = Promise.withResolvers<void>();
    try {
      const [errorId, dataId] = await Promise.all([
        session.open({ streamtype: 'error', ...headers }, failure.sink),
        session.open(
          { streamtype: 'data', ...headers },
          { data: (payload) => send(dataChannel, payload), end: () => ended.resolve() },
        ),
      ]);
      inputs[i]?.resolve(dataId);
      // We say nothing there.
      await session.send(errorId, NOTHING, true);
      await ended.promise;
      closed.add(dataId);
      await session.send(dataId, NOTHING, true).catch(() => {});
      const { written } = await failure.all;
      if (written.length > 0) await send(errorChannel, written);
    } catch (error) {
      inputs[i]?.resolve(undefined);
      await send(errorChannel, encodeText(`error forwarding port ${port}: ${errorMessage(error)}`)).catch(() => {});
    }
  };

  const output = (async () => {
    const reading = session.run().catch(() => {});
    for (const [i, port] of ports.entries()) {
      for (const channel of [2 * i, 2 * i + 1]) await send(channel, portBytes(port)).catch(() => {});
    }
    await Promise.all(ports.map(forward));
    socket.close(CLOSE_NORMAL, '');
    session.destroy();
    await reading;
  })();

  const reader = new ChannelReader(protocol);
  for await (const piece of socket.messages()) {
    const input = reader.push(piece);
    if (input === undefined) continue;
    if (input.type !== 'data') {
      socket.close(CLOSE_PROTOCOL_ERROR, 'no such message');
      continue;
    }
    // Odd channels are for errors, which only the server sends.
    const id = input.channel % 2 === 0 ? await inputs[input.channel / 2]?.promise : undefined;
    if (id !== undefined && !closed.has(id)) await session.send(id, input.payload).catch(() => closed.add(id));
  }
  session.destroy();
  socket.destroy();
  await output;
}

const NOTHING = new Uint8Array(0);

/** Little-endian, as upstream. */
function portBytes(port: number): Uint8Array {
  return new Uint8Array([port & 0xff, port >>> 8]);
}
