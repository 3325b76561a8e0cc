/** Names that have better ones now: labels of nodes, annotations of pods, kinds of volumes. Pure. */
import { child, index } from '../field-error.ts';
import type { NodeSelectorTerm } from '../types.gen.ts';

/** Labels of nodes (upstream: GetNodeLabelDeprecatedMessage). */
const OLD_LABELS: ReadonlyMap<string, string> = new Map([
  ['beta.kubernetes.io/arch', 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ['beta.kubernetes.io/os', 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  ['failure-domain.beta.kubernetes.io/region', 'deprecated since v1.17; use "topology.kubernetes.io/region" instead'],
  ['failure-domain.beta.kubernetes.io/zone', 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'],
  ['beta.kubernetes.io/instance-type', 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'],
  ['node-role.kubernetes.io/master', 'use "node-role.kubernetes.io/control-plane" instead'],
]);

/** Annotations of pods and templates that do nothing any more. */
export const OLD_ANNOTATIONS: ReadonlyMap<string, string> = new Map([
  ['scheduler.alpha.kubernetes.io/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.kubernetes.io/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['security.alpha.kubernetes.io/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
]);

/** By the volume's field: how upstream writes the field, and what it says. */
export const OLD_VOLUMES: ReadonlyMap<string, readonly [string, string]> = new Map([
  ['photonPersistentDisk', ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+']],
  ['gitRepo', ['gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+']],
  ['scaleIO', ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+']],
  ['flocker', ['flocker', 'deprecated in v1.22, non-functional in v1.25+']],
  ['storageos', ['storageOS', 'deprecated in v1.22, non-functional in v1.25+']],
  ['quobyte', ['quobyte', 'deprecated in v1.22, non-functional in v1.25+']],
  ['glusterfs', ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+']],
  ['cephfs', ['cephfs', 'deprecated in v1.28, non-functional in v1.31+']],
  ['rbd', ['rbd', 'deprecated in v1.28, non-functional in v1.31+']],
]);

/** Labels at `path`, which is said of each. */
export function oldLabels(labels: Iterable<string>, pathOf: (label: string) => string): string[] {
  return [...labels].flatMap((label) => {
    const text = OLD_LABELS.get(label);
    return text === undefined ? [] : [`${pathOf(label)}: ${text}`];
  });
}

/** A label that is a value: its name is said, too. */
export function oldLabelAt(path: string, label: string | undefined): string[] {
  const text = label === undefined ? undefined : OLD_LABELS.get(label);
  return text === undefined ? [] : [`${path}: ${label} is ${text}`];
}

/** For a term that selects nodes. */
export function oldLabelsOfTerm(term: NodeSelectorTerm | undefined, path: string): string[] {
  return (term?.matchExpressions ?? []).flatMap(({ key }, position) =>
    oldLabelAt(child(index(child(path, 'matchExpressions'), position), 'key'), key),
  );
}
