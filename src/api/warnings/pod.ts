/**
 * Warnings about likely mistakes in a pod or in a template of pods (upstream: GetWarningsForPod, GetWarningsForPodTemplate).
 * Pure.
 */
import { child, index, key } from '../field-error.ts';
import type { Affinity, PodAffinityTerm, PodSpec, Volume } from '../types.gen.ts';
import { claimSpecWarnings } from './claims.ts';
import { containerWarnings, type PlacedContainer, portWarnings } from './containers.ts';
import { OLD_ANNOTATIONS, OLD_VOLUMES, oldLabelAt, oldLabels, oldLabelsOfTerm } from './old-names.ts';
import { overlappingPaths } from './overlapping-paths.ts';
import { fractionalBytes } from './whole-bytes.ts';

type Annotations = Readonly<Record<string, string>>;

/** A pod's parts that are looked at, and where they lie: "" for a pod, else the path of its template. */
export interface PodParts {
  readonly path: string;
  readonly annotations: Annotations;
  readonly spec: PodSpec;
}

const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/';
const APPARMOR_CONTAINER = 'container.apparmor.security.beta.kubernetes.io/';
const NO_SELECTOR = 'a null labelSelector results in matching no pod';

export function podPartsWarnings(parts: PodParts): string[] {
  const { path, annotations, spec } = parts;
  const at = (...names: readonly string[]): string => child(path, 'spec', ...names);
  const containers = placedContainers(spec, at);
  const grace = 'must be >= 0; negative values are invalid and will be treated as 1';
  return [
    ...nodeWarnings(spec, at),
    ...annotationWarnings(annotations, child(path, 'metadata', 'annotations')),
    ...volumeWarnings(spec.volumes ?? [], at('volumes')),
    ...twiceNamed(spec, at),
    ...fractionalBytes(spec.overhead, ['memory', 'ephemeral-storage'], at('overhead')),
    ...profileWarnings(parts, containers),
    ...containers.flatMap(containerWarnings),
    ...portWarnings(containers),
    ...((spec.terminationGracePeriodSeconds ?? 0) < 0 ? [`${at('terminationGracePeriodSeconds')}: ${grace}`] : []),
    ...podAffinityWarnings(spec.affinity, at('affinity')),
  ];
}

type At = (...names: readonly string[]) => string;

function placedContainers(spec: PodSpec, at: At): readonly PlacedContainer[] {
  return (['initContainers', 'containers', 'ephemeralContainers'] as const).flatMap((list) =>
    (spec[list] ?? []).map((container, position) => ({ container, path: index(at(list), position) })),
  );
}

