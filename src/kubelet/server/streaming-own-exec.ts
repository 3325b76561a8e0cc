/** exec for a WebSocket client, with a command whose streams mendlet holds itself. */
import type { ExecSession } from '../../cri/index.ts';
import {
  CLOSE_NORMAL,
  CLOSE_PROTOCOL_ERROR,
  type Clock,
  type DuplexStream,
  errorMessage,
  WebSocketConnection,
} from '../../lib/index.ts';
import { CHANNELS, ChannelReader, type ChannelProtocol, encodeChannel } from './streaming-channels.ts';
import type { ExecStreams } from './streaming-exec.ts';
import { failureForClient, statusForClient, statusOfExit } from './streaming-status.ts';
import { TerminalSizeReader } from './terminal-size.ts';

export interface OwnExecServing {
  readonly clock: Clock;
  readonly protocol: ChannelProtocol;
  readonly command: readonly string[];
  readonly streams: ExecStreams;
  /** Its handshake is answered. */
  readonly client: DuplexStream;
  readonly session: ExecSession;
  /** Ends it also while client and command wait for each other. */
  readonly signal?: AbortSignal;
}

/** Resolves when the client is gone and our ends of the streams are closed. Never rejects. */
export async function serveOwnExec(serving: OwnExecServing): Promise<void> {
  const { client, clock, session, signal } = serving;
  const connection = new WebSocketConnection(client, clock);
  const close = (): void => session.close();
  signal?.addEventListener('abort', close, { once: true });
  if (signal?.aborted) close();
  const output = passOutput(serving, connection);
  await passInput(serving, connection);
  close();
  connection.destroy();
  await output;
  signal?.removeEventListener('abort', close);
}

/** From the command to the client, with the status and the close at the end. */
async function passOutput(serving: OwnExecServing, connection: WebSocketConnection): Promise<void> {
  const { protocol, command, streams, session } = serving;
  const send = (channel: number, payload: Uint8Array): Promise<void> =>
    connection.send(encodeChannel(protocol, channel, payload));
  const pass = async (channel: number, output: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const chunk of output) await send(channel, chunk);
  };
  let status: Uint8Array | undefined;
  try {
    // An empty message on the lowest channel that we write: the client knows that it is connected (as upstream).
    await send(streams.stdout ? CHANNELS.stdout : streams.stderr ? CHANNELS.stderr : CHANNELS.error, NOTHING);
    const [exitCode] = await Promise.all([
      session.exit,
      pass(CHANNELS.stdout, session.stdout),
      pass(CHANNELS.stderr, session.stderr),
    ]);
    status = statusForClient(protocol, statusOfExit(command, exitCode), true);
  } catch (error) {
    status = failureForClient(protocol, errorMessage(error));
  }
  if (status !== undefined) await send(CHANNELS.error, status).catch(() => {});
  connection.close(CLOSE_NORMAL, '');
  session.close();
}

/** From the client to the command, until the client is gone. */
async function passInput(
  { protocol, streams, session }: OwnExecServing,
  connection: WebSocketConnection,
): Promise<void> {
  const reader = new ChannelReader(protocol);
  const sizes = new TerminalSizeReader();
  let takesInput = streams.stdin;
  for await (const piece of connection.messages()) {
    const input = reader.push(piece);
    if (input === undefined) continue;
    if (input.type === 'malformed') {
      connection.close(CLOSE_PROTOCOL_ERROR, 'a close signal names one channel');
    } else if (input.channel === CHANNELS.stdin && takesInput) {
      if (input.type === 'close') session.endInput();
      // A command that takes no more has ended: its status is on its way.
      else takesInput = await taken(session, input.payload);
      if (input.type === 'close') takesInput = false;
    } else if (input.channel === CHANNELS.resize && streams.tty && input.type === 'data') {
      const size = sizes.push(input.payload);
      if (size !== undefined) await session.resize(size.columns, size.rows);
    }
    // Upstream, too, ignores what comes for a channel that takes nothing.
  }
}

const NOTHING = new Uint8Array(0);

function taken(session: ExecSession, chunk: Uint8Array): Promise<boolean> {
  return session.write(chunk).then(
    () => true,
    () => false,
  );
}
