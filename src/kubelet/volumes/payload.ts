/** The files of a ConfigMap, Secret, downward API or projected volume, before they are written. Pure. */
import type { ConfigMap, KeyToPath, Secret } from '../../api/index.ts';
import { encodeText } from '../../lib/index.ts';
import { base64Bytes } from '../base64.ts';
import { MAX_NAME_LENGTH, MAX_PATH_LENGTH } from './limits.ts';

export interface PayloadFile {
  readonly data: Uint8Array;
  readonly mode: number;
  /** The file's owner; absent: root. */
  readonly uid?: number;
}

/** By path relative to the volume. */
export type Payload = ReadonlyMap<string, PayloadFile>;

export const DEFAULT_FILE_MODE = 0o644;

/** How a problem is told; absent parts are those of a volume that cannot be mounted. */
export interface ToldProblem {
  readonly eventReason?: string;
  /** Upstream's name of what failed. */
  readonly operation?: string;
}

/** Why a volume cannot be set up, in upstream's words. */
export class VolumeError extends Error {
  override readonly name = 'VolumeError';
  /** Of the event that tells it. */
  readonly eventReason: string;
  /** Upstream's name of what failed. */
  readonly operation: string;
  /** Nothing is wrong yet: the volume will be attached. */
  readonly isUnattached: boolean;
  constructor(
    message: string,
    { eventReason = 'FailedMount', operation = 'MountVolume.SetUp', isUnattached = false } = {},
  ) {
    super(message);
    this.isUnattached = isUnattached;
    this.eventReason = eventReason;
    this.operation = operation;
  }
}

/** Throws `VolumeError` for a path that would leave the volume or hide its bookkeeping (upstream: AtomicWriter). */
export function checkPayloadPath(path: string): void {
  if (path === '') throw new VolumeError('invalid path: must not be empty');
  if (path.startsWith('/')) throw new VolumeError(`invalid path: must be relative path: ${path}`);
  if (path.length > MAX_PATH_LENGTH) throw new VolumeError('invalid path: too long');
  const parts = path.split('/');
  if (parts.some((part) => part === '..')) throw new VolumeError(`invalid path: must not contain '..': ${path}`);
  if (parts.some((part) => part.length > MAX_NAME_LENGTH)) throw new VolumeError('invalid path: name too long');
  if (path.startsWith('..')) throw new VolumeError(`invalid path: must not start with '..': ${path}`);
}

/** `a//b` and `./a/` are `a/b` and `a`, as upstream's path.Clean makes them. */
export function cleanPayloadPath(path: string): string {
  checkPayloadPath(path);
  const clean = path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
  checkPayloadPath(clean);
  return clean;
}

export interface Selection {
  readonly items: readonly KeyToPath[] | undefined;
  readonly defaultMode: number;
  readonly optional: boolean;
}

export function configMapPayload(configMap: ConfigMap, selection: Selection): Payload {
  const data = new Map<string, Uint8Array>();
  for (const [key, value] of Object.entries(configMap.data ?? {})) data.set(key, encodeText(value));
  for (const [key, value] of Object.entries(configMap.binaryData ?? {})) data.set(key, base64Bytes(value));
  return select(data, selection, 'configmap references non-existent config key: ');
}

export function secretPayload(secret: Secret, selection: Selection): Payload {
  const data = new Map(Object.entries(secret.data ?? {}).map(([key, value]) => [key, base64Bytes(value)]));
  return select(data, selection, 'references non-existent secret key: ');
}

function select(data: ReadonlyMap<string, Uint8Array>, selection: Selection, problem: string): Payload {
  const { items, defaultMode, optional } = selection;
  if (items === undefined || items.length === 0) {
    return new Map([...data].map(([key, bytes]) => [key, { data: bytes, mode: defaultMode }]));
  }
  const payload = new Map<string, PayloadFile>();
  for (const { key, path, mode } of items) {
    const bytes = data.get(key);
    if (bytes !== undefined) payload.set(path, { data: bytes, mode: mode ?? defaultMode });
    else if (!optional) throw new VolumeError(`${problem}${key}`);
  }
  return payload;
}

export function samePayload(a: Payload, b: Payload): boolean {
  if (a.size !== b.size) return false;
  for (const [path, file] of a) {
    const other = b.get(path);
    if (
      other === undefined ||
      other.mode !== file.mode ||
      (other.uid ?? 0) !== (file.uid ?? 0) ||
      !sameBytes(other.data, file.data)
    )
      return false;
  }
  return true;
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
