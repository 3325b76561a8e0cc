/** Tells what a role lacks for a right that it nearly holds. Pure. */
import type { RoleEvidence } from '../../evidence/pod-evidence.ts';
import type { RefusedRight } from './refused-right.ts';
import { listed } from '../words/text.ts';

type Rule = NonNullable<RoleEvidence['rules']>[number];

const has = (all: readonly string[] | undefined, wanted: string): boolean =>
  all?.includes(wanted) === true || all?.includes('*') === true;

/** Whether a rule of the role holds the right. */
export function holdsRight(right: RefusedRight, { rules = [] }: RoleEvidence): boolean {
  return rules.some(
    (rule) =>
      isOfResource(right, rule) && isOfGroup(right, rule) && has(rule.verbs, right.verb) && isOfName(right, rule),
  );
}

/** "names deployments in apiGroup "", and they are in "apps""; undefined: the role holds the right, as far as can be seen. */
export function roleText(right: RefusedRight, role: RoleEvidence): string | undefined {
  if (role.missing === true) return 'does not exist';
  if (role.rules === undefined || holdsRight(right, role)) return undefined;
  const { resource, verb } = right;
  const ofResource = role.rules.filter((rule) => isOfResource(right, rule));
  const ofBoth = ofResource.filter((rule) => isOfGroup(right, rule));
  const [narrow] = ofBoth.filter((rule) => has(rule.verbs, verb) && !isOfName(right, rule));
  if (narrow !== undefined) {
    const none = NAMELESS.has(verb) ? `, and no ${verb} is of single names` : '';
    return `allows that of ${listed(narrow.resourceNames ?? [])} only${none}`;
  }
  const verbs = [...new Set(ofBoth.flatMap((rule) => rule.verbs))];
  if (verbs.length > 0) return `allows ${listed(verbs)} of ${resource}, and not ${verb}`;
  const [elsewhere] = ofResource;
  if (elsewhere !== undefined) {
    const groups = listed((elsewhere.apiGroups ?? []).map((group) => JSON.stringify(group)));
    return `names ${resource} in apiGroup ${groups}, and they are in ${JSON.stringify(right.group ?? '')}`;
  }
  const names = [...new Set(role.rules.flatMap((rule) => rule.resources ?? []))];
  const [base = '', sub] = resource.split('/');
  if (sub !== undefined && names.includes(base)) return `names ${base}, and not ${resource}`;
  const near = names.find((name) => isNearly(name, base));
  if (near !== undefined) return `names ${near}, and the resource is called ${resource}`;
  return `has nothing of ${resource}`;
}

/** Verbs about no single object. */
const NAMELESS: ReadonlySet<string> = new Set(['list', 'watch', 'create', 'deletecollection']);

function isOfResource({ resource }: RefusedRight, { resources = [] }: Rule): boolean {
  const [, sub] = resource.split('/');
  return has(resources, resource) || (sub !== undefined && resources.includes(`*/${sub}`));
}

function isOfGroup({ group }: RefusedRight, { apiGroups }: Rule): boolean {
  return group === undefined || has(apiGroups, group);
}

function isOfName({ name, verb }: RefusedRight, { resourceNames = [] }: Rule): boolean {
  if (resourceNames.length === 0) return true;
  return !NAMELESS.has(verb) && (name === undefined || resourceNames.includes(name));
}

/** "Deployment" and "deployment" are none of the resource deployments. */
function isNearly(name: string, resource: string): boolean {
  const plain = name.toLowerCase().split('.')[0] ?? '';
  return plain.length > 2 && [plain, `${plain}s`, `${plain}es`, `${plain.slice(0, -1)}ies`].includes(resource);
}
