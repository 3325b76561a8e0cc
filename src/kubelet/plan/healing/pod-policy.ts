/** The healing policy that a pod's annotation asks for, read once per text. Pure: the memo holds answers, no state. */
import {
  HEALING_POLICY,
  MAX_POLICY_BYTES,
  type Pod,
  readHealingPolicy,
  type ResolvedHealingPolicy,
} from '../../../api/index.ts';
import { errorMessage, parseDocument, fnv1a64 } from '../../../lib/index.ts';
import { MAX_POLICIES_READ } from '../limits.ts';

export type PodPolicy =
  | { readonly kind: 'none' }
  | { readonly kind: 'invalid'; readonly problem: string }
  /** `hash`: of the policy's meaning, not of its text. */
  | { readonly kind: 'valid'; readonly policy: ResolvedHealingPolicy; readonly hash: string };

export type ValidPolicy = Extract<PodPolicy, { kind: 'valid' }>;

const NONE: PodPolicy = { kind: 'none' };
const read = new Map<string, PodPolicy>();

/** Never throws: an unreadable policy is 'invalid', with the first error's field. */
export function podPolicy(pod: Pod): PodPolicy {
  const text = pod.metadata?.annotations?.[HEALING_POLICY];
  if (text === undefined) return NONE;
  const known = read.get(text);
  if (known !== undefined) return known;
  const policy = readPolicy(text);
  if (read.size >= MAX_POLICIES_READ) read.clear();
  read.set(text, policy);
  return policy;
}

function readPolicy(text: string): PodPolicy {
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > MAX_POLICY_BYTES) return invalid(`it has ${bytes} bytes, more than ${MAX_POLICY_BYTES}`);
  let value: unknown;
  try {
    value = parseDocument({ text, line: 1 });
  } catch (error) {
    return invalid(`it is neither JSON nor YAML: ${errorMessage(error)}`);
  }
  const reading = readHealingPolicy(value);
  if (reading.ok) {
    return { kind: 'valid', policy: reading.policy, hash: fnv1a64(JSON.stringify(reading.policy)) };
  }
  const [first] = reading.errors;
  const more = reading.errors.length > 1 ? ` (and ${reading.errors.length - 1} more)` : '';
  return invalid(first === undefined ? 'it cannot be read' : `${named(first.field)}${first.body}${more}`);
}

function named(field: string): string {
  return field === '' ? '' : `${field}: `;
}

function invalid(problem: string): PodPolicy {
  return { kind: 'invalid', problem: problem.split('\n')[0] ?? problem };
}
