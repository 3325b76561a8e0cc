/** Validation of a PodSpec, in a pod and in every template (upstream `ValidatePodSpec`). */
import {
  child,
  duplicate,
  type FieldError,
  forbiddenField,
  index,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from '../field-error.ts';
import { checkDns1123Label, checkDns1123Subdomain, checkLabelKey, checkRange } from '../names.ts';
import type { PodSpec } from '../types.gen.ts';
import { validateAffinity, validateLabelKeys, validateLabelSelector } from './affinity.ts';
import { validateAllContainers } from './containers.ts';
import { validateDns, validateHostAliases } from './pod-dns.ts';
import { checkValue, oneOf, requireOneOf } from './messages.ts';
import { nulErrors } from './no-nul.ts';
import { validateLabels } from './object-meta.ts';
import { validatePodOs } from './pod-os.ts';
import { validateResourceClaims } from './resource-claims.ts';
import { validateResources } from './resources.ts';
import { validateHostNamespaces, validatePodSecurityContext } from './security-context.ts';
import { validateTolerations } from './tolerations.ts';
import { validateVolumes } from './volumes.ts';

export const MAX_ACTIVE_DEADLINE_SECONDS = 2 ** 31 - 1;
/** For Linux. */
const MAX_HOSTNAME_LENGTH = 64;

export function validatePodSpec(spec: PodSpec, path: string): FieldError[] {
  return [
    ...nulErrors(spec, path),
    ...validateVolumes(spec.volumes, child(path, 'volumes')),
    ...validateAllContainers(spec, path),
    ...requireOneOf(child(path, 'restartPolicy'), spec.restartPolicy, ['Always', 'OnFailure', 'Never']),
    ...validateDns(spec, path),
    ...validateNames(spec, path),
    ...validateActiveDeadline(spec.activeDeadlineSeconds, child(path, 'activeDeadlineSeconds')),
    ...validatePodSecurityContext(spec.securityContext, child(path, 'securityContext')),
    ...validateHostNamespaces(spec, path),
    ...validateHostNetworkPorts(spec, path),
    ...validatePodOs(spec, path),
    ...validateResourceClaims(spec, path),
    ...validateResources(spec.resources, child(path, 'resources'), true),
    ...validatePlacement(spec, path),
    ...validateHostAliases(spec.hostAliases, child(path, 'hostAliases')),
    ...validateGates(spec, path),
    ...oneOf(child(path, 'preemptionPolicy'), spec.preemptionPolicy, ['Never', 'PreemptLowerPriority']),
  ];
}

/** Names of other things, where they are given. */
function validateNames(spec: PodSpec, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const subdomains = ['serviceAccountName', 'nodeName', 'priorityClassName'] as const;
  // A pointer: an empty text is a name, and no good one.
  if (spec.runtimeClassName !== undefined)
    errors.push(...checkValue(child(path, 'runtimeClassName'), spec.runtimeClassName, checkDns1123Subdomain));
  for (const name of subdomains) {
    if (spec[name]) errors.push(...checkValue(child(path, name), spec[name], checkDns1123Subdomain));
  }
  for (const name of ['hostname', 'subdomain'] as const) {
    if (spec[name]) errors.push(...checkValue(child(path, name), spec[name], checkDns1123Label));
  }
  return [...errors, ...validateHostnameOverride(spec, child(path, 'hostnameOverride'))];
}

function validateHostnameOverride(spec: PodSpec, path: string): FieldError[] {
  const { hostnameOverride: name } = spec;
  if (name === undefined) return [];
  const errors: FieldError[] = [];
  if (spec.setHostnameAsFQDN === true)
    errors.push(forbiddenField(path, 'may not be specified when setHostnameAsFQDN is true'));
  if (spec.hostNetwork === true) errors.push(forbiddenField(path, 'may not be specified when hostNetwork is true'));
  errors.push(...checkValue(path, name, checkDns1123Subdomain));
  if (name.length > MAX_HOSTNAME_LENGTH) errors.push(tooLong(path, MAX_HOSTNAME_LENGTH));
  return errors;
}

export function validateActiveDeadline(seconds: number | undefined, path: string): FieldError[] {
  if (seconds === undefined) return [];
  return checkRange(seconds, 1, MAX_ACTIVE_DEADLINE_SECONDS).map((message) => invalidValue(path, seconds, message));
}

function validateHostNetworkPorts(spec: PodSpec, path: string): FieldError[] {
  if (spec.hostNetwork !== true) return [];
  return (spec.containers ?? []).flatMap((container, position) =>
    (container.ports ?? []).flatMap((port, portPosition) => {
      if (!port.hostPort || port.hostPort === port.containerPort) return [];
      const at = index(child(index(child(path, 'containers'), position), 'ports'), portPosition);
      return [
        invalidValue(
          child(at, 'containerPort'),
          port.containerPort,
          'must match `hostPort` when `hostNetwork` is true',
        ),
      ];
    }),
  );
}

function validatePlacement(spec: PodSpec, path: string): FieldError[] {
  return [
    ...validateLabels(spec.nodeSelector, child(path, 'nodeSelector')),
    ...validateAffinity(spec.affinity, child(path, 'affinity')),
    ...validateTolerations(spec.tolerations, child(path, 'tolerations')),
    ...validateSpread(spec, child(path, 'topologySpreadConstraints')),
  ];
}

function validateSpread(spec: PodSpec, path: string): FieldError[] {
  return (spec.topologySpreadConstraints ?? []).flatMap((constraint, position) => {
    const at = index(path, position);
    const errors: FieldError[] = [];
    if (constraint.maxSkew <= 0)
      errors.push(invalidValue(child(at, 'maxSkew'), constraint.maxSkew, 'must be greater than zero'));
    if (!constraint.topologyKey) errors.push(required(child(at, 'topologyKey'), 'can not be empty'));
    const actions = ['DoNotSchedule', 'ScheduleAnyway'];
    if (!actions.includes(constraint.whenUnsatisfiable)) {
      errors.push(notSupported(child(at, 'whenUnsatisfiable'), constraint.whenUnsatisfiable ?? '', actions));
    }
    const { minDomains, labelSelector, matchLabelKeys } = constraint;
    if (minDomains !== undefined && minDomains <= 0)
      errors.push(invalidValue(child(at, 'minDomains'), minDomains, 'must be greater than zero'));
    if (minDomains !== undefined && constraint.whenUnsatisfiable !== 'DoNotSchedule') {
      const text = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${constraint.whenUnsatisfiable}`;
      errors.push(invalidValue(child(at, 'minDomains'), minDomains, text));
    }
    for (const name of ['nodeAffinityPolicy', 'nodeTaintsPolicy'] as const)
      errors.push(...oneOf(child(at, name), constraint[name], ['Honor', 'Ignore']));
    return [
      ...errors,
      ...validateLabelKeys(matchLabelKeys, labelSelector, child(at, 'matchLabelKeys')),
      ...validateLabelSelector(labelSelector, child(at, 'labelSelector')),
    ];
  });
}

function validateGates(spec: PodSpec, path: string): FieldError[] {
  const readiness = (spec.readinessGates ?? []).flatMap((gate, position) =>
    checkValue(
      child(index(child(path, 'readinessGates'), position), 'conditionType'),
      gate.conditionType ?? '',
      checkLabelKey,
    ),
  );
  const taken = new Set<string>();
  const scheduling = (spec.schedulingGates ?? []).flatMap((gate, position) => {
    const at = index(child(path, 'schedulingGates'), position);
    const errors = checkValue(at, gate.name ?? '', checkLabelKey);
    if (taken.has(gate.name)) errors.push(duplicate(at, gate.name));
    taken.add(gate.name);
    return errors;
  });
  return [...readiness, ...scheduling];
}
