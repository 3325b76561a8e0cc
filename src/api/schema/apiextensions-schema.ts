/** CustomResourceDefinition in the shape of the derived schema: the packages that it is derived from lack this group. */

const ROOT = 'apiextensions.v1.';
const SCHEMA = `${ROOT}JSONSchemaProps`;

const string = { type: 'string', omitempty: true };
const texts = { type: '[]string', omitempty: true, listType: 'atomic' };
const number = { type: 'double', pointer: true, omitempty: true };
const count = { type: 'int64', pointer: true, omitempty: true };
const flag = { type: 'boolean', omitempty: true };
const maybe = { type: 'boolean', pointer: true, omitempty: true };
const word = { type: 'string', pointer: true, omitempty: true };
const any = { type: 'any', pointer: true, omitempty: true };
const required = { type: 'string', required: true };
const part = (name: string) => ({ type: `${ROOT}${name}`, pointer: true, omitempty: true });
/** A schema, or what else may stand in its place: a boolean, a list of schemas, a list of names. */
const schemaOr = { type: 'any', or: SCHEMA, pointer: true, omitempty: true };
const schemas = { type: `[]${SCHEMA}`, omitempty: true, listType: 'atomic' };
const schemaMap = { type: `{}${SCHEMA}`, omitempty: true };

export const APIEXTENSIONS_KINDS: Readonly<Record<string, string>> = {
  'apiextensions.k8s.io/v1/CustomResourceDefinition': `${ROOT}CustomResourceDefinition`,
  'apiextensions.k8s.io/v1/CustomResourceDefinitionList': `${ROOT}CustomResourceDefinitionList`,
};

