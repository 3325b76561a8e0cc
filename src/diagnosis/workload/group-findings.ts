/** Merges the same finding of several pods into one: "3 of 5 pods: …". Pure. */
import type { RankedFinding } from '../finding.ts';
import { ordered } from '../order-findings.ts';

export interface PodFindings {
  /** The name in lists: "web-1", or "shop/web-1" for pods of several namespaces. */
  readonly label: string;
  readonly name: string;
  readonly findings: readonly RankedFinding[];
}

export interface Grouping {
  /** The text before a finding: "3 of 5 pods"; an empty text adds nothing. */
  readonly prefix: (labels: readonly string[]) => string;
  /** True: findings of the same rule and container are merged. False: only findings with the same text are. */
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
    // The finding is about several pods already.
    if (first.pods !== undefined) return first;
    const before = prefix(pods);
    const says = before === '' ? first.says : `${before}: ${first.says.replaceAll(`pod ${name}`, 'the pod')}`;
    return { ...first, says, pods };
  });
}

/**
 * The most significant cause among findings, for a sentence about what follows from it: "container web ends with exit code 1".
 * Hints are no causes.
 */
export function causeText(found: readonly RankedFinding[]): string | undefined {
  return causeOf(found)?.says.replace(
    /^(?:(?:\d+ of )?\d+ (?:\w+ )?pods?(?: \([^)]{1,300}\))?|index \d{1,6}(?: \(\d{1,4} pods\))?): /,
    '',
  );
}

/** That cause itself. */
export function causeOf(found: readonly RankedFinding[]): RankedFinding | undefined {
  return ordered(found).find(({ severity, id }) => severity !== 'info' && id !== 'healing-stopped');
}

/** The key of equal findings. Different exit codes are different findings, which only their text shows. */
function keyOf({ id, container = '', says, fallback }: RankedFinding, sameTemplate: boolean, name: string): string {
  const differs = !sameTemplate || (fallback === true && (id === 'exit-code' || id === 'signal'));
  // Names of the members of a set differ in their ordinals.
  return `${id}|${container}|${differs ? says.replaceAll(name, '').replaceAll(/([a-z])-?\d+\b/gi, '$1#') : ''}`;
}
