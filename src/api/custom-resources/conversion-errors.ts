/**
 * What a definition says of conversion between its versions (upstream: validateCustomResourceConversion, and webhook.Validate… of the
 * API server's library). Pure.
 */
import { type FieldError, forbiddenField, invalidValue, notSupported, required } from '../field-error.ts';
import { checkDns1035Label, checkDns1123Subdomain } from '../names.ts';
import { checkCaBundle } from './ca-bundle.ts';
import type { Conversion, WebhookClient } from './definition.ts';

const PATH = 'spec.conversion';
const CLIENT = `${PATH}.webhookClientConfig`;
/** The versions of ConversionReview that this server speaks. */
const SUPPORTED_REVIEWS = ['v1', 'v1beta1'];

export interface ConversionRules {
  /** A definition that is not served yet may have authorities that cannot be read, and is not served until they can. */
  readonly mayHaveBadAuthorities: boolean;
}

export function conversionErrors(
  conversion: Conversion | undefined,
  { mayHaveBadAuthorities }: ConversionRules,
): FieldError[] {
  if (conversion === undefined) return [];
  const { strategy, webhook } = conversion;
  if (strategy === '') return [required(`${PATH}.strategy`)];
  if (strategy === 'Webhook') {
    const reviews = reviewErrors(webhook?.conversionReviewVersions ?? []);
    return [...clientErrors(webhook?.clientConfig, mayHaveBadAuthorities), ...reviews];
  }
  const errors = strategy === 'None' ? [] : [notSupported(`${PATH}.strategy`, strategy, ['None', 'Webhook'])];
  const text = 'should not be set when strategy is not set to Webhook';
  if (webhook?.clientConfig !== undefined) errors.push(forbiddenField(CLIENT, text));
  if ((webhook?.conversionReviewVersions ?? []).length > 0)
    errors.push(forbiddenField(`${PATH}.conversionReviewVersions`, text));
  return errors;
}

function clientErrors(client: WebhookClient | undefined, mayHaveBadAuthorities: boolean): FieldError[] {
  if (client === undefined) return [required(CLIENT, 'required when strategy is set to Webhook')];
  const { url, service, caBundle = '' } = client;
  const errors: FieldError[] = [];
  if ((url === undefined) === (service === undefined))
    errors.push(required(CLIENT, 'exactly one of url or service is required'));
  else if (url !== undefined) errors.push(...urlErrors(url, `${CLIENT}.url`));
  else if (service !== undefined) errors.push(...serviceErrors(service, `${CLIENT}.service`));
  const problem = caBundle === '' || mayHaveBadAuthorities ? undefined : checkCaBundle(caBundle);
  if (problem !== undefined) errors.push(invalidValue(`${CLIENT}.caBundle`, caBundle, problem));
  return errors;
}

const FORM = '; desired format: https://host[/path]';

function urlErrors(text: string, path: string): FieldError[] {
  const parts =
    /^(?:([a-zA-Z][a-zA-Z\d+.-]*):)?(?:\/\/(?:([^/?#@]*)@)?([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(text);
  // oxlint-disable-next-line no-control-regex
  if (parts === null || /[\u0000-\u0020\u007f]/.test(text))
    return [required(path, `url must be a valid URL: parse ${JSON.stringify(text)}: invalid character${FORM}`)];
  const [, scheme = '', user, host = '', , query = '', fragment = ''] = parts;
  const errors: FieldError[] = [];
  if (scheme.toLowerCase() !== 'https')
    errors.push(invalidValue(path, scheme, `'https' is the only allowed URL scheme${FORM}`));
  if (host === '') errors.push(invalidValue(path, '', `host must be provided${FORM}`));
  if (user !== undefined) errors.push(invalidValue(path, user, 'user information is not permitted in the URL'));
  if (fragment !== '') errors.push(invalidValue(path, fragment, 'fragments are not permitted in the URL'));
  if (query !== '') errors.push(invalidValue(path, query, 'query parameters are not permitted in the URL'));
  return errors;
}

function serviceErrors(service: NonNullable<WebhookClient['service']>, path: string): FieldError[] {
  const { name, namespace, path: place, port = 443 } = service;
  const errors: FieldError[] = [];
  if (!name) errors.push(required(`${path}.name`, 'service name is required'));
  if (!namespace) errors.push(required(`${path}.namespace`, 'service namespace is required'));
  if (port < 1 || port > 65_535)
    errors.push(invalidValue(`${path}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive'));
  return [...errors, ...pathErrors(place ?? '', `${path}.path`)];
}

function pathErrors(place: string, path: string): FieldError[] {
  if (place === '' || place === '/') return [];
  const wrong = (text: string): FieldError => invalidValue(path, place, text);
  if (place === '//') return [wrong('segment[0] may not be empty')];
  const errors = place.startsWith('/') ? [] : [wrong("must start with a '/'")];
  const segments = place.slice(1).replace(/\/$/, '').split('/');
  for (const [position, segment] of segments.entries()) {
    if (segment === '') errors.push(wrong(`segment[${position}] may not be empty`));
    else errors.push(...checkDns1123Subdomain(segment).map((text) => wrong(`segment[${position}]: ${text}`)));
  }
  return errors;
}

function reviewErrors(versions: readonly string[]): FieldError[] {
  const path = `${PATH}.conversionReviewVersions`;
  if (versions.length === 0) return [required(path)];
  const errors: FieldError[] = [];
  for (const [position, version] of versions.entries()) {
    const at = `${path}[${position}]`;
    if (versions.indexOf(version) < position) errors.push(invalidValue(at, version, 'duplicate version'));
    else errors.push(...checkDns1035Label(version).map((text) => invalidValue(at, version, text)));
  }
  if (!versions.some((version) => SUPPORTED_REVIEWS.includes(version)))
    errors.push(invalidValue(path, versions, `must include at least one of ${SUPPORTED_REVIEWS.join(', ')}`));
  return errors;
}
