/** Validation of Ingresses and IngressClasses (upstream `ValidateIngressCreate`, `ValidateIngressClass` and their siblings). */
import { child, type FieldError, forbiddenField, index, invalidValue, key, required, tooLong } from '../field-error.ts';
import { isIpAddress } from '../ip-address.ts';
import {
  checkDns1035Label,
  checkDns1123Label,
  checkDns1123Subdomain,
  checkPathSegment,
  checkPortName,
  checkPortNumber,
} from '../names.ts';
import type {
  HTTPIngressPath,
  Ingress,
  IngressBackend,
  IngressClass,
  IngressClassParametersReference,
  IngressRule,
  IngressServiceBackend,
  TypedLocalObjectReference,
} from '../types.gen.ts';
import { checkValue, immutable, oneOf, requireOneOf, requireValue } from './messages.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';
import { validateIngressPoints } from './load-balancer-status.ts';

const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';
const PATH_TYPES: readonly string[] = ['Exact', 'ImplementationSpecific', 'Prefix'];
const MAX_CONTROLLER_LENGTH = 250;
const UNCLEAR_PATHS: readonly string[] = ['//', '/./', '/../', '%2f', '%2F'];
const UNCLEAR_ENDS: readonly string[] = ['/..', '/.'];

export function validateIngress(ingress: Ingress): FieldError[] {
  const errors = [...validateObjectMeta(ingress.metadata, true, checkDns1123Subdomain), ...validateSpec(ingress)];
  const old = ingress.metadata?.annotations?.[CLASS_ANNOTATION];
  if (old !== undefined && ingress.spec?.ingressClassName !== undefined)
    errors.push(
      invalidValue(key('annotations', CLASS_ANNOTATION), old, 'can not be set when the class field is also set'),
    );
  return errors;
}

export function validateIngressUpdate(ingress: Ingress, old: Ingress): FieldError[] {
  return [...validateObjectMetaUpdate(ingress.metadata, old.metadata), ...validateSpec(ingress)];
}

export function validateIngressStatus(ingress: Ingress, old: Ingress): FieldError[] {
  return [
    ...validateObjectMetaUpdate(ingress.metadata, old.metadata),
    ...validateIngressPoints(ingress.status?.loadBalancer?.ingress ?? []),
  ];
}

function validateSpec({ spec = {} }: Ingress): FieldError[] {
  const { rules = [], tls = [], defaultBackend, ingressClassName } = spec;
  const errors: FieldError[] = [];
  if (rules.length === 0 && defaultBackend === undefined)
    errors.push(invalidValue('spec', rules, 'either `defaultBackend` or `rules` must be specified'));
  if (defaultBackend !== undefined) errors.push(...validateBackend(defaultBackend, 'spec.defaultBackend'));
  rules.forEach((rule, position) => errors.push(...validateRule(rule, index('spec.rules', position))));
  tls.forEach(({ hosts = [], secretName }, position) => {
    const at = index('spec.tls', position);
    hosts.forEach((host, each) => errors.push(...checkHost(host, index(child(at, 'hosts'), each))));
    if (secretName) errors.push(...checkValue(child(at, 'secretName'), secretName, checkDns1123Subdomain));
  });
  if (ingressClassName !== undefined)
    errors.push(...checkValue('spec.ingressClassName', ingressClassName, checkDns1123Subdomain));
  return errors;
}

/** "*.example.com" is a name, too. */
function checkHost(host: string, field: string): FieldError[] {
  if (!host.includes('*')) return checkValue(field, host, checkDns1123Subdomain);
  const isWildcard = host.startsWith('*.') && checkDns1123Subdomain(host.slice(2)).length === 0;
  const text = "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain";
  return isWildcard ? [] : [invalidValue(field, host, text)];
}

function validateRule({ host, http }: IngressRule, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (host) {
    errors.push(...checkHost(host, child(path, 'host')));
    if (isIpAddress(host))
      errors.push(invalidValue(child(path, 'host'), host, 'must be a DNS name, not an IP address'));
  }
  if (http === undefined) return errors;
  const at = child(path, 'http', 'paths');
  const paths: readonly Partial<HTTPIngressPath>[] = http.paths ?? [];
  if (paths.length === 0) errors.push(required(at));
  paths.forEach((each, position) => errors.push(...validatePath(each, index(at, position))));
  return errors;
}