function nodeWarnings({ nodeSelector = {}, affinity, topologySpreadConstraints = [] }: PodSpec, at: At): string[] {
  const node = affinity?.nodeAffinity;
  if (node === undefined && topologySpreadConstraints.length === 0) {
    return oldLabels(Object.keys(nodeSelector), (label) => key(at('nodeSelector'), label));
  }
  const required = at(
    'affinity',
    'nodeAffinity',
    'requiredDuringSchedulingIgnoredDuringExecution',
    'nodeSelectorTerms',
  );
  const preferred = at('affinity', 'nodeAffinity', 'preferredDuringSchedulingIgnoredDuringExecution');
  return [
    ...oldLabels(Object.keys(nodeSelector), (label) => key(at('nodeSelector'), label)),
    ...(node?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []).flatMap((term, position) =>
      oldLabelsOfTerm(term, index(required, position)),
    ),
    ...(node?.preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(({ preference }, position) =>
      oldLabelsOfTerm(preference, child(index(preferred, position), 'preference')),
    ),
    ...topologySpreadConstraints.flatMap(({ topologyKey, labelSelector }, position) => {
      const path = index(at('topologySpreadConstraints'), position);
      return [
        ...oldLabelAt(child(path, 'topologyKey'), topologyKey),
        ...(labelSelector === undefined ? [`${child(path, 'labelSelector')}: ${NO_SELECTOR}`] : []),
      ];
    }),
  ];
}

function annotationWarnings(annotations: Annotations, path: string): string[] {
  if (Object.keys(annotations).length === 0) return [];
  return [...OLD_ANNOTATIONS].flatMap(([name, text]) =>
    Object.hasOwn(annotations, name) ? [`${key(path, name)}: ${text}`] : [],
  );
}

function volumeWarnings(volumes: readonly Volume[], path: string): string[] {
  if (volumes.length === 0) return [];
  const old = volumes.flatMap((volume, position) => {
    const at = index(path, position);
    const { ephemeral } = volume;
    const claim = child(at, 'ephemeral', 'volumeClaimTemplate', 'spec');
    return [
      ...Object.keys(volume).flatMap((name) => {
        const [shown, text] = OLD_VOLUMES.get(name) ?? [];
        return shown === undefined ? [] : [`${child(at, shown)}: ${text}`];
      }),
      ...claimSpecWarnings(ephemeral?.volumeClaimTemplate?.spec, claim),
    ];
  });
  return [...old, ...overlappingPaths(volumes)];
}

/** Host aliases and pull secrets that are there twice, or have no name. */
function twiceNamed({ hostAliases = [], imagePullSecrets = [] }: PodSpec, at: At): string[] {
  const names = imagePullSecrets.map(({ name = '' }) => name);
  const nameAt = (position: number): string => child(index(at('imagePullSecrets'), position), 'name');
  return [
    ...repeated(hostAliases.map(({ ip }) => ip)).map(
      ([ip, position]) => `${child(index(at('hostAliases'), position), 'ip')}: duplicate ip ${JSON.stringify(ip)}`,
    ),
    ...repeated(names).map(([name, position]) => `${nameAt(position)}: duplicate name ${JSON.stringify(name)}`),
    ...names.flatMap((name, position) => (name === '' ? [`${nameAt(position)}: invalid empty name ""`] : [])),
  ];
}

function repeated(values: readonly string[]): readonly (readonly [string, number])[] {
  return values.flatMap((value, position) => (values.indexOf(value) < position ? [[value, position] as const] : []));
}

/** Security profiles in annotations, where no field says the same. AppArmor's of a pod become fields: it is said there. */
function profileWarnings({ path, annotations, spec }: PodParts, containers: readonly PlacedContainer[]): string[] {
  if (Object.keys(annotations).length === 0) return [];
  const at = child(path, 'metadata', 'annotations');
  const { securityContext } = spec;
  const said = (name: string, text: string): string[] =>
    Object.hasOwn(annotations, name) ? [`${key(at, name)}: ${text}`] : [];
  const seccomp = 'non-functional in v1.27+; use the "seccompProfile" field instead';
  const appArmor = 'deprecated since v1.30; use the "appArmorProfile" field instead';
  return [
    ...(securityContext?.seccompProfile === undefined ? said(SECCOMP_POD, seccomp) : []),
    ...containers.flatMap(({ container: { name, securityContext: own } }) => [
      ...(own?.seccompProfile === undefined ? said(`${SECCOMP_CONTAINER}${name}`, seccomp) : []),
      ...(path !== '' && own?.appArmorProfile === undefined && securityContext?.appArmorProfile === undefined
        ? said(`${APPARMOR_CONTAINER}${name}`, appArmor)
        : []),
    ]),
  ];
}

function podAffinityWarnings(affinity: Affinity | undefined, path: string): string[] {
  if (affinity === undefined) return [];
  return (['podAffinity', 'podAntiAffinity'] as const).flatMap((which) => {
    const required = affinity[which]?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const preferred = affinity[which]?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    const at = (list: string, position: number, ...rest: readonly string[]): string =>
      child(index(child(path, which, list), position), ...rest, 'labelSelector');
    const missing = (term: PodAffinityTerm, where: string): string[] =>
      term.labelSelector === undefined ? [`${where}: ${NO_SELECTOR}`] : [];
    return [
      ...required.flatMap((term, n) => missing(term, at('requiredDuringSchedulingIgnoredDuringExecution', n))),
      ...preferred.flatMap(({ podAffinityTerm }, n) =>
        missing(podAffinityTerm, at('preferredDuringSchedulingIgnoredDuringExecution', n, 'podAffinityTerm')),
      ),
    ];
  });
}
