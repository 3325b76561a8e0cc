/** The identity of a pod of a StatefulSet: its name, and the ordinal in it. Pure. Upstream: stateful_set_utils.go. */
import { nameOf, type Pod, type StatefulSet } from '../../api/index.ts';

export const POD_NAME_LABEL = 'statefulset.kubernetes.io/pod-name';
export const POD_INDEX_LABEL = 'apps.kubernetes.io/pod-index';
/** On pods: the name of the revision that they are made of. */
export const REVISION_LABEL = 'controller-revision-hash';

const MEMBER_NAME = /^(.*)-(\d+)$/;
/** Ordinals are int32. */
const MAX_ORDINAL = 2 ** 31 - 1;

export interface Member {
  /** Name of the set that a pod of this name would be in. */
  readonly parent: string;
  readonly ordinal: number;
}

/** The ordinal in a name; undefined when it is no name of a member ("web-01" is none: ordinal 1 has another name). */
export function memberOf(name: string): Member | undefined {
  const match = MEMBER_NAME.exec(name);
  if (match === null) return undefined;
  const [, parent = '', digits = ''] = match;
  const ordinal = Number(digits);
  if (parent === '' || ordinal > MAX_ORDINAL || String(ordinal) !== digits) return undefined;
  return { parent, ordinal };
}

export function memberName(set: StatefulSet, ordinal: number): string {
  return `${nameOf(set)}-${ordinal}`;
}

/** The pod's ordinal in this set; undefined for a pod of another name. */
export function ordinalIn(set: StatefulSet, pod: Pod): number | undefined {
  const member = memberOf(nameOf(pod));
  return member?.parent === nameOf(set) ? member.ordinal : undefined;
}

/** The ordinals that the set wants: from `start` on, `count` of them. */
export function wantedOrdinals({ spec }: StatefulSet): { readonly start: number; readonly count: number } {
  return { start: spec?.ordinals?.start ?? 0, count: spec?.replicas ?? 1 };
}

export function isWanted(set: StatefulSet, ordinal: number): boolean {
  const { start, count } = wantedOrdinals(set);
  return ordinal >= start && ordinal < start + count;
}

/** The labels by which services and people find one member. */
export function identityLabels(set: StatefulSet, ordinal: number): Readonly<Record<string, string>> {
  return { [POD_NAME_LABEL]: memberName(set, ordinal), [POD_INDEX_LABEL]: String(ordinal) };
}

/** '' for a pod that has none. */
export function revisionNameOf(pod: Pod): string {
  return pod.metadata?.labels?.[REVISION_LABEL] ?? '';
}
