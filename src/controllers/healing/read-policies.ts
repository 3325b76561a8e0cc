/** Healing policies as the controller needs them: checked, in the order in which they win, with the text for pods. Pure. */
import {
  formatHealingPolicy,
  type HealingPolicy,
  type Labels,
  labelSelectorOf,
  matchesLabels,
  nameOf,
  type ParsedLabelSelector,
  printFieldErrors,
  readHealingPolicy,
  SelectorError,
  uidOf,
} from '../../api/index.ts';

export interface ReadPolicy {
  readonly name: string;
  readonly priority: number;
  /** Undefined: it selects nothing. */
  readonly selector: ParsedLabelSelector | undefined;
  /** Value of `mendlet.dev/healing-policy`. */
  readonly text: string;
  /** Value of `mendlet.dev/healing-policy-from`. */
  readonly from: string;
  /** Why no pod heals by it. Only a server that does not know our rules lets one like this in. */
  readonly problem?: string;
}

const known = new WeakMap<HealingPolicy, ReadPolicy>();

/** Once per version of a policy. */
export function readPolicy(policy: HealingPolicy): ReadPolicy {
  const before = known.get(policy);
  if (before !== undefined) return before;
  const read = readIt(policy);
  known.set(policy, read);
  return read;
}

function readIt(policy: HealingPolicy): ReadPolicy {
  const spec = policy.spec ?? {};
  const reading = readHealingPolicy(spec, 'spec');
  const selector = selectorOf(policy);
  const problem = reading.ok ? selector.problem : printFieldErrors(reading.errors);
  return {
    name: nameOf(policy),
    priority: spec.priority ?? 0,
    selector: selector.parsed,
    text: formatHealingPolicy(spec),
    from: `${nameOf(policy)}/${uidOf(policy)}/${policy.metadata?.generation ?? 0}`,
    ...(problem === undefined ? {} : { problem }),
  };
}

function selectorOf({ spec }: HealingPolicy): { readonly parsed?: ParsedLabelSelector; readonly problem?: string } {
  try {
    const parsed = labelSelectorOf(spec?.selector);
    return parsed === undefined ? { problem: 'spec.selector: Required value' } : { parsed };
  } catch (error) {
    if (error instanceof SelectorError) return { problem: `spec.selector: ${error.message}` };
    throw error;
  }
}

export function selects({ selector }: ReadPolicy, labels: Labels | undefined): boolean {
  return selector !== undefined && matchesLabels(selector, labels);
}

/** The one by which a pod with these labels heals: the highest priority, then the first by name. */
export function winnerFor(policies: readonly ReadPolicy[], labels: Labels | undefined): ReadPolicy | undefined {
  return policies
    .filter((policy) => policy.problem === undefined && selects(policy, labels))
    .toSorted((a, b) => b.priority - a.priority || (a.name < b.name ? -1 : 1))[0];
}

/** Name and UID of the policy in an annotation `mendlet.dev/healing-policy-from`. */
export function originOf(from: string | undefined): string | undefined {
  return from?.split('/').slice(0, 2).join('/');
}
