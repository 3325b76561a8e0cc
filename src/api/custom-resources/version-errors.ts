/** What one version of a definition may hold: its schema, subresources, columns and selectable fields. Pure. */
import { duplicate, type FieldError, invalidValue, required, tooMany } from '../field-error.ts';
import { JsonPathError, parseJsonPath, plainPath } from '../json-path.ts';
import { checkDns1035Label } from '../names.ts';
import { type JsonSchema, propertyOf } from '../structural/json-schema.ts';
import { schemaErrors } from '../structural/schema-errors.ts';
import { checkValue, requireValue } from '../validation/messages.ts';
import type { DefinitionVersion, PrinterColumn, ScalePaths } from './definition.ts';

const MAX_SELECTABLE_FIELDS = 8;
const MAX_COLUMNS = 100;
const MAX_DEPRECATION_CHARACTERS = 256;

/**
 * @param schemaPath where upstream says that the schema is: at the top for versions that share one
 */
export function versionErrors(version: DefinitionVersion, path: string, schemaPath: string): FieldError[] {
  const errors = checkValue(`${path}.name`, version.name, checkDns1035Label);
  errors.push(...deprecationErrors(version, `${path}.deprecationWarning`));
  const schema = version.schema?.openAPIV3Schema;
  if (schema === undefined) errors.push(required(`${path}.schema.openAPIV3Schema`));
  else errors.push(...schemaErrors(schema, schemaPath), ...rootErrors(version, schema, schemaPath));
  if (version.subresources?.scale !== undefined)
    errors.push(...scaleErrors(version.subresources.scale, `${path}.subresources.scale`));
  errors.push(...columnErrors(version.additionalPrinterColumns ?? [], `${path}.additionalPrinterColumns`));
  errors.push(...selectableErrors(version, `${path}.selectableFields`));
  return errors;
}

/** What a root may not have beside its fields when its status is written by itself: a write of one part would be held against the other. */
const NOT_AT_ROOT = [
  '$ref',
  'default',
  'enum',
  'nullable',
  'maxProperties',
  'minProperties',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'additionalProperties',
] as const;

function rootErrors({ subresources }: DefinitionVersion, schema: JsonSchema, path: string): FieldError[] {
  if (subresources?.status === undefined) return [];
  const found = NOT_AT_ROOT.filter((name) => schema[name] !== undefined && schema[name] !== false);
  if (found.length === 0) return [];
  const text =
    'must only have "properties", "required" or "description" at the root if the status subresource is enabled';
  return [invalidValue(path, found, text)];
}

function deprecationErrors({ deprecated = false, deprecationWarning }: DefinitionVersion, path: string): FieldError[] {
  if (deprecationWarning === undefined) return [];
  if (!deprecated) return [invalidValue(path, deprecationWarning, 'can only be set for deprecated versions')];
  if (deprecationWarning === '') return [invalidValue(path, '', 'must not be an empty string')];
  const errors: FieldError[] = [];
  if (deprecationWarning.length > MAX_DEPRECATION_CHARACTERS)
    errors.push(
      invalidValue(path, deprecationWarning, `must be <= ${MAX_DEPRECATION_CHARACTERS} characters in length`),
    );
  if (/\p{Cc}|\p{Cf}/u.test(deprecationWarning))
    errors.push(invalidValue(path, deprecationWarning, 'must only contain printable UTF-8 characters'));
  return errors;
}

function scaleErrors(scale: ScalePaths, path: string): FieldError[] {
  return [
    ...scalePathErrors(scale.specReplicasPath, '.spec', `${path}.specReplicasPath`),
    ...scalePathErrors(scale.statusReplicasPath, '.status', `${path}.statusReplicasPath`),
    ...(scale.labelSelectorPath
      ? scalePathErrors(scale.labelSelectorPath, ['.spec', '.status'], `${path}.labelSelectorPath`)
      : []),
  ];
}

