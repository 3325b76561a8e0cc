/**
 * api: the Kubernetes API as data and pure functions: types, resources, defaults, validation, selectors, quantities,
 * patches. Imports nothing of ours; no I/O.
 */
export * from './autoscaler-versions.ts';
export * from './bootstrap-token.ts';
export * from './certificate-signers.ts';
export * from './conditions.ts';
export { hasBadAuthorities, pemOf } from './custom-resources/ca-bundle.ts';
export {
  checkConverted,
  ConversionError,
  conversionReview,
  readReview,
  reviewVersionOf,
} from './custom-resources/conversion-review.ts';
export * from './custom-resources/definition.ts';
export { isServed, nextDefinitionStatus } from './custom-resources/definition-state.ts';
export { type TakenNames, takenNames } from './custom-resources/names.ts';
export { approvalOf, isProtectedGroup, SHARED_SCHEMA } from './custom-resources/validate-definition.ts';
export * from './json-path.ts';
export type * from './object-schema.ts';
export type { JsonSchema, ValidationRule } from './structural/json-schema.ts';
export { typeOf } from './structural/check.ts';
export { keyOfItem } from './structural/list-types.ts';
export { additionalOf, fieldPath, findSchemaByPath, itemsOf, nodesOf, propertyOf } from './structural/json-schema.ts';
export { hasRules, type RuleEngine } from './structural/rules.ts';
export { placeOfSchema, type StructuralPlace } from './structural/place.ts';
export { StructuralSchema } from './structural/structural-schema.ts';
export { checkDns1123Subdomain } from './names.ts';
export * from './cron-schedule.ts';
export * from './node-fit.ts';
export * from './attachments.ts';
export * from './out-of-service.ts';
export * from './pod-claims.ts';
export * from './default-class.ts';
export * from './day/index.ts';
export * from './defaulting/defaults.ts';
export { currentPodTemplate } from './defaulting/pod-template.ts';
export * from './dashboard-link.ts';
export { shorten } from './echo.ts';
export * from './field-error.ts';
export * from './field-selector.ts';
export * from './healing/avoided-nodes.ts';
export * from './healing/by-hand.ts';
export * from './healing/cut-text.ts';
export * from './healing/depends-on.ts';
export * from './healing/duration.ts';
export * from './healing/healing-policy.ts';
export type * from './healing/history.ts';
export type * from './service-path.ts';
export * from './healing/healing-state.ts';
export * from './healing/limits.ts';
export * from './healing/pod-lives.ts';
export * from './healing/pod-uids.ts';
export * from './healing/recovery-signal.ts';
export * from './healing/restart-request.ts';
export * from './healing/types.ts';
export * from './healing/waiting-reasons.ts';
export * from './healing/words.ts';
export * from './int-or-percent.ts';
export * from './ip-address.ts';
export * from './ip-cidr.ts';
export * from './ipv4-range.ts';
export * from './job-indexes.ts';
export * from './job-words.ts';
export * from './kind-rules.ts';
export * from './label-selector.ts';
export type { KindRules } from './kind-rules.ts';
export * from './local-volume.ts';
export * from './managed-fields/index.ts';
export * from './names.ts';
export * from './object-meta.ts';
export { definitionNameOf, OWN_ROWS, ownDefinitions, ownRowOf } from './own-definitions/own-definitions.ts';
export * from './patch/json-patch.ts';
export * from './patch/merge-patch.ts';
export * from './patch/steps.ts';
export * from './patch/strategic-merge-patch.ts';
export * from './pkcs10.ts';
export * from './pod-resources.ts';
export * from './qos-class.ts';
export * from './quantity.ts';
export * from './resource.ts';
export * from './resources.ts';
export { schemaOf } from './schema-of.ts';
export { canonicalObject, canonicalPart } from './schema/canonical.ts';
export {
  type FieldSchema,
  type FieldShape,
  type Scalar,
  structOfKind,
  type StructSchema,
  structSchema,
} from './schema/schema.ts';
export { equalCanonicalObjects, semanticallyEqual, semanticallyEqualObjects } from './schema/semantic-equality.ts';
export type { FieldValidation } from './schema/structure.ts';
export * from './selectable-fields.ts';
export * from './service-kind.ts';
export * from './status-error.ts';
export * from './system-priorities.ts';
export type * from './types.gen.ts';
export { MAX_JSON_DEPTH } from './json-depth.ts';
export { setOwn } from './schema/set-own.ts';
export * from './validate-structure.ts';
export { validateLabelSelector } from './validation/affinity.ts';
export { validateHealingPolicy } from './validation/healing.ts';
export { DAEMON_SET_COUNTS } from './validation/daemon-set.ts';
export { MANDATORY_FLOW_SCHEMAS, MANDATORY_PRIORITY_LEVELS } from './mandatory-flow-control.ts';
export { equalJson } from './validation/messages.ts';
export { validateObjectMeta, validateObjectMetaUpdate, validateWriteOptions } from './validation/object-meta.ts';
export { validatePodSpec } from './validation/pod-spec.ts';
export { validatePod } from './validation/pod.ts';
export { validateBinding } from './validation/small-kinds.ts';
export { validateObjectSize } from './validation/object-size.ts';
export * from './validation/validate.ts';
export { deprecationOf, warningsOf } from './warnings/warnings.ts';
export { PatchError, type PatchErrorCode } from './patch/patch-error.ts';
