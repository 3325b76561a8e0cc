/** Circumstances as values: the parts of an object from which containers are made, not its labels. Pure. */
import type { ConfigMap, PersistentVolumeClaim, Secret } from '../../api/index.ts';
import type { PressureVerdict } from '../types.ts';
import { ABSENT, NO_PRESSURE } from '../plan/recovery/circumstances.ts';
import { fnv1a32 } from '../../lib/index.ts';

/** Another object of the same name is another value. */
export function configValue(object: ConfigMap | Secret | undefined): string {
  if (object === undefined) return ABSENT;
  const { data, metadata } = object;
  const binary = 'binaryData' in object ? object.binaryData : undefined;
  const content = JSON.stringify([sorted(data), sorted(binary)]);
  return `${metadata?.uid ?? ''} ${content.length} ${fnv1a32(content)}`;
}

function sorted(data: Readonly<Record<string, unknown>> = {}): readonly (readonly [string, unknown])[] {
  return Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Its phase is the first word. */
export function claimValue(claim: PersistentVolumeClaim | undefined): string {
  if (claim === undefined) return ABSENT;
  const { status, spec, metadata } = claim;
  const capacity = status?.capacity?.['storage'] ?? '';
  return `${status?.phase ?? 'Pending'} ${metadata?.uid ?? ''} ${spec?.volumeName ?? ''} ${capacity}`;
}

export function pressureValue(verdict: PressureVerdict): string {
  const kinds = (['memory', 'disk', 'pid'] as const).filter((kind) => verdict[kind]);
  return kinds.length === 0 ? NO_PRESSURE : kinds.join(',');
}