/** A path of plain fields below one of these. */
function scalePathErrors(given: string | undefined, roots: string | readonly string[], path: string): FieldError[] {
  if (given === undefined || given === '') return [required(path)];
  const below = typeof roots === 'string' ? [roots] : roots;
  const isFine = /^(?:\.[a-zA-Z_][\w-]*)+$/.test(given) && below.some((root) => given.startsWith(`${root}.`));
  if (isFine) return [];
  const words = below.map((root) => root).join(' or ');
  return [invalidValue(path, given, `should be a json path under ${words}`)];
}

const COLUMN_TYPES = ['integer', 'number', 'string', 'boolean', 'date'];
const COLUMN_FORMATS = ['int32', 'int64', 'float', 'double', 'byte', 'date', 'date-time', 'password'];

function columnErrors(columns: readonly PrinterColumn[], path: string): FieldError[] {
  if (columns.length > MAX_COLUMNS) return [tooMany(path, columns.length, MAX_COLUMNS)];
  return columns.flatMap((column, position) => {
    const at = `${path}[${position}]`;
    const errors = requireValue(`${at}.name`, column.name);
    if (!column.type) errors.push(required(`${at}.type`, `must be one of ${COLUMN_TYPES.toSorted().join(',')}`));
    else if (!COLUMN_TYPES.includes(column.type))
      errors.push(invalidValue(`${at}.type`, column.type, `must be one of ${COLUMN_TYPES.toSorted().join(',')}`));
    if (column.format && !COLUMN_FORMATS.includes(column.format))
      errors.push(invalidValue(`${at}.format`, column.format, `must be one of ${COLUMN_FORMATS.toSorted().join(',')}`));
    if (!column.jsonPath) errors.push(required(`${at}.jsonPath`));
    else errors.push(...pathErrors(column.jsonPath, `${at}.jsonPath`));
    return errors;
  });
}

function pathErrors(text: string, path: string): FieldError[] {
  try {
    parseJsonPath(text);
    return text.startsWith('.') || text.startsWith('{') || text.startsWith('[') || text.startsWith('$')
      ? []
      : [invalidValue(path, text, 'is an invalid path: must start with a dot')];
  } catch (error) {
    if (error instanceof JsonPathError) return [invalidValue(path, text, `is an invalid path: ${error.message}`)];
    throw error;
  }
}

function selectableErrors(version: DefinitionVersion, path: string): FieldError[] {
  const fields = version.selectableFields ?? [];
  if (fields.length > MAX_SELECTABLE_FIELDS) return [tooMany(path, fields.length, MAX_SELECTABLE_FIELDS)];
  const seen = new Set<string>();
  const schema = version.schema?.openAPIV3Schema;
  return fields.flatMap(({ jsonPath }, position) => {
    const at = `${path}[${position}].jsonPath`;
    if (jsonPath === '') return [required(at)];
    if (seen.has(jsonPath)) return [duplicate(at, jsonPath)];
    seen.add(jsonPath);
    const names = namesOf(jsonPath);
    if (names === undefined || names.length === 0)
      return [invalidValue(at, jsonPath, 'must be a simple path: fields alone, without lists, maps and filters')];
    if (names[0] === 'metadata') return [invalidValue(at, jsonPath, 'must not point to fields in metadata')];
    return schema === undefined ? [] : leafErrors(schema, names, jsonPath, at);
  });
}

function namesOf(text: string): readonly string[] | undefined {
  try {
    return text.startsWith('.') ? plainPath(parseJsonPath(text)) : undefined;
  } catch {
    return undefined;
  }
}

function leafErrors(schema: JsonSchema, names: readonly string[], text: string, path: string): FieldError[] {
  let node: JsonSchema | undefined = schema;
  for (const name of names) node = node === undefined ? undefined : propertyOf(node, name);
  if (node === undefined) return [invalidValue(path, text, 'does not refer to a valid field')];
  const types = ['string', 'boolean', 'integer'];
  return types.includes(node.type ?? '')
    ? []
    : [
        invalidValue(
          path,
          text,
          `must point to a field of type string, boolean or integer; enum, const and formats may be there`,
        ),
      ];
}
