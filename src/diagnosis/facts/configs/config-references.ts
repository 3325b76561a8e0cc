/** Lists the ConfigMaps and Secrets that a pod or one of its containers refers to. */
import type { Container, Pod } from '../../evidence/kinds.ts';
import type { ConfigEvidence } from '../../evidence/pod-evidence.ts';
import { listed } from '../words/text.ts';

export interface ConfigReference {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly name: string;
}

/** One of a container, and whether it reads it only when it starts. */
export interface UsedConfig extends ConfigReference {
  readonly asVariable: boolean;
}

export function configReferences(pod: Pod): readonly ConfigReference[] {
  const { spec } = pod;
  const found = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].flatMap((container) =>
    ofVariables(container),
  );
  return unique([...found, ...(spec?.volumes ?? []).flatMap((volume) => ofVolume(volume))]);
}

/** Names of variables that hold hosts and URLs. */
export const NAMES_PEER = /HOST|URL|URI|ADDR|SERVER|ENDPOINT|DSN|BROKER|DATABASE$|CONN/i;
/** Volumes with certificates and keys alone, as their names and places tell. */
const HOLDS_KEYS = /tls|ssl|cert|\bkeys?\b|ssh|pki|\bca\b|token/i;

/** The Secrets of a container whose values may name a peer: of variables by their names, whole ones, and files beside those of keys. */
export function secretsWithPeers({ spec }: Pod, container: Container): readonly ConfigReference[] {
  const variables = keyVariables(container).filter(
    ({ kind, variable }) => kind === 'Secret' && NAMES_PEER.test(variable),
  );
  const wholes = (container.envFrom ?? []).flatMap(({ secretRef }) => one('Secret', secretRef?.name));
  const mounts = (container.volumeMounts ?? []).filter((each) => !HOLDS_KEYS.test(`${each.name} ${each.mountPath}`));
  const mounted = new Set(mounts.map(({ name }) => name));
  const files = (spec?.volumes ?? []).filter(({ name }) => mounted.has(name)).flatMap((volume) => ofVolume(volume));
  return unique([
    ...variables.map(({ kind, name }) => ({ kind, name })),
    ...wholes,
    ...files.filter(({ kind }) => kind === 'Secret'),
  ]);
}

/** What one container uses: its variables, and the volumes that it mounts. */
export function usedBy({ spec }: Pod, container: Container): readonly UsedConfig[] {
  const mounted = new Set((container.volumeMounts ?? []).map(({ name }) => name));
  const files = (spec?.volumes ?? []).filter(({ name }) => mounted.has(name)).flatMap((volume) => ofVolume(volume));
  return [
    ...unique(ofVariables(container)).map((one) => ({ ...one, asVariable: true })),
    ...unique(files).map((one) => ({ ...one, asVariable: false })),
  ];
}

/** It is in every pod's token volume, and holds a certificate only. */
const ROOT_AUTHORITY = 'kube-root-ca.crt';

/** The ConfigMaps that the containers of a pod use, without that of the cluster's certificate. */
export function configMapsOf(pod: Pod, containers = pod.spec?.containers ?? []): readonly ConfigReference[] {
  const used = containers.flatMap((container) => usedBy(pod, container));
  const maps = used.filter(({ kind, name }) => kind === 'ConfigMap' && name !== ROOT_AUTHORITY);
  return unique(maps.map(({ kind, name }) => ({ kind, name })));
}

/** The Secrets that the containers of a pod have variables of. */
export function variableSecrets({ spec }: Pod): readonly ConfigReference[] {
  return unique((spec?.containers ?? []).flatMap((container) => ofVariables(container))).filter(
    ({ kind }) => kind === 'Secret',
  );
}

/** A variable that has its value from a key. */
export interface KeyVariable extends ConfigReference {
  readonly variable: string;
  readonly key: string;
  readonly index: number;
  readonly optional: boolean;
}

/** The variables of a container that have their values from keys. */
export function keyVariables({ env = [] }: Container): readonly KeyVariable[] {
  return env.flatMap(({ name: variable, valueFrom }, index): readonly KeyVariable[] => {
    const { configMapKeyRef, secretKeyRef } = valueFrom ?? {};
    const [kind, ref] =
      secretKeyRef === undefined ? (['ConfigMap', configMapKeyRef] as const) : (['Secret', secretKeyRef] as const);
    return ref?.name === undefined || ref.name === ''
      ? []
      : [{ kind, name: ref.name, variable, key: ref.key, index, optional: ref.optional === true }];
  });
}

/** The variables of a container that the node leaves out where their ConfigMap, Secret or key is not there. */
export function optionalVariables(container: Container): readonly KeyVariable[] {
  return keyVariables(container).filter(({ optional }) => optional);
}

/** The ConfigMaps and Secrets of whose keys all would be variables, and that the node leaves out where they are not there. */
export function optionalWholes({ envFrom = [] }: Container): readonly (ConfigReference & { readonly index: number })[] {
  return envFrom.flatMap(({ configMapRef, secretRef }, index) => {
    const ref = secretRef ?? configMapRef;
    const kind = secretRef === undefined ? ('ConfigMap' as const) : ('Secret' as const);
    return ref?.optional !== true || (ref.name ?? '') === '' ? [] : [{ kind, name: ref.name ?? '', index }];
  });
}

/** "; there is shop-config", or that another namespace has one of that name. */
export function alikeText({ elsewhere = [], similar = [] }: Pick<ConfigEvidence, 'elsewhere' | 'similar'>): string {
  if (similar.length > 0) return `; there is ${listed(similar)}`;
  return elsewhere.length === 0 ? '' : `, but one in namespace ${listed(elsewhere)}`;
}

function ofVariables({ env, envFrom }: Container): readonly ConfigReference[] {
  return [
    ...(env ?? []).flatMap(({ valueFrom }) => [
      ...one('ConfigMap', valueFrom?.configMapKeyRef?.name),
      ...one('Secret', valueFrom?.secretKeyRef?.name),
    ]),
    ...(envFrom ?? []).flatMap(({ configMapRef, secretRef }) => [
      ...one('ConfigMap', configMapRef?.name),
      ...one('Secret', secretRef?.name),
    ]),
  ];
}

type Volume = NonNullable<NonNullable<Pod['spec']>['volumes']>[number];

function ofVolume({ configMap, secret, projected }: Volume): readonly ConfigReference[] {
  return [
    ...one('ConfigMap', configMap?.name),
    ...one('Secret', secret?.secretName),
    ...(projected?.sources ?? []).flatMap((source) => [
      ...one('ConfigMap', source.configMap?.name),
      ...one('Secret', source.secret?.name),
    ]),
  ];
}

function one(kind: ConfigReference['kind'], name: string | undefined): readonly ConfigReference[] {
  return name === undefined || name === '' ? [] : [{ kind, name }];
}

function unique(all: readonly ConfigReference[]): readonly ConfigReference[] {
  return [...new Map(all.map((each) => [`${each.kind}/${each.name}`, each])).values()];
}
