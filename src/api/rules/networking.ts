/** The rules of the group networking.k8s.io. */
import { defaultIngress, defaultIngressClass, defaultNetworkPolicy } from '../defaulting/networking.ts';
import { kindRules } from '../kind-rules.ts';
import {
  validateIngress,
  validateIngressClass,
  validateIngressClassUpdate,
  validateIngressStatus,
  validateIngressUpdate,
} from '../validation/ingress.ts';
import { validateNetworkPolicy, validateNetworkPolicyUpdate } from '../validation/network-policy.ts';
import {
  validateIpAddress,
  validateIpAddressUpdate,
  validateServiceCidr,
  validateServiceCidrStatus,
  validateServiceCidrUpdate,
} from '../validation/networking.ts';
import { ingressWarnings, networkPolicyWarnings } from '../warnings/networking.ts';

export const INGRESS_RULES = kindRules({
  create: validateIngress,
  update: validateIngressUpdate,
  parts: { status: validateIngressStatus },
  setDefaults: defaultIngress,
  warnings: ingressWarnings,
});

export const INGRESS_CLASS_RULES = kindRules({
  create: validateIngressClass,
  update: validateIngressClassUpdate,
  setDefaults: defaultIngressClass,
});

export const NETWORK_POLICY_RULES = kindRules({
  create: validateNetworkPolicy,
  update: validateNetworkPolicyUpdate,
  setDefaults: defaultNetworkPolicy,
  warnings: networkPolicyWarnings,
});

export const SERVICE_CIDR_RULES = kindRules({
  create: validateServiceCidr,
  update: validateServiceCidrUpdate,
  parts: { status: validateServiceCidrStatus },
});

export const IP_ADDRESS_RULES = kindRules({ create: validateIpAddress, update: validateIpAddressUpdate });
