/**
 * The ring as a file: a line that names format, time and number of workloads, then for each workload a line and its buckets in binary
 * form (one byte for what was seen, two for CPU, two for memory), then a checksum. The reader trusts nothing: a file may be torn,
 * foreign, or of a newer mendlet. Pure.
 */
import { type BucketCount, bucketOf, DAY_BUCKETS, LAST_DURATION_CLASS, type RecoverySpan } from '../../api/index.ts';
import { decodeText, encodeText } from '../../lib/index.ts';
import type { StoredDay } from './day-ring.ts';
import { MAX_FILE_BYTES, MAX_WORKLOAD_BYTES, MAX_WORKLOADS } from './limits.ts';
import type { KeptTrack } from './pod-track.ts';
import type { StoredRing } from './workload-ring.ts';

/** Version of the file's format; a higher one is from a newer mendlet. */
export const RING_FORMAT = 1;
const BYTES_PER_BUCKET = 5;
const CHECKSUM_BYTES = 4;
const MAX_HEAD_BYTES = 256;
const NEW_LINE = 10;

type StoredWorkload = StoredDay['workloads'][number];
type Parsed = { readonly ok: true; readonly value: StoredDay } | { readonly ok: false; readonly problem: string };

/** Undefined: it is larger than one workload may be. */
export function formatWorkload(workload: StoredWorkload): Uint8Array | undefined {
  const { name, owners, pods, spans, first, seen, restarts, deaths, cpu, memory, tracks } = workload;
  const head = { ...name, owners, pods, spans, first, buckets: seen.length, restarts, deaths, tracks };
  const line = encodeText(`${JSON.stringify(head)}\n`);
  const bytes = new Uint8Array(line.length + seen.length * BYTES_PER_BUCKET);
  if (bytes.length > MAX_WORKLOAD_BYTES) return undefined;
  bytes.set(line);
  bytes.set(seen, line.length);
  const view = new DataView(bytes.buffer, line.length + seen.length);
  // All workloads are written every five minutes: a plain loop takes a tenth of the time of an iterator.
  for (let at = 0; at < seen.length; at += 1) {
    view.setUint16(at * 2, cpu[at] ?? 0);
    view.setUint16((seen.length + at) * 2, memory[at] ?? 0);
  }
  return bytes;
}

/** @param workloads as `formatWorkload` gives them, no more than fit */
export function formatRing(
  { savedAt, bucket }: Omit<StoredDay, 'workloads'>,
  workloads: readonly Uint8Array[],
): Uint8Array {
  const head = encodeText(`${JSON.stringify({ format: RING_FORMAT, savedAt, bucket, workloads: workloads.length })}\n`);
  const length = workloads.reduce((sum, each) => sum + each.length, head.length);
  const bytes = new Uint8Array(length + CHECKSUM_BYTES);
  bytes.set(head);
  let at = head.length;
  for (const each of workloads) {
    bytes.set(each, at);
    at += each.length;
  }
  new DataView(bytes.buffer).setUint32(length, checksum(bytes.subarray(0, length)));
  return bytes;
}

/** The workloads that fit into a file, those at the front first, and how many do not. */
export function fitting(workloads: readonly (Uint8Array | undefined)[]): {
  readonly fit: readonly Uint8Array[];
  readonly leftOut: number;
} {
  let room = MAX_FILE_BYTES - MAX_HEAD_BYTES - CHECKSUM_BYTES;
  const fit = workloads.filter((each): each is Uint8Array => {
    if (each === undefined || each.length > room) return false;
    room -= each.length;
    return true;
  });
  return { fit, leftOut: workloads.length - fit.length };
}

