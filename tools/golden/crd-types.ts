/** The types of CustomResourceDefinitions, which the derived schema leaves out: enough to vary each of their fields. */
import type { Types } from './places.ts';

const TEXTS: Readonly<Record<string, string>> = {
  CustomResourceDefinition:
    'kind string, apiVersion string, metadata meta.v1.ObjectMeta, spec CustomResourceDefinitionSpec, status any',
  CustomResourceDefinitionSpec:
    'group string, names Names, scope string, versions []Version, conversion Conversion, preserveUnknownFields boolean',
  Names: 'plural string, singular string, shortNames []string, kind string, listKind string, categories []string',
  Version:
    'name string, served boolean, storage boolean, deprecated boolean, deprecationWarning string, schema Validation, subresources Subresources, additionalPrinterColumns []Column, selectableFields []Selectable',
  Validation: 'openAPIV3Schema Props',
  Subresources: 'status any, scale Scale',
  Scale: 'specReplicasPath string, statusReplicasPath string, labelSelectorPath string',
  Column: 'name string, type string, format string, description string, priority int32, jsonPath string',
  Selectable: 'jsonPath string',
  Conversion: 'strategy string, webhook WebhookConversion',
  WebhookConversion: 'clientConfig ClientConfig, conversionReviewVersions []string',
  ClientConfig: 'url string, service ServiceRef, caBundle bytes',
  ServiceRef: 'namespace string, name string, path string, port int32',
  Rule: 'rule string, message string, messageExpression string, reason string, fieldPath string, optionalOldSelf boolean',
  Docs: 'description string, url string',
  Props:
    'id string, $schema string, $ref string, description string, type string, format string, title string, default any, maximum double, exclusiveMaximum boolean, minimum double, exclusiveMinimum boolean, maxLength int64, minLength int64, pattern string, maxItems int64, minItems int64, uniqueItems boolean, multipleOf double, enum []any, maxProperties int64, minProperties int64, required []string, items Props, allOf []Props, oneOf []Props, anyOf []Props, not Props, properties {}Props, additionalProperties Props, patternProperties {}Props, dependencies {}Props, additionalItems Props, definitions {}Props, externalDocs Docs, example any, nullable boolean, x-kubernetes-preserve-unknown-fields boolean, x-kubernetes-embedded-resource boolean, x-kubernetes-int-or-string boolean, x-kubernetes-list-map-keys []string, x-kubernetes-list-type string, x-kubernetes-map-type string, x-kubernetes-validations []Rule',
};

export const CRD_TYPE = 'crd.CustomResourceDefinition';

export const CRD_TYPES: Types = Object.fromEntries(
  Object.entries(TEXTS).map(([name, text]) => {
    const fields = text.split(', ').map((field) => {
      const [own = '', type = ''] = field.split(' ');
      return [own, { type: type.replace(/^((?:\[\]|\{\})*)([A-Z]\w*)$/, '$1crd.$2') }];
    });
    return [`crd.${name}`, { fields: Object.fromEntries(fields) }];
  }),
);
