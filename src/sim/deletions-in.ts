/** Finds the pods that are being deleted in the bytes of answers and watches. Pure. */
import type { Pod } from '../api/index.ts';
import { decodeText } from '../lib/index.ts';

interface Carrier extends Pod {
  readonly object?: Pod;
  readonly items?: readonly Pod[];
}

/** UIDs of the pods with a deletion time in an answer or a piece of a watch. */
export function deletionsIn(bytes: Uint8Array): readonly string[] {
  const text = decodeText(bytes);
  if (!text.includes('"deletionTimestamp"')) return [];
  return text.split('\n').flatMap((line) => {
    const carrier = parse(line);
    if (carrier === undefined) return [];
    const pods = carrier.object !== undefined ? [carrier.object] : (carrier.items ?? [carrier]);
    return pods.flatMap(({ metadata }) => (metadata?.deletionTimestamp === undefined ? [] : [metadata.uid ?? '']));
  });
}

function parse(line: string): Carrier | undefined {
  if (line === '') return undefined;
  try {
    return JSON.parse(line) as Carrier;
  } catch {
    return undefined;
  }
}
