/**
 * Which images go: unused ones, the longest unused first, until enough is free. Upstream: images/image_gc_manager.go. Pure.
 */
import type { Image } from '../../cri/index.ts';

/** The record of an image. Mono ms. */
export interface ImageRecord {
  readonly firstSeenAt: number;
  /** Last time it was in use; −Infinity: never while we looked. */
  readonly lastUsedAt: number;
}

export type ImageRecords = ReadonlyMap<string, ImageRecord>;

/** `inUse`: image ids and names that containers refer to. */
export function trackImages(
  before: ImageRecords,
  images: readonly Image[],
  inUse: ReadonlySet<string>,
  now: number,
): ImageRecords {
  const records = new Map<string, ImageRecord>();
  for (const image of images) {
    const known = before.get(image.id);
    const used = isInUse(image, inUse);
    records.set(image.id, {
      firstSeenAt: known?.firstSeenAt ?? now,
      lastUsedAt: used ? now : (known?.lastUsedAt ?? Number.NEGATIVE_INFINITY),
    });
  }
  return records;
}

export function isInUse(image: Image, inUse: ReadonlySet<string>): boolean {
  return [image.id, ...image.repoTags, ...image.repoDigests].some((name) => inUse.has(name));
}

export interface GcRequest {
  readonly images: readonly Image[];
  readonly records: ImageRecords;
  readonly inUse: ReadonlySet<string>;
  readonly bytesToFree: number;
  /** Mono ms. */
  readonly now: number;
  readonly minimumAgeMs: number;
}

/** Images to remove, in order; as many as the bytes need. Those that are younger than the minimum age may be about to be used. */
export function imagesToRemove(request: GcRequest): readonly Image[] {
  const { now, minimumAgeMs } = request;
  const chosen: Image[] = [];
  let freed = 0;
  for (const { image, record } of unused(request)) {
    if (freed >= request.bytesToFree) break;
    // Used since this look began: it was not seen unused.
    if (record.lastUsedAt >= now || now - record.firstSeenAt < minimumAgeMs) continue;
    chosen.push(image);
    freed += image.sizeBytes;
  }
  return chosen;
}

/**
 * Images unused for longer than `maximumAgeMs`; none when that is 0. An image that was never seen in use counts from when it
 * was first seen.
 */
export function tooOld({
  maximumAgeMs,
  ...request
}: Omit<GcRequest, 'bytesToFree'> & { readonly maximumAgeMs: number }): readonly Image[] {
  if (maximumAgeMs <= 0) return [];
  return unused(request)
    .filter(({ record }) => request.now - Math.max(record.lastUsedAt, record.firstSeenAt) > maximumAgeMs)
    .map(({ image }) => image);
}

/** The longest unused first, then the longest known. Pinned images are never removed. */
function unused({ images, records, inUse }: Pick<GcRequest, 'images' | 'records' | 'inUse'>) {
  return images
    .flatMap((image) => {
      const record = records.get(image.id);
      return record === undefined || image.pinned || isInUse(image, inUse) ? [] : [{ image, record }];
    })
    .sort((a, b) => compare(a.record.lastUsedAt, b.record.lastUsedAt) || a.record.firstSeenAt - b.record.firstSeenAt);
}

/** −Infinity beside itself is no number's difference. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Bytes to free when usage is at the high threshold or above; 0: nothing to do. */
export function bytesToFree(
  fs: { readonly bytes: number; readonly freeBytes: number },
  { highThresholdPercent, lowThresholdPercent }: { highThresholdPercent: number; lowThresholdPercent: number },
): number {
  if (fs.bytes <= 0) return 0;
  const usedPercent = 100 - Math.floor((Math.min(fs.freeBytes, fs.bytes) * 100) / fs.bytes);
  if (usedPercent < highThresholdPercent) return 0;
  return Math.max(0, Math.floor((fs.bytes * (100 - lowThresholdPercent)) / 100) - fs.freeBytes);
}
