/** Validation of containers, init containers and ephemeral ones (upstream `validateContainers` and its kin). */
import { child, duplicate, type FieldError, forbiddenField, index, invalidValue, required } from '../field-error.ts';
import { checkDns1123Label } from '../names.ts';
import { isRestartableInit } from '../pod-resources.ts';
import type { Container, EphemeralContainer, PodSpec, Volume } from '../types.gen.ts';
import { validateEnv, validateEnvFrom } from './env.ts';
import { oneOf, requireOneOf, requireValue } from './messages.ts';
import { validateHostPorts, validatePorts } from './ports.ts';
import { validateLifecycle, validateReadinessProbe, validateRestartingProbe } from './probe.ts';
import { validateResources } from './resources.ts';
import { validateRestartRules } from './restart-rules.ts';
import { validateSecurityContext } from './security-context.ts';
import { validateVolumeDevices, validateVolumeMounts } from './volume-mounts.ts';

interface Scope {
  readonly volumes: ReadonlyMap<string, Volume>;
  readonly gracePeriodSeconds: number;
}

/** All containers of a spec: each by itself, and their names and host ports together. */
export function validateAllContainers(spec: PodSpec, path: string): FieldError[] {
  const scope: Scope = {
    volumes: new Map((spec.volumes ?? []).map((volume) => [volume.name, volume])),
    gracePeriodSeconds: spec.terminationGracePeriodSeconds ?? 0,
  };
  const containers = spec.containers ?? [];
  const at = child(path, 'containers');
  const names = new Set<string>();
  const errors = containers.length === 0 ? [required(at)] : [];
  containers.forEach((container, position) => {
    errors.push(
      ...validateMain(container, scope, index(at, position)),
      ...uniqueName(names, container.name, index(at, position)),
    );
  });
  errors.push(...validateHostPorts(containers.map((container, position) => [index(at, position), container])));
  (spec.initContainers ?? []).forEach((container, position) => {
    const where = index(child(path, 'initContainers'), position);
    errors.push(...validateInit(container, scope, where), ...uniqueName(names, container.name, where));
  });
  (spec.ephemeralContainers ?? []).forEach((container, position) => {
    const where = index(child(path, 'ephemeralContainers'), position);
    errors.push(...validateEphemeral(container, spec, scope, where), ...uniqueName(names, container.name, where));
  });
  return errors;
}

function uniqueName(names: Set<string>, name: string, path: string): FieldError[] {
  if (!name) return [];
  const known = names.has(name);
  names.add(name);
  return known ? [duplicate(child(path, 'name'), name)] : [];
}

function validateMain(container: Container, scope: Scope, path: string): FieldError[] {
  return [
    ...validateCommon(container, scope, path),
    ...validateRestartRules(container, path),
    ...validateRunning(container, scope, path),
  ];
}

/** Hooks and probes: for containers that keep running. */
function validateRunning(container: Container, scope: Scope, path: string): FieldError[] {
  return [
    ...validateLifecycle(container.lifecycle, scope.gracePeriodSeconds, child(path, 'lifecycle')),
    ...validateRestartingProbe(container.livenessProbe, child(path, 'livenessProbe')),
    ...validateReadinessProbe(container.readinessProbe, child(path, 'readinessProbe')),
    ...validateRestartingProbe(container.startupProbe, child(path, 'startupProbe')),
  ];
}

function validateInit(container: Container, scope: Scope, path: string): FieldError[] {
  const errors = [...validateCommon(container, scope, path), ...validateRestartRules(container, path)];
  errors.push(...validateHostPorts([[path, container]]));
  if (isRestartableInit(container)) return [...errors, ...validateRunning(container, scope, path)];
  for (const name of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
    if (container[name] !== undefined) {
      errors.push(forbiddenField(child(path, name), 'may not be set for init containers without restartPolicy=Always'));
    }
  }
  return errors;
}

const EPHEMERAL_FORBIDDEN = [
  'ports',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
  'resizePolicy',
  'restartPolicy',
] as const;

function validateEphemeral(container: EphemeralContainer, spec: PodSpec, scope: Scope, path: string): FieldError[] {
  const errors = validateCommon(container, scope, path);
  const targets = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map((entry) => entry.name);
  if (container.targetContainerName && !targets.includes(container.targetContainerName)) {
    const body = `Not found: ${JSON.stringify(container.targetContainerName)}`;
    errors.push({ type: 'FieldValueNotFound', field: child(path, 'targetContainerName'), body });
  }
  for (const name of EPHEMERAL_FORBIDDEN) {
    if (container[name] !== undefined)
      errors.push(forbiddenField(child(path, name), 'cannot be set for an Ephemeral Container'));
  }
  if (Object.keys(container.resources ?? {}).length > 0) {
    errors.push(forbiddenField(child(path, 'resources'), 'cannot be set for an Ephemeral Container'));
  }
  return errors;
}

function validateCommon(container: Container, scope: Scope, path: string): FieldError[] {
  return [
    ...requireValue(child(path, 'name'), container.name, checkDns1123Label),
    ...validateImage(container.image, child(path, 'image')),
    ...requireOneOf(child(path, 'terminationMessagePolicy'), container.terminationMessagePolicy, [
      'File',
      'FallbackToLogsOnError',
    ]),
    ...requireOneOf(child(path, 'imagePullPolicy'), container.imagePullPolicy, ['Always', 'IfNotPresent', 'Never']),
    ...validatePorts(container.ports, child(path, 'ports')),
    ...validateEnv(container.env, child(path, 'env')),
    ...validateEnvFrom(container.envFrom, child(path, 'envFrom')),
    ...validateVolumeMounts(container, scope.volumes, child(path, 'volumeMounts')),
    ...validateVolumeDevices(container.volumeDevices, scope.volumes, child(path, 'volumeDevices')),
    ...validateResources(container.resources, child(path, 'resources')),
    ...validateResizePolicy(container, child(path, 'resizePolicy')),
    ...validateSecurityContext(container.securityContext, child(path, 'securityContext')),
  ];
}

/** Any text without surrounding space: the runtime decides about its meaning. */
export function validateImage(image: string | undefined, path: string): FieldError[] {
  if (!image) return [required(path)];
  return image.trim() === image ? [] : [invalidValue(path, image, 'must not have leading or trailing whitespace')];
}

function validateResizePolicy(container: Container, path: string): FieldError[] {
  const taken = new Set<string>();
  return (container.resizePolicy ?? []).flatMap((policy, position) => {
    const at = index(path, position);
    const errors = [
      ...oneOf(child(at, 'resourceName'), policy.resourceName, ['cpu', 'memory']),
      ...oneOf(child(at, 'restartPolicy'), policy.restartPolicy, ['NotRequired', 'RestartContainer']),
    ];
    if (taken.has(policy.resourceName)) errors.push(duplicate(at, policy.resourceName));
    taken.add(policy.resourceName);
    return errors;
  });
}
