/** Reasons of `state.waiting` of a container that will be started again, or its start tried again, after a back-off. */
const BACK_OFF_REASONS: ReadonlySet<string> = new Set([
  'CrashLoopBackOff',
  'ImagePullBackOff',
  'ErrImagePull',
  'ErrImageNeverPull',
  'ImageInspectError',
  'RegistryUnavailable',
  'SignatureValidationFailed',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
  'PreCreateHookError',
  'PreStartHookError',
  'PostStartHookError',
]);

export function isBackOffReason(reason: string | undefined): boolean {
  return reason !== undefined && BACK_OFF_REASONS.has(reason);
}
