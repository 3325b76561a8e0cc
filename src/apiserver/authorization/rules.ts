/** Decides whether a rule of a role covers a request (upstream: rbac.RuleAllows). Pure. */
import type { PolicyRule } from '../../api/index.ts';
import type { AccessRequest, ResourceAccess } from './access-request.ts';

const ALL = '*';

export function rulesAllow(rules: readonly PolicyRule[], request: AccessRequest): boolean {
  return rules.some((rule) => ruleAllows(rule, request));
}

export function ruleAllows(rule: PolicyRule, request: AccessRequest): boolean {
  if (!hasOrAll(rule.verbs, request.verb)) return false;
  if (request.kind === 'path') return (rule.nonResourceURLs ?? []).some((url) => urlCovers(url, request.path));
  return (
    hasOrAll(rule.apiGroups, request.group) &&
    resourcesCover(rule.resources, request) &&
    namesCover(rule.resourceNames, request.name)
  );
}

function hasOrAll(list: readonly string[] | undefined = [], value: string): boolean {
  return list.includes(ALL) || list.includes(value);
}

/** "*" is everything with all its subresources, the same with a slash and a name that subresource of everything. */
function resourcesCover(
  resources: readonly string[] | undefined = [],
  { resource, subresource }: Pick<ResourceAccess, 'resource' | 'subresource'>,
): boolean {
  const asked = subresource === '' ? resource : `${resource}/${subresource}`;
  if (hasOrAll(resources, asked)) return true;
  return subresource !== '' && resources.includes(`${ALL}/${subresource}`);
}

/** A rule with names covers no request without one: no list and no create. */
function namesCover(names: readonly string[] | undefined = [], name: string): boolean {
  return names.length === 0 || names.includes(name);
}

/** "*" alone, the same path, or one that begins with what stands before a trailing "*". */
export function urlCovers(url: string, path: string): boolean {
  if (url === ALL || url === path) return true;
  return url.endsWith(ALL) && path.startsWith(url.replace(/\*+$/, ''));
}
