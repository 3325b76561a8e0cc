/**
 * api: the Kubernetes API as data and pure functions: types, resources, defaults, validation, selectors, quantities,
 * patches. Imports nothing of ours; no I/O.
 */
export * from './conditions.ts';
export * from './defaulting/defaults.ts';
export * from './field-error.ts';
export * from './field-selector.ts';
export * from './ip-address.ts';
export * from './label-selector.ts';
export * from './names.ts';
export * from './object-meta.ts';
export * from './pod-resources.ts';
export * from './qos-class.ts';
export * from './quantity.ts';
export * from './resource.ts';
export * from './resources.ts';
export type { FieldValidation } from './schema/structure.ts';
export * from './selectable-fields.ts';
export * from './status-error.ts';
export type * from './types.gen.ts';
export * from './validate-structure.ts';
export * from './validation/validate.ts';
export { validateObjectMeta, validateObjectMetaUpdate, validateWriteOptions } from './validation/object-meta.ts';
export { equalJson } from './validation/messages.ts';
export { validatePodSpec } from './validation/pod-spec.ts';
export { validatePod } from './validation/pod.ts';
export { validateLabelSelector } from './validation/affinity.ts';
export { validateBinding } from './validation/small-kinds.ts';
