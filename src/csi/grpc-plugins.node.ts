/** Storage plugins over gRPC at their unix sockets. */
import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';
import { count, capabilitiesFromCsi, statsFromCsi } from './from-csi.ts';
import { Node } from './gen/csi_pb.js';
import { Registration } from './gen/plugin-registration_pb.js';
import { CALL_TIMEOUT_MS, MAX_MESSAGE_BYTES, QUESTION_TIMEOUT_MS } from './limits.ts';
import { type CsiDriver, CsiError, type CsiPlugins, type Registrar } from './plugins.ts';
import { expandToCsi, publishToCsi, stageToCsi } from './to-csi.ts';

export const grpcPlugins: CsiPlugins = {
  registrar,
  driver,
  hash: (text) => createHash('sha256').update(text).digest('hex'),
};

interface PluginSocket {
  readonly transport: Transport;
  readonly close: () => void;
}

/** No pings: a dead peer closes a unix socket, and a frozen one meets the deadline of each call. */
function openSocket(path: string): PluginSocket {
  const session = new Http2SessionManager(
    'http://localhost',
    { pingIntervalMs: undefined },
    { createConnection: () => connect(path) },
  );
  const transport = createGrpcTransport({
    baseUrl: 'http://localhost',
    sessionManager: session,
    acceptCompression: [],
    readMaxBytes: MAX_MESSAGE_BYTES,
  });
  return { transport, close: () => session.abort() };
}

function registrar(socketPath: string): Registrar {
  const { transport, close } = openSocket(socketPath);
  const client = createClient(Registration, transport);
  return {
    info: () => asked(socketPath, () => client.getInfo({}, { timeoutMs: QUESTION_TIMEOUT_MS })),
    notify: (error) =>
      asked(socketPath, async () => {
        const status = { pluginRegistered: error === undefined, error: error ?? '' };
        await client.notifyRegistrationStatus(status, { timeoutMs: QUESTION_TIMEOUT_MS });
      }),
    close,
  };
}

function driver(socketPath: string): CsiDriver {
  const { transport, close } = openSocket(socketPath);
  const node = createClient(Node, transport);
  const [work, question] = [{ timeoutMs: CALL_TIMEOUT_MS }, { timeoutMs: QUESTION_TIMEOUT_MS }];
  const ask = <T>(call: () => Promise<T>): Promise<T> => asked(socketPath, call);
  return {
    info: () =>
      ask(async () => {
        // Upstream waits as long as for a mount: the driver may ask its cloud.
        const { nodeId, maxVolumesPerNode, accessibleTopology } = await node.nodeGetInfo({}, work);
        return { nodeId, maxVolumes: count(maxVolumesPerNode), topology: { ...accessibleTopology?.segments } };
      }),
    capabilities: () => ask(async () => capabilitiesFromCsi(await node.nodeGetCapabilities({}, question))),
    stage: (request) =>
      ask(async () => {
        await node.nodeStageVolume(stageToCsi(request), work);
      }),
    unstage: (handle, stagingPath) =>
      ask(async () => {
        await node.nodeUnstageVolume({ volumeId: handle, stagingTargetPath: stagingPath }, work);
      }),
    publish: (request) =>
      ask(async () => {
        await node.nodePublishVolume(publishToCsi(request), work);
      }),
    unpublish: (handle, targetPath) =>
      ask(async () => {
        await node.nodeUnpublishVolume({ volumeId: handle, targetPath }, work);
      }),
    stats: (handle, volumePath, stagingPath) =>
      ask(async () => {
        const request = { volumeId: handle, volumePath, stagingTargetPath: stagingPath };
        return statsFromCsi(await node.nodeGetVolumeStats(request, question));
      }),
    expand: (request) =>
      ask(async () => count((await node.nodeExpandVolume(expandToCsi(request), work)).capacityBytes)),
    close,
  };
}

async function asked<T>(socketPath: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (thrown) {
    throw csiError(socketPath, thrown);
  }
}

/** The words of grpc-go, which upstream's events have: `rpc error: code = Internal desc = …`. */
function csiError(socketPath: string, thrown: unknown): CsiError {
  const { code, rawMessage, cause } = ConnectError.from(thrown);
  // A call that nobody cancelled: the plugin's process ended under it.
  const isCut = code === Code.Canceled && rawMessage.startsWith('http/2 stream closed');
  const system = isCut ? 'its connection ended' : systemCode(cause);
  if (system !== undefined) {
    return new CsiError('Unavailable', `the plugin at ${socketPath} is away: ${system}`, { cause: thrown });
  }
  const name = Code[code] ?? 'Unknown';
  return new CsiError(name, `rpc error: code = ${name} desc = ${rawMessage}`, { cause: thrown });
}

function systemCode(cause: unknown): string | undefined {
  for (let one = cause, depth = 0; one instanceof Error && depth < 8; one = one.cause, depth++) {
    if ('code' in one && typeof one.code === 'string') return one.code;
  }
  return undefined;
}
