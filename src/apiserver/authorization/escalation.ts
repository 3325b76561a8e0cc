/**
 * Refuses grants of rights that the user does not hold (upstream: ConfirmNoEscalation and the `Covers` of component-helpers/auth/rbac). Pure.
 *
 *   rules to grant → single rights (one verb, one resource, one name) → those that no held rule covers
 */
import type { PolicyRule } from '../../api/index.ts';
import type { UserInfo } from '../../lib/index.ts';
import { urlCovers } from './rules.ts';

const ALL = '*';

/** The reason why `user`, who holds `held`, may not grant `wanted`; undefined when he may. */
export function problemOfGrant(
  user: UserInfo,
  held: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
  resolution?: string,
): string | undefined {
  const missing = uncovered(held, wanted);
  if (missing.length === 0) return undefined;
  const lines = [...new Set(compact(missing).map(printRule))].toSorted();
  const who = `user ${JSON.stringify(user.name)} (groups=${printList(user.groups)})`;
  const errors = resolution === undefined ? '' : `; resolution errors: [${resolution}]`;
  return `${who} is attempting to grant RBAC permissions not currently held:\n${lines.join('\n')}${errors}`;
}

/** The single rights of `wanted` that no rule of `held` covers. */
export function uncovered(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return wanted.flatMap(singleRights).filter((right) => !held.some((rule) => covers(rule, right)));
}

/** A rule as all the single rights that it is made of. */
function singleRights(rule: PolicyRule): PolicyRule[] {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const onResources = apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) => {
        const right = { verbs: [verb], apiGroups: [group], resources: [resource] };
        return resourceNames.length === 0
          ? [right]
          : resourceNames.map((name) => ({ ...right, resourceNames: [name] }));
      }),
    ),
  );
  const onPaths = nonResourceURLs.flatMap((url) => verbs.map((verb) => ({ verbs: [verb], nonResourceURLs: [url] })));
  return [...onResources, ...onPaths];
}

function covers(rule: PolicyRule, right: PolicyRule): boolean {
  if (!holdsAll(rule.verbs, right.verbs)) return false;
  const urls = right.nonResourceURLs ?? [];
  if (urls.length > 0) return urls.every((url) => (rule.nonResourceURLs ?? []).some((held) => urlCovers(held, url)));
  return (
    holdsAll(rule.apiGroups, right.apiGroups) &&
    (right.resources ?? []).every((resource) => coversResource(rule.resources, resource)) &&
    coversNames(rule.resourceNames, right.resourceNames)
  );
}

function holdsAll(held: readonly string[] | undefined = [], wanted: readonly string[] | undefined = []): boolean {
  return held.includes(ALL) || wanted.every((value) => held.includes(value));
}

function coversResource(held: readonly string[] | undefined = [], resource: string): boolean {
  if (held.includes(ALL) || held.includes(resource)) return true;
  const slash = resource.indexOf('/');
  return slash >= 0 && held.includes(`${ALL}${resource.slice(slash)}`);
}

function coversNames(held: readonly string[] | undefined = [], wanted: readonly string[] | undefined = []): boolean {
  return held.length === 0 || (wanted.length > 0 && wanted.every((name) => held.includes(name)));
}

/** Rights on the same thing as one rule with all their verbs (upstream: CompactRules). */
function compact(rights: readonly PolicyRule[]): PolicyRule[] {
  const found = new Map<string, PolicyRule>();
  for (const right of rights) {
    if (right.nonResourceURLs !== undefined) {
      found.set(JSON.stringify(right), right);
      continue;
    }
    const key = JSON.stringify([right.apiGroups, right.resources, right.resourceNames]);
    const known = found.get(key);
    found.set(key, known === undefined ? right : { ...known, verbs: [...known.verbs, ...right.verbs] });
  }
  return [...found.values()];
}

/** `{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}` */
export function printRule(rule: PolicyRule): string {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ['APIGroups', apiGroups],
    ['Resources', resources],
    ['NonResourceURLs', nonResourceURLs],
    ['ResourceNames', resourceNames],
    ['Verbs', verbs],
  ];
  const texts = parts.filter(([, list]) => list.length > 0).map(([name, list]) => `${name}:${printList(list)}`);
  return `{${texts.join(', ')}}`;
}

function printList(list: readonly string[]): string {
  return `[${list.map((text) => JSON.stringify(text)).join(' ')}]`;
}
