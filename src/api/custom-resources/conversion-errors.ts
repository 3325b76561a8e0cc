/** What a definition says of conversion between its versions. Pure. */
import { type FieldError, forbiddenField, invalidValue, notSupported, required } from '../field-error.ts';
import type { Conversion } from './definition.ts';

const PATH = 'spec.conversion';
const SUPPORTED_REVIEWS = ['v1', 'v1beta1'];

export function conversionErrors(conversion: Conversion | undefined): FieldError[] {
  if (conversion === undefined) return [];
  const { strategy, webhook } = conversion;
  if (strategy === '') return [required(`${PATH}.strategy`)];
  if (strategy !== 'None' && strategy !== 'Webhook')
    return [notSupported(`${PATH}.strategy`, strategy, ['None', 'Webhook'])];
  if (strategy === 'None')
    return webhook === undefined
      ? []
      : [forbiddenField(`${PATH}.webhook`, 'should not be set when strategy is not set to Webhook')];
  return webhookErrors(webhook);
}

function webhookErrors(webhook: Conversion['webhook']): FieldError[] {
  const client = webhook?.clientConfig;
  const path = `${PATH}.webhookClientConfig`;
  if (client === undefined) return [required(path, 'required when strategy is set to Webhook')];
  const errors: FieldError[] = [];
  if ((client.url === undefined) === (client.service === undefined))
    errors.push(required(path, 'exactly one of url or service is required'));
  if (client.url !== undefined && !/^https:\/\/[^/?#@]+(?:\/[^?#]*)?$/.test(client.url))
    errors.push(
      invalidValue(`${path}.url`, client.url, "'https' is the only allowed URL scheme; a host must be specified"),
    );
  const reviews = webhook?.conversionReviewVersions ?? [];
  const at = `${PATH}.conversionReviewVersions`;
  if (reviews.length === 0) errors.push(required(at));
  else if (!reviews.some((version) => SUPPORTED_REVIEWS.includes(version)))
    errors.push(invalidValue(at, reviews, `must include at least one of ${SUPPORTED_REVIEWS.join(', ')}`));
  return errors;
}
