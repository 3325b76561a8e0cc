/**
 * The field numbers of CustomResourceDefinitions, in the form of `fields.json`: the packages that it is derived from lack this group.
 * A schema may have something else in its place: a list of schemas, a boolean, names.
 */

const ROOT = 'apiextensions.v1.';
const SCHEMA = `${ROOT}JSONSchemaProps`;

const names = {
  1: 'plural:string',
  2: 'singular:string',
  3: 'shortNames:[]string',
  4: 'kind:string',
  5: 'listKind:string',
  6: 'categories:[]string',
};

const schema = {
  1: 'id:string',
  2: '$schema:string',
  3: '$ref:string*',
  4: 'description:string',
  5: 'type:string',
  6: 'format:string',
  7: 'title:string',
  8: 'default:json*',
  9: 'maximum:double*',
  10: 'exclusiveMaximum:bool',
  11: 'minimum:double*',
  12: 'exclusiveMinimum:bool',
  13: 'maxLength:int64*',
  14: 'minLength:int64*',
  15: 'pattern:string',
  16: 'maxItems:int64*',
  17: 'minItems:int64*',
  18: 'uniqueItems:bool',
  19: 'multipleOf:double*',
  20: 'enum:[]json',
  21: 'maxProperties:int64*',
  22: 'minProperties:int64*',
  23: 'required:[]string',
  24: `items:${ROOT}SchemaOrList*`,
  25: `allOf:[]${SCHEMA}`,
  26: `oneOf:[]${SCHEMA}`,
  27: `anyOf:[]${SCHEMA}`,
  28: `not:${SCHEMA}*`,
  29: `properties:{}${SCHEMA}`,
  30: `additionalProperties:${ROOT}SchemaOrFlag*`,
  31: `patternProperties:{}${SCHEMA}`,
  32: `dependencies:{}${ROOT}SchemaOrNames`,
  33: `additionalItems:${ROOT}SchemaOrFlag*`,
  34: `definitions:{}${SCHEMA}`,
  35: `externalDocs:${ROOT}ExternalDocumentation*`,
  36: 'example:json*',
  37: 'nullable:bool',
  38: 'x-kubernetes-preserve-unknown-fields:bool*',
  39: 'x-kubernetes-embedded-resource:bool',
  40: 'x-kubernetes-int-or-string:bool',
  41: 'x-kubernetes-list-map-keys:[]string',
  42: 'x-kubernetes-list-type:string*',
  43: 'x-kubernetes-map-type:string*',
  44: `x-kubernetes-validations:[]${ROOT}ValidationRule`,
};

const messages: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  CustomResourceDefinition: {
    1: 'metadata:meta.v1.ObjectMeta',
    2: `spec:${ROOT}CustomResourceDefinitionSpec`,
    3: `status:${ROOT}CustomResourceDefinitionStatus`,
  },
  CustomResourceDefinitionSpec: {
    1: 'group:string',
    3: `names:${ROOT}CustomResourceDefinitionNames`,
    4: 'scope:string',
    7: `versions:[]${ROOT}CustomResourceDefinitionVersion`,
    9: `conversion:${ROOT}CustomResourceConversion*`,
    10: 'preserveUnknownFields:bool',
  },
  CustomResourceDefinitionNames: names,
  CustomResourceDefinitionVersion: {
    1: 'name:string',
    2: 'served:bool',
    3: 'storage:bool',
    4: `schema:${ROOT}CustomResourceValidation*`,
    5: `subresources:${ROOT}CustomResourceSubresources*`,
    6: `additionalPrinterColumns:[]${ROOT}CustomResourceColumnDefinition`,
    7: 'deprecated:bool',
    8: 'deprecationWarning:string*',
    9: `selectableFields:[]${ROOT}SelectableField`,
  },
  CustomResourceValidation: { 1: `openAPIV3Schema:${SCHEMA}*` },
  CustomResourceSubresources: {
    1: `status:${ROOT}CustomResourceSubresourceStatus*`,
    2: `scale:${ROOT}CustomResourceSubresourceScale*`,
  },
  CustomResourceSubresourceStatus: {},
  CustomResourceSubresourceScale: {
    1: 'specReplicasPath:string',
    2: 'statusReplicasPath:string',
    3: 'labelSelectorPath:string*',
  },
  CustomResourceColumnDefinition: {
    1: 'name:string',
    2: 'type:string',
    3: 'format:string',
    4: 'description:string',
    5: 'priority:int32',
    6: 'jsonPath:string',
  },
  SelectableField: { 1: 'jsonPath:string' },
  CustomResourceConversion: { 1: 'strategy:string', 2: `webhook:${ROOT}WebhookConversion*` },
  WebhookConversion: { 2: `clientConfig:${ROOT}WebhookClientConfig*`, 3: 'conversionReviewVersions:[]string' },
  WebhookClientConfig: { 1: `service:${ROOT}ServiceReference*`, 2: 'caBundle:bytes', 3: 'url:string*' },
  ServiceReference: { 1: 'namespace:string', 2: 'name:string', 3: 'path:string*', 4: 'port:int32*' },
  CustomResourceDefinitionStatus: {
    1: `conditions:[]${ROOT}CustomResourceDefinitionCondition`,
    2: `acceptedNames:${ROOT}CustomResourceDefinitionNames`,
    3: 'storedVersions:[]string',
    4: 'observedGeneration:int64',
  },
  CustomResourceDefinitionCondition: {
    1: 'type:string',
    2: 'status:string',
    3: 'lastTransitionTime:time',
    4: 'reason:string',
    5: 'message:string',
    6: 'observedGeneration:int64',
  },
  JSONSchemaProps: schema,
  ExternalDocumentation: { 1: 'description:string', 2: 'url:string' },
  ValidationRule: {
    1: 'rule:string',
    2: 'message:string',
    3: 'messageExpression:string',
    4: 'reason:string*',
    5: 'fieldPath:string',
    6: 'optionalOldSelf:bool*',
  },
  SchemaOrList: { 1: `schema:${SCHEMA}*`, 2: `instead:[]${SCHEMA}` },
  SchemaOrFlag: { 1: 'instead:bool*', 2: `schema:${SCHEMA}*` },
  SchemaOrNames: { 1: `schema:${SCHEMA}*`, 2: 'instead:[]string' },
};

/** By the schema's name of the type, then by number. */
export const DEFINITION_MESSAGES: Readonly<Record<string, Readonly<Record<string, string>>>> = Object.fromEntries(
  Object.entries(messages).map(([name, fields]) => [`${ROOT}${name}`, fields]),
);

/** Messages that are a schema, or what stands in its place. */
export const EITHER: ReadonlySet<string> = new Set(
  ['SchemaOrList', 'SchemaOrFlag', 'SchemaOrNames'].map((name) => `${ROOT}${name}`),
);
