/** Asks the kubelets of nodes to make, remove and list the folders that are volumes. */
import {
  type MadeVolume,
  type MakeVolumeRequest,
  NODE_VOLUMES_PATH,
  type NodeVolume,
  type NodeVolumeList,
  type Status,
  StatusError,
} from '../../api/index.ts';
import {
  abortable,
  type Clock,
  type Connection,
  ConnectionError,
  decodeText,
  encodeText,
  errorMessage,
  readAll,
  withDeadline,
} from '../../lib/index.ts';
import { MAX_NODE_ANSWER_BYTES, NODE_REQUEST_TIMEOUT_MS } from '../limits.ts';

/** The way to a node's kubelet; undefined: there is none. */
export type KubeletConnections = (nodeName: string) => Connection | undefined;

/** A volume, and whose it is. With a version, it is removed only if nobody asked for it since it had that. */
export type Removable = Pick<NodeVolume, 'name' | 'handle' | 'version'>;

/** Every call rejects with StatusError (the node's answer) or ConnectionError (no answer: it may have been done). */
export interface NodeVolumes {
  make(node: string, name: string, request: MakeVolumeRequest, signal: AbortSignal): Promise<MadeVolume>;
  /** Resolves when the folder is gone. 409: a pod has it, or it was asked for or used since it had that version. */
  remove(node: string, volume: Removable, signal: AbortSignal): Promise<void>;
  list(node: string, signal: AbortSignal): Promise<NodeVolumeList>;
}

export function nodeVolumes(connectionOf: KubeletConnections, clock: Clock): NodeVolumes {
  const ask = async (
    node: string,
    method: string,
    url: string,
    signal: AbortSignal,
    body?: object,
  ): Promise<unknown> => {
    const connection = connectionOf(node);
    if (connection === undefined) throw new ConnectionError(`there is no way to node "${node}"`);
    const result = await withDeadline({ clock, timeoutMs: NODE_REQUEST_TIMEOUT_MS, signal }, async (within) => {
      const answer = await connection.request({
        method,
        url,
        headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
        signal: within,
        ...(body && { body: encodeText(JSON.stringify(body)) }),
      });
      const text = decodeText(await abortable(readAll(answer.body, MAX_NODE_ANSWER_BYTES), within));
      if (answer.status < 200 || answer.status > 299) throw refusal(answer.status, text);
      return text === '' ? undefined : (JSON.parse(text) as unknown);
    }).catch((error: unknown) => {
      if (error instanceof StatusError || error instanceof ConnectionError || signal.aborted) throw error;
      throw new ConnectionError(errorMessage(error), { cause: error });
    });
    if (result.kind === 'done') return result.value;
    throw new ConnectionError(`node "${node}" did not answer within ${NODE_REQUEST_TIMEOUT_MS / 1000} s`);
  };
  const path = (name: string): string => `${NODE_VOLUMES_PATH}/${encodeURIComponent(name)}`;
  return {
    make: async (node, name, request, signal) => readMade(await ask(node, 'PUT', path(name), signal, request)),
    remove: async (node, { name, handle, version }, signal) => {
      const query = new URLSearchParams({ handle, ...(version !== undefined && { version }) });
      await ask(node, 'DELETE', `${path(name)}?${query.toString()}`, signal);
    },
    list: async (node, signal) => readList(await ask(node, 'GET', NODE_VOLUMES_PATH, signal)),
  };
}

/** The kubelet answers with a Status, or with a line of text. */
function refusal(code: number, text: string): StatusError {
  try {
    const status = JSON.parse(text) as Status;
    if (status.kind === 'Status') return new StatusError({ ...status, code });
  } catch {
    // It was no JSON: the text is the message.
  }
  return new StatusError({ code, message: text.trim().slice(0, MAX_PLAIN_MESSAGE) || `status ${code}` });
}

const MAX_PLAIN_MESSAGE = 300;

function readMade(value: unknown): MadeVolume {
  const path = (value as Partial<MadeVolume> | undefined)?.path;
  if (typeof path !== 'string' || !path.startsWith('/'))
    throw new ConnectionError('the node made the volume, and did not say where');
  return { path };
}

function readList(value: unknown): NodeVolumeList {
  const list = value as Partial<NodeVolumeList> | undefined;
  if (!Array.isArray(list?.items) || typeof list.capacityBytes !== 'number')
    throw new ConnectionError('the list of volumes of the node cannot be read');
  return { items: list.items, capacityBytes: list.capacityBytes };
}