export const APIEXTENSIONS_TYPES = {
  [`${ROOT}CustomResourceDefinition`]: {
    fields: {
      kind: string,
      apiVersion: string,
      metadata: { type: 'meta.v1.ObjectMeta', omitempty: true },
      spec: { type: `${ROOT}CustomResourceDefinitionSpec`, required: true },
      status: { type: `${ROOT}CustomResourceDefinitionStatus`, omitempty: true },
    },
  },
  [`${ROOT}CustomResourceDefinitionList`]: {
    fields: {
      kind: string,
      apiVersion: string,
      metadata: { type: 'meta.v1.ListMeta', omitempty: true },
      items: { type: `[]${ROOT}CustomResourceDefinition`, required: true },
    },
  },
  [`${ROOT}CustomResourceDefinitionSpec`]: {
    fields: {
      group: required,
      names: { type: `${ROOT}CustomResourceDefinitionNames`, required: true },
      scope: required,
      versions: { type: `[]${ROOT}CustomResourceDefinitionVersion`, required: true, listType: 'atomic' },
      conversion: part('CustomResourceConversion'),
      preserveUnknownFields: flag,
    },
  },
  [`${ROOT}CustomResourceDefinitionNames`]: {
    fields: {
      plural: required,
      singular: string,
      shortNames: texts,
      kind: required,
      listKind: string,
      categories: texts,
    },
  },
  [`${ROOT}CustomResourceConversion`]: { fields: { strategy: required, webhook: part('WebhookConversion') } },
  [`${ROOT}WebhookConversion`]: {
    fields: {
      clientConfig: part('WebhookClientConfig'),
      conversionReviewVersions: { type: '[]string', required: true, listType: 'atomic' },
    },
  },
  [`${ROOT}WebhookClientConfig`]: {
    fields: { url: word, service: part('ServiceReference'), caBundle: { type: 'bytes', omitempty: true } },
  },
  [`${ROOT}ServiceReference`]: {
    fields: {
      namespace: required,
      name: required,
      path: word,
      port: { type: 'int32', pointer: true, omitempty: true },
    },
  },
  [`${ROOT}CustomResourceDefinitionVersion`]: {
    fields: {
      name: required,
      served: { type: 'boolean', required: true },
      storage: { type: 'boolean', required: true },
      deprecated: flag,
      deprecationWarning: word,
      schema: part('CustomResourceValidation'),
      subresources: part('CustomResourceSubresources'),
      additionalPrinterColumns: {
        type: `[]${ROOT}CustomResourceColumnDefinition`,
        omitempty: true,
        listType: 'atomic',
      },
      selectableFields: { type: `[]${ROOT}SelectableField`, omitempty: true, listType: 'atomic' },
    },
  },
  [`${ROOT}CustomResourceValidation`]: { fields: { openAPIV3Schema: part('JSONSchemaProps') } },
  [`${ROOT}CustomResourceSubresources`]: {
    fields: { status: part('CustomResourceSubresourceStatus'), scale: part('CustomResourceSubresourceScale') },
  },
  [`${ROOT}CustomResourceSubresourceStatus`]: { fields: {} },
  [`${ROOT}CustomResourceSubresourceScale`]: {
    fields: { specReplicasPath: required, statusReplicasPath: required, labelSelectorPath: word },
  },
  [`${ROOT}CustomResourceColumnDefinition`]: {
    fields: {
      name: required,
      type: required,
      format: string,
      description: string,
      priority: { type: 'int32', omitempty: true },
      jsonPath: required,
    },
  },
  [`${ROOT}SelectableField`]: { fields: { jsonPath: required } },
  [`${ROOT}CustomResourceDefinitionStatus`]: {
    fields: {
      conditions: {
        type: `[]${ROOT}CustomResourceDefinitionCondition`,
        listType: 'map',
        listMapKeys: ['type'],
      },
      acceptedNames: { type: `${ROOT}CustomResourceDefinitionNames` },
      storedVersions: { type: '[]string', listType: 'atomic' },
      observedGeneration: { type: 'int64', omitempty: true },
    },
  },
  [`${ROOT}CustomResourceDefinitionCondition`]: {
    fields: {
      type: required,
      status: required,
      lastTransitionTime: { type: 'time', omitzero: true },
      reason: string,
      message: string,
      observedGeneration: { type: 'int64', omitempty: true },
    },
  },
  [`${ROOT}ExternalDocumentation`]: { fields: { description: string, url: string } },
  [`${ROOT}ValidationRule`]: {
    fields: {
      rule: required,
      message: string,
      messageExpression: string,
      reason: word,
      fieldPath: string,
      optionalOldSelf: maybe,
    },
  },
  [SCHEMA]: {
    fields: {
      id: string,
      $schema: string,
      $ref: word,
      description: string,
      type: string,
      format: string,
      title: string,
      default: any,
      maximum: number,
      exclusiveMaximum: flag,
      minimum: number,
      exclusiveMinimum: flag,
      maxLength: count,
      minLength: count,
      pattern: string,
      maxItems: count,
      minItems: count,
      uniqueItems: flag,
      multipleOf: number,
      enum: { type: '[]any', omitempty: true, listType: 'atomic' },
      maxProperties: count,
      minProperties: count,
      required: texts,
      items: schemaOr,
      allOf: schemas,
      oneOf: schemas,
      anyOf: schemas,
      not: part('JSONSchemaProps'),
      properties: schemaMap,
      additionalProperties: schemaOr,
      patternProperties: schemaMap,
      dependencies: { type: '{}any', omitempty: true },
      additionalItems: schemaOr,
      definitions: schemaMap,
      externalDocs: part('ExternalDocumentation'),
      example: any,
      nullable: flag,
      'x-kubernetes-preserve-unknown-fields': maybe,
      'x-kubernetes-embedded-resource': flag,
      'x-kubernetes-int-or-string': flag,
      'x-kubernetes-list-map-keys': texts,
      'x-kubernetes-list-type': word,
      'x-kubernetes-map-type': word,
      'x-kubernetes-validations': {
        type: `[]${ROOT}ValidationRule`,
        omitempty: true,
        listType: 'map',
        listMapKeys: ['rule'],
        patchMergeKey: 'rule',
        patchStrategy: 'merge',
      },
    },
  },
};
