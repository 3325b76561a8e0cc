/** The same finding of many pods is said once: "3 of 5 pods: …". Pure. */
import type { RankedFinding } from '../finding.ts';

export interface PodFindings {
  /** As it is listed: "web-1", or "shop/web-1" where pods are of several namespaces. */
  readonly label: string;
  readonly name: string;
  readonly findings: readonly RankedFinding[];
}

export interface Grouping {
  /** What is said before: "3 of 5 pods"; nothing for an empty text. */
  readonly prefix: (labels: readonly string[]) => string;
  /** Pods of one template have one fault when rule and container are the same; of others, when all that is said is. */
  readonly sameTemplate: boolean;
}

export function groupFindings(
  all: readonly PodFindings[],
  { prefix, sameTemplate }: Grouping,
): readonly RankedFinding[] {
  const groups = new Map<string, { readonly first: RankedFinding; readonly name: string; readonly pods: string[] }>();
  for (const { label, name, findings } of all) {
    for (const finding of findings) {
      const key = keyOf(finding, sameTemplate, name);
      const known = groups.get(key);
      if (known === undefined) groups.set(key, { first: finding, name, pods: [label] });
      else if (!known.pods.includes(label)) known.pods.push(label);
    }
  }
  return [...groups.values()].map(({ first, name, pods }) => {
    // It speaks of several pods already.
    if (first.pods !== undefined) return first;
    const before = prefix(pods);
    const says = before === '' ? first.says : `${before}: ${first.says.replaceAll(`pod ${name}`, 'the pod')}`;
    return { ...first, says, pods };
  });
}

/** Exit codes differ in their sentence alone. */
function keyOf({ id, container = '', says, fallback }: RankedFinding, sameTemplate: boolean, name: string): string {
  const differs = !sameTemplate || (fallback === true && (id === 'exit-code' || id === 'signal'));
  return `${id}|${container}|${differs ? says.replaceAll(name, '') : ''}`;
}
