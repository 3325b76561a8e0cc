/**
 * Validates a pod's operating system, and the fields that go with it (upstream `validateOS`, `validateWindows`,
 * `validateLinux`).
 */
import { child, type FieldError, forbiddenField, index, invalidValue, notSupported, required } from '../field-error.ts';
import { checkDns1123Subdomain } from '../names.ts';
import type { PodSpec, WindowsSecurityContextOptions } from '../types.gen.ts';
import { byteLength, checkValue } from './messages.ts';

const SYSTEMS = ['linux', 'windows'];
const MAX_CREDENTIAL_SPEC_BYTES = 64 * 1024;
const NOT_ON_WINDOWS = 'cannot be set for a windows pod';

/** Fields without a meaning on Windows: of the spec, of its security context, and of each container's. */
const SPEC_FIELDS = ['hostPID', 'hostIPC', 'hostUsers', 'shareProcessNamespace'] as const;
const CONTEXT_FIELDS = [
  'appArmorProfile',
  'seLinuxOptions',
  'seLinuxChangePolicy',
  'seccompProfile',
  'fsGroup',
  'fsGroupChangePolicy',
  'sysctls',
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
  'supplementalGroupsPolicy',
] as const;
const CONTAINER_FIELDS = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
] as const;

export function validatePodOs(spec: PodSpec, path: string): FieldError[] {
  const { os } = spec;
  const errors = validateAllWindowsOptions(spec, path);
  if (os === undefined) return errors;
  if (!os.name) return [...errors, required(child(path, 'os', 'name'))];
  if (!SYSTEMS.includes(os.name)) return [...errors, notSupported(child(path, 'os', 'name'), os.name, SYSTEMS)];
  return [...errors, ...(os.name === 'windows' ? validateWindows(spec, path) : validateLinux(spec, path))];
}

function validateWindows(spec: PodSpec, path: string): FieldError[] {
  const at = child(path, 'securityContext');
  const errors = [
    ...forbidSet(spec, SPEC_FIELDS, path),
    ...forbidSet(spec.securityContext ?? {}, CONTEXT_FIELDS, at),
    ...contextsOf(spec, path).flatMap(({ context, at: where }) => forbidSet(context, CONTAINER_FIELDS, where)),
  ];
  if (spec.resources !== undefined)
    errors.push(forbiddenField(child(path, 'resources'), 'may not be set for a windows pod'));
  return errors;
}

/** A flag that is false by Go's type, not by a pointer, is as good as absent; the canonical form has left it out. */
function forbidSet<T extends object>(of: T, fields: readonly (keyof T & string)[], path: string): FieldError[] {
  return fields
    .filter((name) => of[name] !== undefined)
    .map((name) => forbiddenField(child(path, name), NOT_ON_WINDOWS));
}

function validateLinux(spec: PodSpec, path: string): FieldError[] {
  const text = 'windows options cannot be set for a linux pod';
  return windowsOptionsOf(spec, path).map(({ at }) => forbiddenField(at, text));
}

function contextsOf(spec: PodSpec, path: string) {
  return (['containers', 'initContainers', 'ephemeralContainers'] as const).flatMap((list) =>
    (spec[list] ?? []).map(({ securityContext = {} }, position) => ({
      context: securityContext,
      at: child(index(child(path, list), position), 'securityContext'),
    })),
  );
}

function windowsOptionsOf(spec: PodSpec, path: string) {
  const own = { context: spec.securityContext ?? {}, at: child(path, 'securityContext') };
  return [own, ...contextsOf(spec, path)].flatMap(({ context: { windowsOptions }, at }) =>
    windowsOptions === undefined ? [] : [{ windowsOptions, at: child(at, 'windowsOptions') }],
  );
}

function validateAllWindowsOptions(spec: PodSpec, path: string): FieldError[] {
  return windowsOptionsOf(spec, path).flatMap(({ windowsOptions, at }) => validateOptions(windowsOptions, at));
}

function validateOptions(options: WindowsSecurityContextOptions, path: string): FieldError[] {
  const { gmsaCredentialSpecName, gmsaCredentialSpec, runAsUserName } = options;
  const errors: FieldError[] = [];
  if (gmsaCredentialSpecName !== undefined)
    errors.push(...checkValue(child(path, 'gmsaCredentialSpecName'), gmsaCredentialSpecName, checkDns1123Subdomain));
  for (const [name, value] of Object.entries({ gmsaCredentialSpec, runAsUserName })) {
    if (value === '') errors.push(invalidValue(child(path, name), value, `${name} cannot be an empty string`));
  }
  if (gmsaCredentialSpec !== undefined && byteLength(gmsaCredentialSpec) > MAX_CREDENTIAL_SPEC_BYTES) {
    const text = 'gmsaCredentialSpec size must be under 64 KiB';
    errors.push(invalidValue(child(path, 'gmsaCredentialSpec'), gmsaCredentialSpec, text));
  }
  return errors;
}
