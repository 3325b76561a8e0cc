/** Validation of nodes (upstream `ValidateNode`, `ValidateNodeUpdate`). */
import { child, duplicate, type FieldError, forbiddenField, index, invalidValue } from '../field-error.ts';
import { checkDns1123Subdomain } from '../names.ts';
import { parseQuantity } from '../quantity.ts';
import type { Node } from '../types.gen.ts';
import { equalJson, NOT_NEGATIVE } from './messages.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';
import { validateTaints } from './tolerations.ts';

export function validateNode(node: Node): FieldError[] {
  return [
    ...validateObjectMeta(node.metadata, false, checkDns1123Subdomain),
    ...validateTaints(node.spec?.taints, 'spec.taints'),
    ...validateAmounts(node),
  ];
}

/** Fields that are set once stay; otherwise only taints, schedulability and the kubelet's reports may change. */
export function validateNodeUpdate(node: Node, old: Node): FieldError[] {
  const errors = [
    ...validateObjectMetaUpdate(node.metadata, old.metadata),
    ...validateTaints(node.spec?.taints, 'spec.taints'),
    ...validateStatus(node),
  ];
  const { spec = {} } = node;
  const { spec: oldSpec = {} } = old;
  if (oldSpec.podCIDRs?.length && !equalJson(spec.podCIDRs, oldSpec.podCIDRs)) {
    errors.push(forbiddenField('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid'));
  }
  if (oldSpec.providerID && spec.providerID !== oldSpec.providerID) {
    errors.push(forbiddenField('spec.providerID', 'node updates may not change providerID except from "" to valid'));
  }
  return errors;
}

function validateStatus(node: Node): FieldError[] {
  const taken = new Set<string>();
  const addresses = (node.status?.addresses ?? []).flatMap((address, position) => {
    const name = JSON.stringify([address.type, address.address]);
    const known = taken.has(name);
    taken.add(name);
    return known ? [duplicate(index('status.addresses', position), address)] : [];
  });
  return [...addresses, ...validateAmounts(node)];
}

/** The paths are upstream's. */
function validateAmounts(node: Node): FieldError[] {
  return (['capacity', 'allocatable'] as const).flatMap((list) =>
    Object.entries(node.status?.[list] ?? {}).flatMap(([name, quantity]) => {
      const negative = parseQuantity(quantity).nano < 0n;
      return negative ? [invalidValue(child('status', list, name), quantity, NOT_NEGATIVE)] : [];
    }),
  );
}
