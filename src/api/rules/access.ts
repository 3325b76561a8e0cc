/** The rules of roles and their bindings, of certificate requests, and of the classes of pods. */
import type { PriorityClass, RuntimeClass } from '../types.gen.ts';
import { defaultRoleBinding } from '../defaulting/rbac.ts';
import { kindRules } from '../kind-rules.ts';
import {
  validateCertificateApproval,
  validateCertificateSigningRequest,
  validateCertificateSigningRequestUpdate,
  validateCertificateStatus,
} from '../validation/certificates.ts';
import {
  validatePriorityClass,
  validatePriorityClassUpdate,
  validateRuntimeClass,
  validateRuntimeClassUpdate,
} from '../validation/class-kinds.ts';
import {
  validateClusterRole,
  validateClusterRoleBinding,
  validateClusterRoleBindingUpdate,
  validateClusterRoleUpdate,
  validateRole,
  validateRoleBinding,
  validateRoleBindingUpdate,
  validateRoleUpdate,
} from '../validation/rbac.ts';
import { oldLabels } from '../warnings/old-names.ts';

export const CERTIFICATE_SIGNING_REQUEST_RULES = kindRules({
  create: validateCertificateSigningRequest,
  update: validateCertificateSigningRequestUpdate,
  parts: { approval: validateCertificateApproval, status: validateCertificateStatus },
  selectable: ['metadata.name', 'spec.signerName'],
});

export const ROLE_RULES = kindRules({ create: validateRole, update: validateRoleUpdate });
export const CLUSTER_ROLE_RULES = kindRules({ create: validateClusterRole, update: validateClusterRoleUpdate });

export const ROLE_BINDING_RULES = kindRules({
  create: validateRoleBinding,
  update: validateRoleBindingUpdate,
  setDefaults: defaultRoleBinding,
});

export const CLUSTER_ROLE_BINDING_RULES = kindRules({
  create: validateClusterRoleBinding,
  update: validateClusterRoleBindingUpdate,
  setDefaults: defaultRoleBinding,
});

export const RUNTIME_CLASS_RULES = kindRules<RuntimeClass>({
  create: validateRuntimeClass,
  update: validateRuntimeClassUpdate,
  // Upstream's path ends before the label.
  warnings: ({ scheduling }) => oldLabels(Object.keys(scheduling?.nodeSelector ?? {}), () => 'scheduling.nodeSelector'),
});

export const PRIORITY_CLASS_RULES = kindRules<PriorityClass>({
  create: validatePriorityClass,
  update: validatePriorityClassUpdate,
  setDefaults: (priority) => {
    priority.preemptionPolicy ??= 'PreemptLowerPriority';
    priority.value ??= 0;
  },
});
