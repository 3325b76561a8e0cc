/** What is written beside a rule: its message, its reason, the field that it blames (upstream: ValidateCustomResourceDefinitionOpenAPISchema). Pure. */
import {
  type FieldError,
  findSchemaByPath,
  invalidValue,
  type JsonSchema,
  notSupported,
  required,
  type ValidationRule,
} from '../../api/index.ts';

const MAX_MESSAGE_CHARACTERS = 2048;
const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

export function ruleTextErrors(schema: JsonSchema, each: ValidationRule, path: string): FieldError[] {
  const { rule, message, messageExpression, reason, fieldPath } = each;
  const errors: FieldError[] = [];
  if (rule.trim() === '') errors.push(required(`${path}.rule`, 'rule is not specified'));
  if (message !== undefined && message !== '') {
    if (message.trim() === '')
      errors.push(invalidValue(`${path}.message`, message, 'message must be non-empty if specified'));
    else if (message.includes('\n'))
      errors.push(invalidValue(`${path}.message`, message, 'message must not contain line breaks'));
    if (message.length > MAX_MESSAGE_CHARACTERS)
      errors.push(
        invalidValue(
          `${path}.message`,
          message,
          `message must not be longer than ${MAX_MESSAGE_CHARACTERS} characters`,
        ),
      );
  } else if (rule.trim().includes('\n'))
    errors.push(required(`${path}.message`, 'message must be specified if rule contains line breaks'));
  if (messageExpression !== undefined && messageExpression !== '' && messageExpression.trim() === '')
    errors.push(required(`${path}.messageExpression`, 'messageExpression must be non-empty if specified'));
  if (reason !== undefined && !REASONS.includes(reason)) errors.push(notSupported(`${path}.reason`, reason, REASONS));
  if (fieldPath !== undefined && fieldPath !== '' && findSchemaByPath(schema, fieldPath) === undefined)
    errors.push(invalidValue(`${path}.fieldPath`, fieldPath, 'must be a valid path'));
  return errors;
}
