/** Validation of probes and lifecycle hooks (upstream `validateProbe`, `validateHandler`). */
import { child, type FieldError, forbiddenField, invalidValue, required } from '../field-error.ts';
import { checkHeaderName, checkPortName, checkPortNumber } from '../names.ts';
import type { HTTPGetAction, IntOrString, Lifecycle, LifecycleHandler, Probe } from '../types.gen.ts';
import { checkValue, notNegative, oneOf, POSITIVE, requireValue } from './messages.ts';

const COUNTS = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;
const PROBE_HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc'] as const;
const LIFECYCLE_HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'sleep'] as const;

type Handler = Partial<Pick<Probe, 'exec' | 'httpGet' | 'tcpSocket' | 'grpc'>> & Pick<LifecycleHandler, 'sleep'>;

/** Liveness and startup probes: one success is enough by definition. */
export function validateRestartingProbe(probe: Probe | undefined, path: string): FieldError[] {
  if (probe === undefined) return [];
  const errors = validateProbe(probe, path);
  if (probe.successThreshold !== undefined && probe.successThreshold !== 1) {
    errors.push(invalidValue(child(path, 'successThreshold'), probe.successThreshold, 'must be 1'));
  }
  return errors;
}

export function validateReadinessProbe(probe: Probe | undefined, path: string): FieldError[] {
  if (probe === undefined) return [];
  const errors = validateProbe(probe, path);
  if (probe.terminationGracePeriodSeconds !== undefined) {
    const field = child(path, 'terminationGracePeriodSeconds');
    errors.push(invalidValue(field, probe.terminationGracePeriodSeconds, 'must not be set for readinessProbes'));
  }
  return errors;
}

function validateProbe(probe: Probe, path: string): FieldError[] {
  const errors = validateHandler(probe, PROBE_HANDLERS, path);
  for (const name of COUNTS) errors.push(...notNegative(child(path, name), probe[name]));
  const grace = probe.terminationGracePeriodSeconds;
  if (grace !== undefined && grace <= 0)
    errors.push(invalidValue(child(path, 'terminationGracePeriodSeconds'), grace, POSITIVE));
  return errors;
}

/** @param gracePeriodSeconds of the pod: a sleep may not be longer */
export function validateLifecycle(
  lifecycle: Lifecycle | undefined,
  gracePeriodSeconds: number,
  path: string,
): FieldError[] {
  if (lifecycle === undefined) return [];
  return (['postStart', 'preStop'] as const).flatMap((name) => {
    const handler = lifecycle[name];
    if (handler === undefined) return [];
    const at = child(path, name);
    return [...validateHandler(handler, LIFECYCLE_HANDLERS, at), ...validateSleep(handler, gracePeriodSeconds, at)];
  });
}

function validateSleep(handler: LifecycleHandler, gracePeriodSeconds: number, path: string): FieldError[] {
  const seconds = handler.sleep?.seconds;
  if (seconds === undefined || (seconds >= 0 && seconds <= gracePeriodSeconds)) return [];
  const text = `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriodSeconds})`;
  return [invalidValue(child(path, 'sleep'), seconds, text)];
}

function validateHandler(handler: Handler, names: readonly (keyof Handler)[], path: string): FieldError[] {
  const present = names.filter((name) => handler[name] !== undefined);
  const [first, ...more] = present;
  if (first === undefined) return [required(path, 'must specify a handler type')];
  return [
    ...validateAction(handler, first, path),
    ...more.map((name) => forbiddenField(child(path, name), 'may not specify more than 1 handler type')),
  ];
}

function validateAction(handler: Handler, name: keyof Handler, path: string): FieldError[] {
  const at = child(path, name);
  switch (name) {
    case 'exec':
      return handler.exec?.command?.length ? [] : [required(child(at, 'command'))];
    case 'httpGet':
      return handler.httpGet === undefined ? [] : validateHttpGet(handler.httpGet, at);
    case 'tcpSocket':
      return validatePort(handler.tcpSocket?.port, child(at, 'port'));
    case 'grpc':
      return validatePort(handler.grpc?.port, child(at, 'port'));
    case 'sleep':
      return [];
  }
}

function validateHttpGet(action: HTTPGetAction, path: string): FieldError[] {
  return [
    ...requireValue(child(path, 'path'), action.path),
    ...validatePort(action.port, child(path, 'port')),
    ...oneOf(child(path, 'scheme'), action.scheme, ['HTTP', 'HTTPS']),
    ...(action.httpHeaders ?? []).flatMap((header) =>
      checkValue(child(path, 'httpHeaders'), header.name, checkHeaderName),
    ),
  ];
}

/** A port by number or by the name of a container's port. */
export function validatePort(port: IntOrString | undefined, path: string): FieldError[] {
  if (typeof port === 'string') return checkValue(path, port, checkPortName);
  return checkPortNumber(port ?? 0).map((message) => invalidValue(path, port ?? 0, message));
}