export function parseRing(bytes: Uint8Array): Parsed {
  const lineEnd = bytes.subarray(0, MAX_HEAD_BYTES).indexOf(NEW_LINE);
  const head = lineEnd < 0 ? undefined : fieldsOf(bytes.subarray(0, lineEnd));
  if (head === undefined || !isWhole(head['format'])) return problem('it does not begin as a record of a day does');
  const { format, savedAt, bucket, workloads: count } = head;
  if (format !== RING_FORMAT) return problem(`its format is ${format}, and this mendlet knows ${RING_FORMAT}`);
  const end = bytes.length - CHECKSUM_BYTES;
  if (end <= lineEnd) return problem('its end is missing');
  const { buffer, byteOffset } = bytes;
  if (new DataView(buffer, byteOffset + end).getUint32(0) !== checksum(bytes.subarray(0, end))) {
    return problem('its checksum is wrong');
  }
  if (!isWhole(savedAt) || !isWhole(bucket) || !isWhole(count) || count > MAX_WORKLOADS) {
    return problem('its first line is damaged');
  }
  if (bucketOf(savedAt) !== bucket) return problem('its times contradict each other');
  const workloads: StoredWorkload[] = [];
  let at = lineEnd + 1;
  while (at < end) {
    const read = parseWorkload(bytes.subarray(at, end));
    if (read === undefined) return problem(`workload ${workloads.length + 1} is damaged`);
    workloads.push(read.workload);
    at += read.bytes;
  }
  if (workloads.length !== count) return problem('workloads are missing');
  return { ok: true, value: { savedAt, bucket, workloads } };
}

function problem(text: string): Parsed {
  return { ok: false, problem: text };
}

function parseWorkload(bytes: Uint8Array): { readonly workload: StoredWorkload; readonly bytes: number } | undefined {
  const lineEnd = bytes.subarray(0, MAX_WORKLOAD_BYTES).indexOf(NEW_LINE);
  const head = lineEnd < 0 ? undefined : fieldsOf(bytes.subarray(0, lineEnd));
  if (head === undefined) return undefined;
  const { kind, namespace, name, owners, pods, spans, first, buckets, restarts, deaths, tracks } = head;
  if (!isWhole(first) || !isWhole(buckets) || buckets > DAY_BUCKETS) return undefined;
  if (![kind, namespace, name].every((each) => typeof each === 'string')) return undefined;
  if (!areTexts(owners) || !areTexts(pods) || !areAll(spans, isSpan) || !areAll(tracks, isTrack)) return undefined;
  if (!areAll(restarts, isCount) || !areAll(deaths, isCount)) return undefined;
  const begin = lineEnd + 1;
  const length = begin + buckets * BYTES_PER_BUCKET;
  if (length > bytes.length) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset + begin + buckets);
  const codes = (from: number): Uint16Array =>
    Uint16Array.from({ length: buckets }, (_, at) => view.getUint16((from + at) * 2));
  const stored: StoredRing = {
    name: { kind: String(kind), namespace: String(namespace), name: String(name) },
    owners,
    pods,
    spans,
    first,
    seen: bytes.slice(begin, begin + buckets),
    restarts,
    deaths,
    cpu: codes(0),
    memory: codes(buckets),
  };
  return { workload: { ...stored, tracks }, bytes: length };
}

function fieldsOf(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(decodeText(bytes));
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function areAll<T>(value: unknown, is: (each: unknown) => each is T): value is readonly T[] {
  return Array.isArray(value) && value.every(is);
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function isCount(value: unknown): value is BucketCount {
  return Array.isArray(value) && value.length === 2 && value.every(isWhole);
}

function isSpan(value: unknown): value is RecoverySpan {
  if (!isFields(value)) return false;
  const { from, buckets, healed, alone, totalMs, classes } = value;
  if (![from, buckets, healed, alone].every(isWhole) || !Number.isFinite(totalMs)) return false;
  return areAll(classes, isCount) && classes.every(([durationClass]) => durationClass <= LAST_DURATION_CLASS);
}

function isTrack(value: unknown): value is KeptTrack {
  if (!isFields(value)) return false;
  const { uid, restarts, owes, outage } = value;
  if (typeof uid !== 'string' || !isWhole(restarts) || typeof owes !== 'boolean') return false;
  if (outage === undefined) return true;
  if (!isFields(outage) || typeof outage['human'] !== 'boolean') return false;
  return [outage['since'], outage['up'] ?? 0].every((time) => Number.isFinite(time));
}

/** FNV-1a over bytes, 32 bits. */
function checksum(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
