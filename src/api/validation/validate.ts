/**
 * Validation per kind: the field errors of an object that passed `validateStructure` and has its defaults. An empty list is
 * a valid object; a list goes into `invalid` (422). Kinds without rows here are checked for their metadata alone.
 */
import type { FieldError } from '../field-error.ts';
import { checkDns1123Subdomain } from '../names.ts';
import { apiVersionOf, type KubeObject, type Resource } from '../resource.ts';
import {
  validatePodTemplate,
  validatePodTemplateUpdate,
  validatePriorityClass,
  validatePriorityClassUpdate,
  validateRuntimeClass,
  validateRuntimeClassUpdate,
} from './class-kinds.ts';
import { validateControllerRevision, validateControllerRevisionUpdate } from './controller-revision.ts';
import {
  validateCertificateApproval,
  validateCertificateSigningRequest,
  validateCertificateSigningRequestUpdate,
  validateCertificateStatus,
} from './certificates.ts';
import { validateConfigMap, validateConfigMapUpdate, validateSecret, validateSecretUpdate } from './config.ts';
import { validateCronJob, validateCronJobStatusUpdate, validateCronJobUpdate } from './cron-job.ts';
import { validateJob, validateJobUpdate } from './job.ts';
import { validateJobStatusUpdate } from './job-status.ts';
import { validateDeployment, validateDeploymentStatus, validateDeploymentUpdate } from './deployment.ts';
import { validateDaemonSet, validateDaemonSetStatus, validateDaemonSetUpdate } from './daemon-set.ts';
import {
  validateEndpoints,
  validateEndpointSlice,
  validateEndpointSliceUpdate,
  validateEndpointsUpdate,
} from './endpoints.ts';
import {
  validateHealingPolicy,
  validateHealingPolicyStatus,
  validateHealingPolicyUpdate,
  validatePodRestart,
  validatePodRestartStatus,
  validatePodRestartUpdate,
} from './healing.ts';
import {
  validateIngress,
  validateIngressClass,
  validateIngressClassUpdate,
  validateIngressStatus,
  validateIngressUpdate,
} from './ingress.ts';
import {
  validateLimitRange,
  validateLimitRangeUpdate,
  validateResourceQuota,
  validateResourceQuotaStatus,
  validateResourceQuotaUpdate,
} from './limit-kinds.ts';
import {
  validateNamespace,
  validateNamespaceFinalize,
  validateNamespaceStatus,
  validateNamespaceUpdate,
} from './namespace.ts';
import { validateNetworkPolicy, validateNetworkPolicyUpdate } from './network-policy.ts';
import {
  validateIpAddress,
  validateIpAddressUpdate,
  validateServiceCidr,
  validateServiceCidrStatus,
  validateServiceCidrUpdate,
} from './networking.ts';
import { validateNode, validateNodeUpdate } from './node.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';
import {
  validatePersistentVolume,
  validatePersistentVolumeStatus,
  validatePersistentVolumeUpdate,
  validateStorageClass,
  validateStorageClassUpdate,
} from './persistent-volume.ts';
import {
  validatePersistentVolumeClaim,
  validatePersistentVolumeClaimStatus,
  validatePersistentVolumeClaimUpdate,
} from './persistent-volume-claim.ts';
import { validatePod, validatePodStatusUpdate, validatePodUpdate } from './pod.ts';
import {
  validatePodDisruptionBudget,
  validatePodDisruptionBudgetStatus,
  validatePodDisruptionBudgetUpdate,
} from './pod-disruption-budget.ts';
import { validatePodResize } from './pod-resize.ts';
import {
  validateReplicaSet,
  validateReplicaSetUpdate,
  validateReplicatedStatus,
  validateReplicationController,
  validateReplicationControllerUpdate,
} from './replicated.ts';
import {
  validateClusterRole,
  validateClusterRoleBinding,
  validateClusterRoleBindingUpdate,
  validateClusterRoleUpdate,
  validateRole,
  validateRoleBinding,
  validateRoleBindingUpdate,
  validateRoleUpdate,
} from './rbac.ts';
import { validateService, validateServiceStatus, validateServiceUpdate } from './service.ts';
import { validateObjectSize } from './object-size.ts';
import { validateStatefulSet, validateStatefulSetStatus, validateStatefulSetUpdate } from './stateful-set.ts';
import { validateEphemeralContainersUpdate } from './ephemeral-containers.ts';
import {
  validateBinding,
  validateEvent,
  validateEventsEvent,
  validateEventsEventUpdate,
  validateEventUpdate,
  validateLease,
  validateLeaseUpdate,
  validateServiceAccount,
  validateServiceAccountUpdate,
} from './small-kinds.ts';

