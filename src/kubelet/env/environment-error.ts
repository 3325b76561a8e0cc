/** A reference that cannot be resolved: the pod waits with CreateContainerConfigError and this message. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
}
