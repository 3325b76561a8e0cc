/**
 * The circumstances of a pod that may be why its containers fail, each by name, with a comparable value. A circumstance is
 * news if it got better, or if containers are made from it and it changed. Pure.
 */

/** By name, for those that are known now. */
export type Circumstances = Readonly<Record<string, string>>;

/** There is no such object, or image. */
export const ABSENT = 'absent';
/** Of an address. */
export const REACHABLE = 'reachable';
export const UNREACHABLE = 'unreachable';
/** Of the node: no pressure. */
export const NO_PRESSURE = 'none';

export type CircumstanceKind = 'configmap' | 'secret' | 'persistentvolumeclaim' | 'image' | 'address' | 'pressure';

export function circumstanceName(kind: CircumstanceKind, name: string): string {
  return `${kind}/${name}`;
}

export interface News {
  /** For people: "configmap/app changed". */
  readonly cause: string;
  /**
   * Containers are made from it, so a life that began before began with the old value. Any other circumstance concerns only a
   * container that died about that time.
   */
  readonly lasting: boolean;
}

/** The meaning of a circumstance's change from `before` to `after` for the pod; undefined: nothing got better. */
export function newsOf(circumstance: string, before: string, after: string): News | undefined {
  if (before === after) return undefined;
  const slash = circumstance.indexOf('/');
  const kind = circumstance.slice(0, slash) as CircumstanceKind;
  const name = circumstance.slice(slash + 1);
  switch (kind) {
    case 'configmap':
    case 'secret':
      return made(circumstance, after, before === ABSENT ? 'was created' : 'changed');
    case 'persistentvolumeclaim':
      return made(circumstance, after, isBound(after) && !isBound(before) ? 'became Bound' : 'changed');
    case 'image':
      return made(`image ${name}`, after, before === ABSENT ? 'became available' : 'changed');
    case 'address':
      return after === REACHABLE ? { cause: `${name} accepts connections`, lasting: false } : undefined;
    case 'pressure':
      return endOfPressure(before, after);
    default:
      return undefined;
  }
}

/** Of a claim: its phase is the value's first word. */
function isBound(value: string): boolean {
  return value.split(' ')[0] === 'Bound';
}

function made(what: string, after: string, how: string): News | undefined {
  return after === ABSENT ? undefined : { cause: `${what} ${how}`, lasting: true };
}

/** Values are kinds of pressure: "memory,disk". */
function endOfPressure(before: string, after: string): News | undefined {
  const left = new Set(after.split(','));
  const ended = before.split(',').filter((kind) => kind !== NO_PRESSURE && !left.has(kind));
  if (ended.length === 0) return undefined;
  return { cause: `the node's pressure ended (${ended.join(', ')})`, lasting: false };
}

/** Bad news are worth their time: only a failure that they surround can have come of them. */
export function isTrouble(circumstance: string, value: string): boolean {
  if (circumstance.startsWith('address/')) return value === UNREACHABLE;
  return circumstance.startsWith('pressure/') && value !== NO_PRESSURE;
}