interface Validator {
  readonly create: (object: KubeObject) => FieldError[];
  readonly update: (object: KubeObject, old: KubeObject) => FieldError[];
  /** By name of the subresource; one that isn't here is validated as `update`. */
  readonly subresources: Readonly<Record<string, (object: KubeObject, old: KubeObject) => FieldError[]>>;
}

/** The types of a row agree among themselves; the table forgets them, the caller's kind brings them back. */
function validator<T extends KubeObject>(
  create: (object: T) => FieldError[],
  update: (object: T, old: T) => FieldError[],
  subresources: Readonly<Record<string, (object: T, old: T) => FieldError[]>> = {},
): Validator {
  return { create, update, subresources } as unknown as Validator;
}

const VALIDATORS: Readonly<Record<string, Validator>> = {
  'v1/Pod': validator(validatePod, validatePodUpdate, {
    status: validatePodStatusUpdate,
    ephemeralcontainers: validateEphemeralContainersUpdate,
    resize: validatePodResize,
  }),
  'v1/Node': validator(validateNode, validateNodeUpdate),
  'batch/v1/Job': validator(validateJob, validateJobUpdate, { status: validateJobStatusUpdate }),
  'batch/v1/CronJob': validator(validateCronJob, validateCronJobUpdate, { status: validateCronJobStatusUpdate }),
  'v1/Namespace': validator(validateNamespace, validateNamespaceUpdate, {
    status: validateNamespaceStatus,
    finalize: validateNamespaceFinalize,
  }),
  'v1/ConfigMap': validator(validateConfigMap, validateConfigMapUpdate),
  'v1/Secret': validator(validateSecret, validateSecretUpdate),
  'v1/ServiceAccount': validator(validateServiceAccount, validateServiceAccountUpdate),
  'v1/Event': validator(validateEvent, validateEventUpdate),
  'events.k8s.io/v1/Event': validator(validateEventsEvent, validateEventsEventUpdate),
  'coordination.k8s.io/v1/Lease': validator(validateLease, validateLeaseUpdate),
  'v1/Service': validator(validateService, validateServiceUpdate, { status: validateServiceStatus }),
  'v1/Endpoints': validator(validateEndpoints, validateEndpointsUpdate),
  'discovery.k8s.io/v1/EndpointSlice': validator(validateEndpointSlice, validateEndpointSliceUpdate),
  'networking.k8s.io/v1/Ingress': validator(validateIngress, validateIngressUpdate, { status: validateIngressStatus }),
  'networking.k8s.io/v1/IngressClass': validator(validateIngressClass, validateIngressClassUpdate),
  'networking.k8s.io/v1/NetworkPolicy': validator(validateNetworkPolicy, validateNetworkPolicyUpdate),
  'networking.k8s.io/v1/ServiceCIDR': validator(validateServiceCidr, validateServiceCidrUpdate, {
    status: validateServiceCidrStatus,
  }),
  'networking.k8s.io/v1/IPAddress': validator(validateIpAddress, validateIpAddressUpdate),
  'v1/PodTemplate': validator(validatePodTemplate, validatePodTemplateUpdate),
  'v1/LimitRange': validator(validateLimitRange, validateLimitRangeUpdate),
  'v1/ResourceQuota': validator(validateResourceQuota, validateResourceQuotaUpdate, {
    status: validateResourceQuotaStatus,
  }),
  'node.k8s.io/v1/RuntimeClass': validator(validateRuntimeClass, validateRuntimeClassUpdate),
  'scheduling.k8s.io/v1/PriorityClass': validator(validatePriorityClass, validatePriorityClassUpdate),
  'apps/v1/Deployment': validator(validateDeployment, validateDeploymentUpdate, { status: validateDeploymentStatus }),
  'apps/v1/ReplicaSet': validator(validateReplicaSet, validateReplicaSetUpdate, { status: validateReplicatedStatus }),
  'v1/ReplicationController': validator(validateReplicationController, validateReplicationControllerUpdate, {
    status: validateReplicatedStatus,
  }),
  'apps/v1/StatefulSet': validator(validateStatefulSet, validateStatefulSetUpdate, {
    status: validateStatefulSetStatus,
  }),
  'apps/v1/DaemonSet': validator(validateDaemonSet, validateDaemonSetUpdate, { status: validateDaemonSetStatus }),
  'apps/v1/ControllerRevision': validator(validateControllerRevision, validateControllerRevisionUpdate),
  'v1/PersistentVolumeClaim': validator(validatePersistentVolumeClaim, validatePersistentVolumeClaimUpdate, {
    status: validatePersistentVolumeClaimStatus,
  }),
  'v1/PersistentVolume': validator(validatePersistentVolume, validatePersistentVolumeUpdate, {
    status: validatePersistentVolumeStatus,
  }),
  'storage.k8s.io/v1/StorageClass': validator(validateStorageClass, validateStorageClassUpdate),
  'certificates.k8s.io/v1/CertificateSigningRequest': validator(
    validateCertificateSigningRequest,
    validateCertificateSigningRequestUpdate,
    { approval: validateCertificateApproval, status: validateCertificateStatus },
  ),
  'rbac.authorization.k8s.io/v1/Role': validator(validateRole, validateRoleUpdate),
  'rbac.authorization.k8s.io/v1/ClusterRole': validator(validateClusterRole, validateClusterRoleUpdate),
  'rbac.authorization.k8s.io/v1/RoleBinding': validator(validateRoleBinding, validateRoleBindingUpdate),
  'rbac.authorization.k8s.io/v1/ClusterRoleBinding': validator(
    validateClusterRoleBinding,
    validateClusterRoleBindingUpdate,
  ),
  'policy/v1/PodDisruptionBudget': validator(validatePodDisruptionBudget, validatePodDisruptionBudgetUpdate, {
    status: validatePodDisruptionBudgetStatus,
  }),
  'mendlet.dev/v1alpha1/PodRestart': validator(validatePodRestart, validatePodRestartUpdate, {
    status: validatePodRestartStatus,
  }),
  'mendlet.dev/v1alpha1/HealingPolicy': validator(validateHealingPolicy, validateHealingPolicyUpdate, {
    status: validateHealingPolicyStatus,
  }),
  'v1/Binding': validator(validateBinding, validateBinding),
};

