/** Removes the fields that a refusal names from a manifest, so that a server is more likely to accept the rest. Pure. */

type Step = string | number;

/** Fields that are never removed, because no pod would be left without them. */
const KEPT = [/^metadata$/, /^metadata\.(name|namespace)$/, /^spec$/, /^spec\.containers$/, /^spec\.containers\.0$/];

/**
 * @param fields paths as causes of a Status name them: "spec.volumes[0].hostPath.type", "metadata.labels[a.b/c]"
 * @returns a copy; for a field that does not exist, e.g. a missing required one, its nearest existing parent is removed
 */
export function dropFields<T extends object>(manifest: T, fields: readonly string[]): T {
  const copy = structuredClone(manifest);
  // The last fields first, because a removal from a list moves the later items.
  for (const field of fields.toSorted().toReversed()) drop(copy, stepsOf(field));
  return copy;
}

function stepsOf(field: string): readonly Step[] {
  return [...field.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)].map(([, key, name]) => {
    if (name !== undefined) return name;
    return /^\d+$/.test(key ?? '') ? Number(key) : (key ?? '');
  });
}

function drop(top: object, steps: readonly Step[]): void {
  for (let length = steps.length; length > 0; length--) {
    const path = steps.slice(0, length);
    if (KEPT.some((kept) => kept.test(path.join('.')))) return;
    if (take(top, path)) return;
  }
}

/** Removes the field at the path. @returns false when it does not exist */
function take(top: object, path: readonly Step[]): boolean {
  const last = path.at(-1) as Step;
  let holder: unknown = top;
  for (const step of path.slice(0, -1)) holder = (holder as Record<Step, unknown> | null | undefined)?.[step];
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, last)) return false;
  if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else delete (holder as Record<Step, unknown>)[last];
  return true;
}
