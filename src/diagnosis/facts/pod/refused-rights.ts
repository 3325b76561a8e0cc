/** What an API server did not allow a pod's service account, and which bindings and roles nearly give it. Pure. */
import type { RoleBinding } from '../../../api/index.ts';
import { nearNames } from '../../../lib/index.ts';
import type { RoleEvidence } from '../../evidence/pod-evidence.ts';
import { rightInAddress } from './api-addresses.ts';
import type { RefusedRight } from './refused-right.ts';
import { roleText } from './role-texts.ts';

/** The words of an API server about a service account. */
const RBAC =
  /User \\?["']system:serviceaccount:([^"':]{1,253}):([^"'\\]{1,253})\\?["'] cannot (\w{1,40}) resource \\?["']([^"'\\]{1,253})\\?["'](.{0,300})/i;
const IN_NAMESPACE = /\bin the namespace \\?["']([^"'\\]{1,253})/i;
const IN_GROUP = /^ in API group \\?["']([^"'\\]{0,253})/i;
const OF_OBJECT = /\\?["']([^"'\\]{1,253})\\?["'] is forbidden: $/;

/** The right that a line says was refused; undefined: it speaks of none. */
export function refusedRight(line: string): RefusedRight | undefined {
  const match = RBAC.exec(line);
  const [, ofNamespace, account, verb, resource, rest = ''] = match ?? [];
  if (ofNamespace === undefined || account === undefined || verb === undefined || resource === undefined)
    return undefined;
  const namespace = IN_NAMESPACE.exec(rest)?.[1];
  const group = IN_GROUP.exec(rest)?.[1];
  const name = OF_OBJECT.exec(line.slice(0, match?.index))?.[1];
  return {
    account: { namespace: ofNamespace, name: account },
    verb,
    resource,
    ...(group !== undefined && { group }),
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
  };
}

/**
 * The right that the first of the lines speaks of: programs log the server's sentence, and end with the status of the answer. Of some the log
 * has no more than the address.
 *
 * @param account that of the pod, whose requests they are
 */
export function refusedRightIn(lines: readonly string[], account?: RefusedRight['account']): RefusedRight | undefined {
  const said = lines.flatMap((line) => refusedRight(line) ?? [])[0];
  if (said !== undefined || account === undefined) return said;
  return lines.flatMap((line) => (/\b403\b|forbidden/i.test(line) ? (rightInAddress(line, account) ?? []) : []))[0];
}

/** Whether the binding is for the account, also by the group of all of a namespace. */
export function namesAccount(
  { subjects = [] }: Pick<RoleBinding, 'subjects'>,
  account: RefusedRight['account'],
): boolean {
  const group = `system:serviceaccounts:${account.namespace}`;
  return subjects.some(({ kind, name, namespace }) =>
    kind === 'Group' ? name === group : name === account.name && (namespace ?? '') === account.namespace,
  );
}

/**
 * What a binding of the namespace has to do with it: " (RoleBinding watch gives Role watch to default/web instead)"; '': nothing is known.
 *
 * @param roles those that bindings give to the account; absent: they could not be read
 */
export function bindingText(
  right: RefusedRight,
  bindings: readonly RoleBinding[] | undefined,
  roles: readonly RoleEvidence[] = [],
): string {
  if (bindings === undefined) return '';
  const { account, namespace } = right;
  const subjectsOf = ({ subjects = [] }: RoleBinding): readonly string[] =>
    subjects.flatMap(({ kind, name, namespace: of }) => (kind === 'ServiceAccount' ? [`${of ?? ''}/${name}`] : []));
  const named = (one: RoleBinding): string => `${one.kind ?? 'RoleBinding'} ${one.metadata?.name ?? ''}`;
  const ofRole = ({ roleRef }: RoleBinding): string => `${roleRef.kind} ${roleRef.name}`;
  const told = (one: RoleBinding): string => `${named(one)} gives ${ofRole(one)}`;
  const here = bindings.filter(({ metadata }) => metadata?.namespace === undefined || metadata.namespace === namespace);
  const own = bindings.filter((one) => namesAccount(one, account));
  const exact = here.filter((one) => own.includes(one));
  if (namespace === undefined && own[0] !== undefined && own.every(({ kind }) => kind !== 'ClusterRoleBinding'))
    return ` (${told(own[0])} to it, which counts in its namespace only)`;
  for (const one of exact) {
    const why = whyNot(right, one, roles);
    if (why !== undefined) return ` (${named(one)} gives it ${ofRole(one)}, which ${why})`;
  }
  if (exact[0] !== undefined) return ` (${told(exact[0])} to it, and that does not hold this right)`;
  if (own[0] !== undefined && namespace !== undefined)
    return ` (${named(own[0])} of namespace ${own[0].metadata?.namespace ?? ''} gives ${ofRole(own[0])} to it, which counts in that namespace only; none of namespace ${namespace} names it)`;
  for (const one of here) {
    const other = subjectsOf(one).find((each) => each.endsWith(`/${account.name}`));
    if (other !== undefined) return ` (${told(one)} to ${other} instead)`;
  }
  const ofNamespace = here.filter((one) => subjectsOf(one).some((each) => each.startsWith(`${account.namespace}/`)));
  const [only, ...more] = ofNamespace;
  if (account.name === 'default' && only !== undefined && more.length === 0)
    return ` (${told(only)} to ${subjectsOf(only)[0]}, which its pod does not run as: serviceAccountName)`;
  if (namespace === undefined) return '';
  // Another account's binding may be meant for this one where its name is like it, or where the namespace has no other.
  const others = ofNamespace.flatMap((one) => subjectsOf(one).map((subject) => ({ one, subject })));
  const [near] = nearNames(
    account.name,
    others.map(({ subject }) => subject.slice(subject.indexOf('/') + 1)),
  );
  const meant = others.find(({ subject }) => near !== undefined && subject.endsWith(`/${near}`));
  const other = meant ?? (more.length === 0 ? others[0] : undefined);
  const given = other === undefined ? '' : `; ${told(other.one)} to ${other.subject}`;
  return ` (no RoleBinding of namespace ${namespace} names it${given})`;
}

function whyNot(
  right: RefusedRight,
  { roleRef, metadata }: RoleBinding,
  roles: readonly RoleEvidence[],
): string | undefined {
  const role = roles.find(
    ({ kind, name, namespace }) =>
      kind === roleRef.kind && name === roleRef.name && (namespace === undefined || namespace === metadata?.namespace),
  );
  return role === undefined ? undefined : roleText(right, role);
}