function validatorOf(resource: Resource<unknown>): Validator {
  const name = `${apiVersionOf(resource)}/${resource.kind}`;
  const known = Object.hasOwn(VALIDATORS, name) ? VALIDATORS[name] : undefined;
  return known ?? metadataOnly(resource.namespaced);
}

function metadataOnly(namespaced: boolean): Validator {
  return validator(
    (object) => validateObjectMeta(object.metadata, namespaced, checkDns1123Subdomain),
    (object, old) => validateObjectMetaUpdate(object.metadata, old.metadata),
  );
}

/** A new object, with name, namespace and defaults set. One that holds too much is not looked at any further. */
export function validateCreate(resource: Resource<unknown>, object: KubeObject): FieldError[] {
  const tooLarge = validateObjectSize(apiVersionOf(resource), resource.kind, object, undefined);
  if (tooLarge.length > 0) return tooLarge;
  return validatorOf(resource).create(object);
}

/** An object that replaces `old`, through the main resource or one of its subresources ("status"). */
export function validateUpdate(
  resource: Resource<unknown>,
  object: KubeObject,
  old: KubeObject,
  subresource = '',
): FieldError[] {
  const tooLarge = validateObjectSize(apiVersionOf(resource), resource.kind, object, old);
  if (tooLarge.length > 0) return tooLarge;
  const { update, subresources } = validatorOf(resource);
  const own = Object.hasOwn(subresources, subresource) ? subresources[subresource] : undefined;
  return (own ?? update)(object, old);
}
