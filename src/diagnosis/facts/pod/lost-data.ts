/** Tells whether a server has lost its data since a time, as these lie in no volume that outlives its pod or container. Pure. */
import { parseTime } from '../../../lib/index.ts';
import type { ServerBehind } from '../../evidence/pod-evidence.ts';
import type { Quote } from '../../finding.ts';

export interface LostData {
  /** "pod db-1 was made" */
  readonly says: string;
  /** "whose data lie in an emptyDir" */
  readonly where: string;
  readonly quote: Quote;
}

/** Volumes that hold no data of a server. */
const OF_SETTINGS = ['configMap', 'secret', 'projected', 'downwardAPI'] as const;

/** @param since RFC 3339; undefined is returned where its pod is older, or its data may lie elsewhere */
export function dataLostSince({ pod }: Pick<ServerBehind, 'pod'>, since: string): LostData | undefined {
  const sinceMs = parseTime(since);
  const { volumes = [], containers = [] } = pod.spec ?? {};
  const others = volumes.filter((volume) => OF_SETTINGS.every((kind) => volume[kind] === undefined));
  if (sinceMs === undefined || others.some(({ emptyDir }) => emptyDir === undefined)) return undefined;
  const name = pod.metadata?.name ?? '';
  const object = `pod/${name}`;
  const madeAt = pod.metadata?.creationTimestamp ?? '';
  const mounted = new Set(containers.flatMap(({ volumeMounts = [] }) => volumeMounts.map((each) => each.name)));
  const [empty] = others.filter((volume) => mounted.has(volume.name));
  const where =
    empty === undefined ? 'whose data lie in no volume' : `whose data lie in volume ${empty.name} (emptyDir)`;
  if ((parseTime(madeAt) ?? 0) > sinceMs)
    return { says: `pod ${name} was made`, where, quote: { source: 'object', object, says: `was made at ${madeAt}` } };
  // A file system of its own goes with each container.
  const startedAt = pod.status?.containerStatuses?.[0]?.state?.running?.startedAt ?? '';
  if (empty !== undefined || (parseTime(startedAt) ?? 0) <= sinceMs) return undefined;
  return {
    says: `the container of pod ${name} started anew`,
    where,
    quote: { source: 'object', object, says: `its container started at ${startedAt}` },
  };
}
