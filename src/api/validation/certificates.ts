/** Validation of CertificateSigningRequests (upstream: pkg/apis/certificates/validation). */
import { CERTIFICATE_USAGES, LEGACY_UNKNOWN_SIGNER, pemOfRequest } from '../certificate-signers.ts';
import {
  child,
  duplicate,
  type FieldError,
  forbiddenField,
  index,
  invalidValue,
  notSupported,
  required,
} from '../field-error.ts';
import { checkDns1123Subdomain, checkPathSegment } from '../names.ts';
import { parseCertificateRequest } from '../pkcs10.ts';
import type { CertificateSigningRequest, CertificateSigningRequestCondition } from '../types.gen.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';

const MIN_SECONDS = 600;
const CONDITIONS = 'status.conditions';
/** Longest chain of authorities; far above real use. */
const MAX_CERTIFICATE_BYTES = 64 * 1024;

export function validateCertificateSigningRequest(request: CertificateSigningRequest): FieldError[] {
  const { spec } = request;
  const errors = validateObjectMeta(request.metadata, false, checkPathSegment);
  const parsed = parseCertificateRequest(pemOfRequest(request));
  if (!parsed.ok) errors.push(invalidValue('spec.request', spec.request, parsed.reason));
  errors.push(...validateUsages(spec.usages), ...validateSigner(spec.signerName));
  if (spec.expirationSeconds !== undefined && spec.expirationSeconds < MIN_SECONDS) {
    const text = `may not specify a duration less than ${MIN_SECONDS} seconds (10 minutes)`;
    errors.push(invalidValue('spec.expirationSeconds', spec.expirationSeconds, text));
  }
  return [...errors, ...validateConditions(request)];
}

function validateUsages(usages: readonly string[] = []): FieldError[] {
  if (usages.length === 0) return [required('spec.usages')];
  return usages.flatMap((usage, at) => {
    const field = index('spec.usages', at);
    if (usages.indexOf(usage) < at) return [duplicate(field, usage)];
    return CERTIFICATE_USAGES.includes(usage) ? [] : [notSupported(field, usage, CERTIFICATE_USAGES)];
  });
}

/** "example.com/signer-name" */
function validateSigner(signer = ''): FieldError[] {
  const field = 'spec.signerName';
  if (signer === '') return [required(field)];
  if (signer === LEGACY_UNKNOWN_SIGNER)
    return [invalidValue(field, signer, 'the legacy signerName is not allowed via this API version')];
  const slash = signer.indexOf('/');
  const domain = slash < 0 ? '' : signer.slice(0, slash);
  const path = slash < 0 ? '' : signer.slice(slash + 1);
  const isDomain = domain.includes('.') && domain.length <= 253 && checkDns1123Subdomain(domain).length === 0;
  const isPath =
    path.length <= 317 && path !== '' && path.split('/').every((part) => checkDns1123Subdomain(part).length === 0);
  if (isDomain && isPath) return [];
  return [
    invalidValue(field, signer, "must be a fully qualified domain and path of the form 'example.com/signer-name'"),
  ];
}

const DECISIONS: readonly string[] = ['Approved', 'Denied', 'Failed'];

function validateConditions({ status }: CertificateSigningRequest): FieldError[] {
  const conditions = status?.conditions ?? [];
  const errors = conditions.flatMap((condition, at) => validateCondition(condition, conditions, at));
  const types = new Set(conditions.map(({ type }) => type));
  if (types.has('Approved') && types.has('Denied'))
    errors.push(invalidValue(CONDITIONS, 'Denied', 'Approved and Denied conditions are mutually exclusive'));
  return errors;
}

function validateCondition(
  { type, status }: CertificateSigningRequestCondition,
  all: readonly CertificateSigningRequestCondition[],
  at: number,
): FieldError[] {
  const path = index(CONDITIONS, at);
  const statuses = DECISIONS.includes(type) ? ['True'] : ['True', 'False', 'Unknown'];
  return [
    ...(type === '' ? [required(child(path, 'type'))] : []),
    ...(all.findIndex((other) => other.type === type) < at ? [duplicate(child(path, 'type'), type)] : []),
    ...(statuses.includes(status) ? [] : [notSupported(child(path, 'status'), status, statuses)]),
  ];
}

export function validateCertificateSigningRequestUpdate(
  request: CertificateSigningRequest,
  old: CertificateSigningRequest,
): FieldError[] {
  return [...validateObjectMetaUpdate(request.metadata, old.metadata), ...sameDecisions(request, old, DECISIONS)];
}

/** Approving and denying: conditions come, and never go. */
export function validateCertificateApproval(
  request: CertificateSigningRequest,
  old: CertificateSigningRequest,
): FieldError[] {
  return [...validateConditions(request), ...keptDecisions(request, old)];
}

/** The signer's part: a certificate, or why there is none. The decision is not its own. */
export function validateCertificateStatus(
  request: CertificateSigningRequest,
  old: CertificateSigningRequest,
): FieldError[] {
  return [
    ...validateConditions(request),
    ...keptDecisions(request, old),
    ...sameDecisions(request, old, ['Approved', 'Denied']),
    ...validateCertificate(request, old),
  ];
}

function keptDecisions(request: CertificateSigningRequest, old: CertificateSigningRequest): FieldError[] {
  const types = typesOf(request);
  return DECISIONS.filter((type) => typesOf(old).includes(type) && !types.includes(type)).map((type) =>
    forbiddenField(CONDITIONS, `updates may not remove a condition of type ${JSON.stringify(type)}`),
  );
}

function sameDecisions(
  request: CertificateSigningRequest,
  old: CertificateSigningRequest,
  decisions: readonly string[],
): FieldError[] {
  const known = typesOf(old);
  return typesOf(request)
    .filter((type) => decisions.includes(type) && !known.includes(type))
    .map((type) => forbiddenField(CONDITIONS, `updates may not add a condition of type ${JSON.stringify(type)}`));
}

function typesOf({ status }: CertificateSigningRequest): readonly string[] {
  return (status?.conditions ?? []).map(({ type }) => type);
}

const CERTIFICATES = /^(\s*-----BEGIN CERTIFICATE-----\r?\n[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*)+$/;

function validateCertificate({ status }: CertificateSigningRequest, old: CertificateSigningRequest): FieldError[] {
  const field = 'status.certificate';
  const now = status?.certificate ?? '';
  const before = old.status?.certificate ?? '';
  if (now === before) return [];
  if (now === '') return [forbiddenField(field, 'updates may not clear certificate content')];
  if (before !== '') return [forbiddenField(field, 'updates may not modify existing certificate content')];
  const pem = Buffer.from(now, 'base64').toString('latin1');
  if (pem.length <= MAX_CERTIFICATE_BYTES && CERTIFICATES.test(pem)) return [];
  return [invalidValue(field, '<certificate data>', 'must contain one or more PEM blocks of type CERTIFICATE')];
}
