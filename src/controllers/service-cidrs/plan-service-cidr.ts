/**
 * What a ServiceCIDR needs next: the finalizer that holds it while addresses of it are in use, its Ready condition, and in the end its
 * release. Upstream: service-cidrs-controller. Pure.
 */
import {
  addressesWithin,
  type Condition,
  isCidr,
  isDeleting,
  isStrictlyWithin,
  type ServiceCIDR,
} from '../../api/index.ts';
import { formatTime, parseTime } from '../../lib/index.ts';
import { DELETION_GRACE_MS } from './limits.ts';

export const SERVICE_CIDR_FINALIZER = 'networking.k8s.io/service-cidr-finalizer';

const READY_TEXT = 'Kubernetes Service CIDR is ready';
const IN_USE_TEXT =
  'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR';

export type ServiceCidrStep =
  | { readonly kind: 'none' }
  /** Hold it before its addresses are given out. */
  | { readonly kind: 'finalizers'; readonly finalizers: readonly string[] }
  | { readonly kind: 'condition'; readonly condition: Condition }
  | { readonly kind: 'wait'; readonly ms: number };

export interface ServiceCidrFacts {
  /** All ServiceCIDRs, this one among them or not. */
  readonly all: readonly ServiceCIDR[];
  /** All addresses that somebody has. */
  readonly addresses: readonly string[];
  /** Wall ms. */
  readonly now: number;
}

export function planServiceCidr(object: ServiceCIDR, facts: ServiceCidrFacts): ServiceCidrStep {
  const finalizers = object.metadata?.finalizers ?? [];
  const holds = finalizers.includes(SERVICE_CIDR_FINALIZER);
  const time = formatTime(facts.now);
  if (!isDeleting(object)) {
    if (!holds) return { kind: 'finalizers', finalizers: [...finalizers, SERVICE_CIDR_FINALIZER] };
    return condition(object, {
      type: 'Ready',
      status: 'True',
      lastTransitionTime: time,
      reason: '',
      message: READY_TEXT,
    });
  }
  if (!holds) return { kind: 'none' };
  if (isInUse(object, facts)) {
    const reason = 'Terminating';
    return condition(object, {
      type: 'Ready',
      status: 'False',
      lastTransitionTime: time,
      reason,
      message: IN_USE_TEXT,
    });
  }
  const asked = parseTime(object.metadata?.deletionTimestamp) ?? facts.now;
  const ms = asked + DELETION_GRACE_MS - facts.now;
  if (ms > 0) return { kind: 'wait', ms };
  return { kind: 'finalizers', finalizers: finalizers.filter((name) => name !== SERVICE_CIDR_FINALIZER) };
}

/** A condition of the same status is left alone, whoever has written it. */
function condition(object: ServiceCIDR, wanted: Condition): ServiceCidrStep {
  const stored = object.status?.conditions?.find(({ type }) => type === wanted.type);
  return stored?.status === wanted.status ? { kind: 'none' } : { kind: 'condition', condition: wanted };
}

/** Whether addresses of it would belong to no range without it. */
function isInUse(object: ServiceCIDR, { all, addresses }: ServiceCidrFacts): boolean {
  const staying = all
    .filter((other) => other.metadata?.name !== object.metadata?.name && !isDeleting(other))
    .flatMap(cidrsOf);
  return cidrsOf(object).some((cidr) => {
    if (staying.some((other) => other === cidr || isStrictlyWithin(cidr, other))) return false;
    return addressesWithin(addresses, cidr).some(
      (address) => !staying.some((other) => addressesWithin([address], other).length > 0),
    );
  });
}

function cidrsOf({ spec }: ServiceCIDR): readonly string[] {
  return (spec?.cidrs ?? []).filter(isCidr);
}
