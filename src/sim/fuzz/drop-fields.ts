/** A manifest without the fields that its refusal names: what is left is closer to what a server takes. Pure. */

type Step = string | number;

/** Steps from the top of a manifest that everything rests on: to take them away would leave no pod to try. */
const KEPT = [/^metadata$/, /^metadata\.(name|namespace)$/, /^spec$/, /^spec\.containers$/, /^spec\.containers\.0$/];

/**
 * @param fields paths as causes of a Status name them: "spec.volumes[0].hostPath.type", "metadata.labels[a.b/c]"
 * @returns a copy; of a field that is not there, because it is missing, what should hold it goes
 */
export function dropFields<T extends object>(manifest: T, fields: readonly string[]): T {
  const copy = structuredClone(manifest);
  // The last ones first: what is taken out of a list moves those behind it.
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

/** @returns false when there is nothing at the path */
function take(top: object, path: readonly Step[]): boolean {
  const last = path.at(-1) as Step;
  let holder: unknown = top;
  for (const step of path.slice(0, -1)) holder = (holder as Record<Step, unknown> | null | undefined)?.[step];
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, last)) return false;
  if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else delete (holder as Record<Step, unknown>)[last];
  return true;
}
