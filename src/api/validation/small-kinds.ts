/** Validation of kinds with few rules: service accounts, leases, events, bindings. */
import { type FieldError, invalidValue, notSupported, required } from '../field-error.ts';
import { checkDns1123Subdomain } from '../names.ts';
import type { Binding, Event, EventsEvent, Lease, ServiceAccount } from '../types.gen.ts';
import { IMMUTABLE, POSITIVE, notNegative } from './messages.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';

export function validateServiceAccount(account: ServiceAccount): FieldError[] {
  return validateObjectMeta(account.metadata, true, checkDns1123Subdomain);
}

export function validateServiceAccountUpdate(account: ServiceAccount, old: ServiceAccount): FieldError[] {
  return [...validateObjectMetaUpdate(account.metadata, old.metadata), ...validateServiceAccount(account)];
}

export function validateLease(lease: Lease): FieldError[] {
  return [...validateObjectMeta(lease.metadata, true, checkDns1123Subdomain), ...validateLeaseSpec(lease)];
}

export function validateLeaseUpdate(lease: Lease, old: Lease): FieldError[] {
  return [...validateObjectMetaUpdate(lease.metadata, old.metadata), ...validateLeaseSpec(lease)];
}

function validateLeaseSpec({ spec = {} }: Lease): FieldError[] {
  const { leaseDurationSeconds: seconds } = spec;
  const duration =
    seconds !== undefined && seconds <= 0 ? [invalidValue('spec.leaseDurationSeconds', seconds, POSITIVE)] : [];
  return [...duration, ...notNegative('spec.leaseTransitions', spec.leaseTransitions)];
}

/** An event lies in its object's namespace; one about a cluster-wide object in "default". */
export function validateEvent(event: Event): FieldError[] {
  const about = event.involvedObject?.namespace ?? '';
  return [
    ...validateObjectMeta(event.metadata, true, checkDns1123Subdomain),
    ...validateEventNamespace(event.metadata?.namespace, about, 'involvedObject.namespace'),
  ];
}

export function validateEventsEvent(event: EventsEvent): FieldError[] {
  const errors = validateObjectMeta(event.metadata, true, checkDns1123Subdomain);
  errors.push(
    ...validateEventNamespace(event.metadata?.namespace, event.regarding?.namespace ?? '', 'regarding.namespace'),
  );
  if (!event.eventTime) errors.push(required('eventTime'));
  for (const name of ['reportingController', 'reportingInstance', 'action', 'reason'] as const) {
    if (!event[name]) errors.push(required(name));
  }
  if (event.type !== 'Normal' && event.type !== 'Warning')
    errors.push(invalidValue('type', event.type ?? '', 'has invalid value: '));
  return errors;
}

function validateEventNamespace(namespace = '', about: string, path: string): FieldError[] {
  if (about === '') {
    const fits = namespace === '' || namespace === 'default' || namespace === 'kube-system';
    return fits ? [] : [invalidValue(path, about, 'does not match event.namespace')];
  }
  return namespace === about ? [] : [invalidValue(path, about, 'does not match event.namespace')];
}

export function validateEventUpdate(event: Event, old: Event): FieldError[] {
  return [...validateObjectMetaUpdate(event.metadata, old.metadata), ...validateEvent(event)];
}

export function validateEventsEventUpdate(event: EventsEvent, old: EventsEvent): FieldError[] {
  const errors = [...validateObjectMetaUpdate(event.metadata, old.metadata), ...validateEventsEvent(event)];
  if (event.eventTime !== old.eventTime) errors.push(invalidValue('eventTime', event.eventTime ?? null, IMMUTABLE));
  return errors;
}

export function validateBinding(binding: Binding): FieldError[] {
  const errors: FieldError[] = [];
  const { target } = binding;
  if (target?.kind && target.kind !== 'Node')
    errors.push(notSupported('target.kind', target.kind, ['Node', '<empty>']));
  if (!target?.name) errors.push(required('target.name'));
  return errors;
}
