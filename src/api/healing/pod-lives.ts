/** All lives of one pod's name: the nodes' records, combined with the server's present pod. Pure. */
import type { PodHistory } from './history.ts';
import { uidsOf } from './pod-uids.ts';
import type { Pod } from '../types.gen.ts';

export interface PodNow {
  /** The pod that the server has by this name; undefined: none. */
  readonly pod: Pod | undefined;
  /** False: another of that name is asked for. */
  readonly isMeant: boolean;
  /** Wall ms. */
  readonly now: number;
}

/**
 * The pod that is there first, also where nothing of it has died, then those gone last. A pod that the server has no more is gone,
 * though its node may need a moment to note that.
 */
export function podLives(items: readonly PodHistory[], { pod, isMeant, now }: PodNow): readonly PodHistory[] {
  const uids = pod === undefined ? [] : uidsOf(pod);
  const told = items.map((item) => (isGone(item, uids) ? { ...item, goneAt: new Date(now).toISOString() } : item));
  const isTold = told.some(({ metadata }) => uids.includes(metadata.uid));
  const alive = pod === undefined || !isMeant || isTold ? [] : unharmed(pod);
  return [...alive, ...told].toSorted(newestFirst);
}

function isGone({ goneAt, metadata }: PodHistory, uids: readonly string[]): boolean {
  return goneAt === undefined && !uids.includes(metadata.uid) && UUID.test(metadata.uid);
}

/** As servers make them: a static pod has another one of its node, which may have it without the server's knowing. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function unharmed({ metadata, spec }: Pod): readonly PodHistory[] {
  const { name = '', namespace = '', uid = '' } = metadata ?? {};
  const nodeName = spec?.nodeName ?? '';
  if (nodeName === '') return [];
  const head = { apiVersion: 'mendlet.dev/v1alpha1', kind: 'PodHistory' } as const;
  return [{ ...head, metadata: { namespace, name, uid }, nodeName, containers: [] }];
}

function newestFirst(a: PodHistory, b: PodHistory): number {
  const [aGone, bGone] = [a.goneAt ?? '~', b.goneAt ?? '~'];
  return aGone < bGone ? 1 : aGone > bGone ? -1 : 0;
}
