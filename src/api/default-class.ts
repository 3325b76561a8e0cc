/** Which class claims get that name none. Pure. Upstream: GetDefaultClass. */
import { nameOf } from './object-meta.ts';
import type { StorageClass } from './types.gen.ts';

export const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';
const DEFAULT_CLASS_BEFORE = 'storageclass.beta.kubernetes.io/is-default-class';

export function isDefaultClass({ metadata }: StorageClass): boolean {
  return [DEFAULT_CLASS, DEFAULT_CLASS_BEFORE].some((name) => metadata?.annotations?.[name] === 'true');
}

/** The newest of those that say so; of equally new ones the first by name. */
export function defaultClass(classes: readonly StorageClass[]): StorageClass | undefined {
  const made = ({ metadata }: StorageClass): string => metadata?.creationTimestamp ?? '';
  return classes
    .filter(isDefaultClass)
    .toSorted((a, b) => (made(a) === made(b) ? (nameOf(a) < nameOf(b) ? -1 : 1) : made(a) < made(b) ? 1 : -1))[0];
}
