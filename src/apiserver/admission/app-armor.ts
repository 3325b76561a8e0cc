/**
 * AppArmor profiles that a new pod names in annotations become fields of its containers (upstream:
 * applyAppArmorVersionSkew, KEP-24). Pure.
 */
import { type AppArmorProfile, type Container, equalJson, key, type Pod } from '../../api/index.ts';
import type { ApiObject } from '../registry/object.ts';

const PREFIX = 'container.apparmor.security.beta.kubernetes.io/';
const LOCALHOST = 'localhost/';

export interface WithProfiles {
  readonly object: ApiObject;
  readonly warnings: readonly string[];
}

/** A field of the container wins; an annotation that says what the pod's own field says adds none. */
export function profilesFromAnnotations(object: ApiObject): WithProfiles {
  const { spec } = object as Pod;
  const annotations = object.metadata.annotations ?? {};
  const named = Object.keys(annotations).some((name) => name.startsWith(PREFIX));
  if (spec === undefined || !named || spec.os?.name === 'windows') return { object, warnings: [] };
  const warnings: string[] = [];
  const ofPod = spec.securityContext?.appArmorProfile;
  const withProfile = (container: Container): Container => {
    const annotation = annotations[PREFIX + container.name];
    if (annotation === undefined || container.securityContext?.appArmorProfile !== undefined) return container;
    const profile = profileOf(annotation);
    if (profile !== undefined && equalJson(profile, ofPod)) return container;
    const path = key('metadata.annotations', PREFIX + container.name);
    warnings.push(`${path}: deprecated since v1.30; use the "appArmorProfile" field instead`);
    if (profile === undefined) return container;
    return { ...container, securityContext: { ...container.securityContext, appArmorProfile: profile } };
  };
  const { initContainers, containers } = spec;
  const changed = {
    ...spec,
    ...(initContainers === undefined ? {} : { initContainers: initContainers.map(withProfile) }),
    containers: containers.map(withProfile),
  };
  return { object: { ...object, spec: changed }, warnings };
}

/** Undefined for what is no profile. */
function profileOf(annotation: string): AppArmorProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  const localhostProfile = annotation.startsWith(LOCALHOST) ? annotation.slice(LOCALHOST.length) : '';
  // As validation has it: a name without spaces around, of at most 4095 bytes.
  if (localhostProfile.trim() !== localhostProfile || localhostProfile.length > 4095) return undefined;
  return localhostProfile === '' ? undefined : { type: 'Localhost', localhostProfile };
}
