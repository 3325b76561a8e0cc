/** What an API server did not allow a pod's service account, and which bindings nearly give it. Pure. */
import type { RoleBinding } from '../../api/index.ts';

export interface RefusedRight {
  readonly account: { readonly namespace: string; readonly name: string };
  readonly verb: string;
  readonly resource: string;
  /** Absent: for the whole cluster. */
  readonly namespace?: string;
}

/** The words of an API server about a service account. */
const RBAC =
  /User \\?["']system:serviceaccount:([^"':]{1,253}):([^"'\\]{1,253})\\?["'] cannot (\w{1,40}) resource \\?["']([^"'\\]{1,253})\\?["'](.{0,300})/i;
const IN_NAMESPACE = /\bin the namespace \\?["']([^"'\\]{1,253})/i;

/** The right that a line says was refused; undefined: it speaks of none. */
export function refusedRight(line: string): RefusedRight | undefined {
  const [, ofNamespace, name, verb, resource, rest = ''] = RBAC.exec(line) ?? [];
  if (ofNamespace === undefined || name === undefined || verb === undefined || resource === undefined) return undefined;
  const namespace = IN_NAMESPACE.exec(rest)?.[1];
  return { account: { namespace: ofNamespace, name }, verb, resource, ...(namespace !== undefined && { namespace }) };
}

/** The right that the first of the lines speaks of: programs log the server's sentence, and end with the status of the answer. */
export function refusedRightIn(lines: readonly string[]): RefusedRight | undefined {
  return lines.flatMap((line) => refusedRight(line) ?? [])[0];
}

/** What a binding of the namespace has to do with it: " (RoleBinding watch gives Role watch to default/web instead)"; '': nothing is known. */
export function bindingText(right: RefusedRight, bindings: readonly RoleBinding[] | undefined): string {
  if (bindings === undefined) return '';
  const { account, namespace } = right;
  const subjectsOf = ({ subjects = [] }: RoleBinding): readonly string[] =>
    subjects.flatMap(({ kind, name, namespace: of }) => (kind === 'ServiceAccount' ? [`${of ?? ''}/${name}`] : []));
  const told = (one: RoleBinding): string =>
    `RoleBinding ${one.metadata?.name ?? ''} gives ${one.roleRef.kind} ${one.roleRef.name}`;
  const own = `${account.namespace}/${account.name}`;
  const exact = bindings.find((one) => subjectsOf(one).includes(own));
  if (exact !== undefined && namespace === undefined)
    return ` (${told(exact)} to it, which counts in its namespace only)`;
  if (exact !== undefined) return ` (${told(exact)} to it, and that does not hold this right)`;
  for (const one of bindings) {
    const other = subjectsOf(one).find((each) => each.endsWith(`/${account.name}`));
    if (other !== undefined) return ` (${told(one)} to ${other} instead)`;
  }
  const ofNamespace = bindings.filter((one) =>
    subjectsOf(one).some((each) => each.startsWith(`${account.namespace}/`)),
  );
  const [only, ...more] = ofNamespace;
  if (account.name === 'default' && only !== undefined && more.length === 0)
    return ` (${told(only)} to ${subjectsOf(only)[0]}, which its pod does not run as: serviceAccountName)`;
  return namespace === undefined ? '' : ` (no RoleBinding of namespace ${namespace} names it)`;
}
