/** The value of `mendlet.dev/avoid-nodes`: read leniently, since people may write it, and written within its bounds. Pure. */
import type { AvoidedNode } from './types.ts';

/** The newest ones; older ones are forgotten. */
export const MAX_AVOIDED_NODES = 16;
/** Characters of a cause. */
const MAX_CAUSE_LENGTH = 160;
/** Longest annotation that is read. */
const MAX_TEXT_LENGTH = 16 * 1024;

/**
 * Its entries that are still valid. An unreadable list avoids no node.
 * @param now wall ms
 */
export function readAvoidedNodes(text: string | undefined, now: number): readonly AvoidedNode[] {
  if (text === undefined || text.length > MAX_TEXT_LENGTH) return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  if (!Array.isArray(value)) return [];
  return value
    .filter(isAvoidedNode)
    .filter(({ until }) => Date.parse(until) > now)
    .slice(0, MAX_AVOIDED_NODES);
}

/** Newest first. */
export function formatAvoidedNodes(entries: readonly AvoidedNode[]): string {
  return JSON.stringify(
    entries.slice(0, MAX_AVOIDED_NODES).map(({ node, until, at, pod, cause }) => ({
      node,
      until,
      at,
      pod,
      cause: cause?.slice(0, MAX_CAUSE_LENGTH),
    })),
  );
}

function isAvoidedNode(value: unknown): value is AvoidedNode {
  if (typeof value !== 'object' || value === null) return false;
  const { node, until, at, pod, cause } = value as Readonly<Record<string, unknown>>;
  if (typeof node !== 'string' || node === '' || typeof until !== 'string') return false;
  return [at, pod, cause].every((text) => text === undefined || typeof text === 'string');
}