function validatePath({ path: text = '', pathType, backend }: Partial<HTTPIngressPath>, path: string): FieldError[] {
  if (pathType === undefined) return [required(child(path, 'pathType'), 'pathType must be specified')];
  const field = child(path, 'path');
  const errors: FieldError[] = [];
  if (pathType === 'Exact' || pathType === 'Prefix') {
    if (!text.startsWith('/')) errors.push(invalidValue(field, text, 'must be an absolute path'));
    else {
      for (const part of UNCLEAR_PATHS)
        if (text.includes(part)) errors.push(invalidValue(field, text, `must not contain '${part}'`));
      for (const end of UNCLEAR_ENDS)
        if (text.endsWith(end)) errors.push(invalidValue(field, text, `cannot end with '${end}'`));
    }
  } else if (pathType === 'ImplementationSpecific') {
    if (text !== '' && !text.startsWith('/')) errors.push(invalidValue(field, text, 'must be an absolute path'));
  } else errors.push(...oneOf(child(path, 'pathType'), pathType, PATH_TYPES));
  return [...errors, ...validateBackend(backend ?? {}, child(path, 'backend'))];
}

function validateBackend({ service, resource }: IngressBackend, path: string): FieldError[] {
  if (resource !== undefined && service !== undefined)
    return [invalidValue(path, '', 'cannot set both resource and service backends')];
  if (resource !== undefined) return validateReference(resource, child(path, 'resource'));
  if (service !== undefined) return validateServiceBackend(service, path);
  return [invalidValue(path, '', 'resource or service backend is required')];
}

function validateServiceBackend({ name, port = {} }: Partial<IngressServiceBackend>, path: string): FieldError[] {
  const at = child(path, 'service');
  const errors = requireValue(child(at, 'name'), name, checkDns1035Label);
  if (port.name && port.number) return [...errors, invalidValue(path, '', 'cannot set both port name & port number')];
  if (port.name) return [...errors, ...checkValue(child(at, 'port', 'name'), port.name, checkPortName)];
  if (!port.number) return [...errors, required(path, 'port name or number is required')];
  return [
    ...errors,
    ...checkPortNumber(port.number).map((text) => invalidValue(child(at, 'port', 'number'), port.number, text)),
  ];
}

function validateReference(reference: Partial<TypedLocalObjectReference>, path: string): FieldError[] {
  const { apiGroup, kind, name } = reference;
  return [
    ...(apiGroup === undefined || apiGroup === null
      ? []
      : checkValue(child(path, 'apiGroup'), apiGroup, checkDns1123Subdomain)),
    ...requireValue(child(path, 'kind'), kind, checkPathSegment),
    ...requireValue(child(path, 'name'), name, checkPathSegment),
  ];
}

export function validateIngressClass(ingressClass: IngressClass): FieldError[] {
  const { controller = '', parameters } = ingressClass.spec ?? {};
  return [
    ...validateObjectMeta(ingressClass.metadata, false, checkDns1123Subdomain),
    ...validateController(controller),
    ...(parameters === undefined ? [] : validateParameters(parameters)),
  ];
}

export function validateIngressClassUpdate(ingressClass: IngressClass, old: IngressClass): FieldError[] {
  return [
    ...validateObjectMetaUpdate(ingressClass.metadata, old.metadata),
    ...immutable('spec.controller', ingressClass.spec?.controller, old.spec?.controller),
    ...validateIngressClass(ingressClass).filter(({ field }) => field.startsWith('spec.parameters')),
  ];
}

function validateController(controller: string): FieldError[] {
  const field = 'spec.controller';
  if (controller === '') return [required(field)];
  const errors = controller.length > MAX_CONTROLLER_LENGTH ? [tooLong(field, MAX_CONTROLLER_LENGTH)] : [];
  const [domain = '', ...path] = controller.split('/');
  if (path.length === 0 || path[0] === '')
    return [...errors, invalidValue(field, controller, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  const rest = path.join('/');
  if (!/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(rest)) errors.push(invalidValue(field, controller, 'Invalid path'));
  return [...errors, ...checkDns1123Subdomain(domain).map((text) => invalidValue(field, domain, text))];
}

function validateParameters(parameters: IngressClassParametersReference): FieldError[] {
  const path = 'spec.parameters';
  const { scope, namespace } = parameters;
  const errors = [
    ...validateReference(parameters, path),
    ...requireOneOrEmpty(scope ?? undefined, child(path, 'scope')),
  ];
  if (scope === 'Namespace') {
    if (namespace === undefined)
      errors.push(required(child(path, 'namespace'), "`parameters.scope` is set to 'Namespace'"));
    else errors.push(...checkValue(child(path, 'namespace'), namespace, checkDns1123Label));
  }
  if (scope === 'Cluster' && namespace !== undefined)
    errors.push(forbiddenField(child(path, 'namespace'), "`parameters.scope` is set to 'Cluster'"));
  return errors;
}

/** The scope is a pointer: an empty one is set, and is none of those that there are. */
function requireOneOrEmpty(scope: string | undefined, field: string): FieldError[] {
  const scopes = ['Cluster', 'Namespace'];
  return scope === '' ? oneOf(field, scope, scopes) : requireOneOf(field, scope, scopes);
}
