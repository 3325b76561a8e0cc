/** Validation of security contexts (upstream `ValidateSecurityContext`, `validatePodSpecSecurityContext`). */
import {
  child,
  duplicate,
  type FieldError,
  forbiddenField,
  index,
  invalidValue,
  required,
  tooLong,
} from '../field-error.ts';
import { checkRange } from '../names.ts';
import type { AppArmorProfile, PodSecurityContext, PodSpec, SeccompProfile, SecurityContext } from '../types.gen.ts';
import { localPathErrors } from './volume-mounts.ts';
import { oneOf, requireOneOf } from './messages.ts';

const MAX_ID = 2 ** 31 - 1;

export function validateSecurityContext(context: SecurityContext | undefined, path: string): FieldError[] {
  if (context === undefined) return [];
  const errors = [
    ...validateId(context.runAsUser, child(path, 'runAsUser')),
    ...validateId(context.runAsGroup, child(path, 'runAsGroup')),
    ...validateSeccomp(context.seccompProfile, child(path, 'seccompProfile')),
    ...validateAppArmor(context.appArmorProfile, child(path, 'appArmorProfile')),
    ...oneOf(child(path, 'procMount'), context.procMount, ['Default', 'Unmasked']),
  ];
  if (context.allowPrivilegeEscalation === false) {
    const field = child(path, 'allowPrivilegeEscalation');
    if (context.privileged === true) {
      errors.push(
        invalidValue(path, context, 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true'),
      );
    } else if (context.capabilities?.add?.includes('CAP_SYS_ADMIN')) {
      errors.push(
        invalidValue(
          field,
          false,
          'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN',
        ),
      );
    }
  }
  return errors;
}

export function validatePodSecurityContext(context: PodSecurityContext | undefined, path: string): FieldError[] {
  if (context === undefined) return [];
  return [
    ...validateId(context.runAsUser, child(path, 'runAsUser')),
    ...validateId(context.runAsGroup, child(path, 'runAsGroup')),
    ...validateId(context.fsGroup, child(path, 'fsGroup')),
    ...(context.supplementalGroups ?? []).flatMap((group, position) =>
      validateId(group, index(child(path, 'supplementalGroups'), position)),
    ),
    ...validateSeccomp(context.seccompProfile, child(path, 'seccompProfile')),
    ...validateAppArmor(context.appArmorProfile, child(path, 'appArmorProfile')),
    ...oneOf(child(path, 'seLinuxChangePolicy'), context.seLinuxChangePolicy, ['Recursive']),
    ...oneOf(child(path, 'fsGroupChangePolicy'), context.fsGroupChangePolicy, ['Always', 'OnRootMismatch']),
    ...oneOf(child(path, 'supplementalGroupsPolicy'), context.supplementalGroupsPolicy, ['Merge', 'Strict']),
    ...validateSysctls(context.sysctls ?? [], child(path, 'sysctls')),
  ];
}

/** Upstream: SysctlContainSlashFmt, SysctlMaxLength. */
const SYSCTL_NAME = '([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const SYSCTL_PATTERN = new RegExp(`^${SYSCTL_NAME}$`);
const MAX_SYSCTL_LENGTH = 253;

/** The sysctls of a kernel; the node decides which of them a pod may set. */
function validateSysctls(sysctls: readonly { readonly name: string }[], path: string): FieldError[] {
  const taken = new Set<string>();
  return sysctls.flatMap(({ name }, position) => {
    const field = child(index(path, position), 'name');
    const isFirst = !taken.has(name);
    taken.add(name);
    if (!name) return [required(field)];
    if (name.length > MAX_SYSCTL_LENGTH || !SYSCTL_PATTERN.test(name)) {
      return [
        invalidValue(field, name, `must have at most ${MAX_SYSCTL_LENGTH} characters and match regex ^${SYSCTL_NAME}$`),
      ];
    }
    return isFirst ? [] : [duplicate(field, name)];
  });
}

function validateId(id: number | undefined, path: string): FieldError[] {
  return id === undefined ? [] : checkRange(id, 0, MAX_ID).map((message) => invalidValue(path, id, message));
}

function validateSeccomp(profile: SeccompProfile | undefined, path: string): FieldError[] {
  if (profile === undefined) return [];
  const errors = requireOneOf(child(path, 'type'), profile.type, ['Localhost', 'RuntimeDefault', 'Unconfined']);
  const field = child(path, 'localhostProfile');
  if (profile.type === 'Localhost') {
    if (profile.localhostProfile === undefined)
      errors.push(required(field, 'must be set when seccomp type is Localhost'));
    else errors.push(...localPathErrors(profile.localhostProfile, field));
  } else if (profile.localhostProfile !== undefined) {
    errors.push(invalidValue(field, profile.localhostProfile, 'can only be set when seccomp type is Localhost'));
  }
  return errors;
}

const MAX_APPARMOR_PROFILE_LENGTH = 4095;

function validateAppArmor(profile: AppArmorProfile | undefined, path: string): FieldError[] {
  if (profile === undefined) return [];
  const { type, localhostProfile } = profile;
  const types = ['Localhost', 'RuntimeDefault', 'Unconfined'];
  if (!type) return [required(child(path, 'type'), 'type is required when appArmorProfile is set')];
  const errors = oneOf(child(path, 'type'), type, types);
  const field = child(path, 'localhostProfile');
  if (type !== 'Localhost') {
    if (localhostProfile !== undefined)
      errors.push(invalidValue(field, localhostProfile, 'can only be set when AppArmor type is Localhost'));
  } else if (!localhostProfile?.trim()) {
    errors.push(required(field, 'must be set when AppArmor type is Localhost'));
  } else if (localhostProfile.trim() !== localhostProfile) {
    errors.push(invalidValue(field, localhostProfile, 'must not be padded with whitespace'));
  } else if (localhostProfile.length > MAX_APPARMOR_PROFILE_LENGTH) {
    errors.push(tooLong(field, MAX_APPARMOR_PROFILE_LENGTH));
  }
  return errors;
}

/** Namespaces of the host, and what can't be combined with them. */
export function validateHostNamespaces(spec: PodSpec, path: string): FieldError[] {
  const errors = spec.hostUsers === false ? validateOwnUsers(spec, path) : [];
  if (spec.hostPID !== true || spec.shareProcessNamespace !== true) return errors;
  const text = 'ShareProcessNamespace and HostPID cannot both be enabled';
  return [...errors, forbiddenField(child(path, 'shareProcessNamespace'), text)];
}

/** A pod with users of its own shares no namespace of the host, and no raw device. The names are upstream's. */
function validateOwnUsers(spec: PodSpec, path: string): FieldError[] {
  const text = 'when `hostUsers` is false';
  const shared = { hostNetwork: spec.hostNetwork, HostPID: spec.hostPID, HostIPC: spec.hostIPC };
  const errors = Object.entries(shared).flatMap(([name, is]) =>
    is === true ? [forbiddenField(child(path, name), text)] : [],
  );
  for (const list of ['containers', 'initContainers'] as const) {
    (spec[list] ?? []).forEach(({ volumeDevices = [] }, position) => {
      const at = index(child(path, list), position);
      if (volumeDevices.length > 0) errors.push(forbiddenField(child(at, 'volumeDevices'), text));
    });
  }
  return errors;
}
