/** The columns of bindings and of requests for certificates (upstream: printRoleBinding and its siblings). */
import type { CertificateSigningRequest, RbacSubject, RoleBinding } from '../../api/index.ts';
import { humanDuration } from './human-duration.ts';
import { ageColumn, column, nameColumn, since, type TableKind } from './table.ts';

export const bindingTable: TableKind = {
  columns: [
    nameColumn,
    column('Role', { description: 'The role that it grants.' }),
    ageColumn,
    column('Users', { wide: true, description: 'Users that have it.' }),
    column('Groups', { wide: true, description: 'Groups that have it.' }),
    column('ServiceAccounts', { wide: true, description: 'Service accounts that have it.' }),
  ],
  cells: (object, now) => {
    const { roleRef, subjects = [] } = object as unknown as RoleBinding;
    const named = (kind: string, print: (subject: RbacSubject) => string): string =>
      subjects
        .filter((subject) => subject.kind === kind)
        .map(print)
        .join(', ');
    return [
      object.metadata.name ?? '',
      `${roleRef.kind}/${roleRef.name}`,
      since(object.metadata.creationTimestamp, now),
      named('User', ({ name }) => name),
      named('Group', ({ name }) => name),
      named(
        'ServiceAccount',
        ({ name, namespace = '' }) => `${namespace || (object.metadata.namespace ?? '')}/${name}`,
      ),
    ];
  },
};

export const certificateRequestTable: TableKind = {
  columns: [
    nameColumn,
    ageColumn,
    column('SignerName', { description: 'Who is to sign it.' }),
    column('Requestor', { description: 'Who asked.' }),
    column('RequestedDuration', { description: 'For how long it was asked.' }),
    column('Condition', { description: 'What became of it.' }),
  ],
  cells: (object, now) => {
    const { spec, status } = object as unknown as CertificateSigningRequest;
    const { signerName, username = '', expirationSeconds } = spec;
    return [
      object.metadata.name ?? '',
      since(object.metadata.creationTimestamp, now),
      signerName || '<none>',
      username,
      expirationSeconds === undefined ? '<none>' : humanDuration(expirationSeconds * 1000),
      stateOf(status),
    ];
  },
};

function stateOf(status: CertificateSigningRequest['status']): string {
  const types = new Set((status?.conditions ?? []).map(({ type }) => type));
  const decision = types.has('Denied') ? 'Denied' : types.has('Approved') ? 'Approved' : 'Pending';
  const failed = types.has('Failed') ? ',Failed' : '';
  return `${decision}${failed}${status?.certificate ? ',Issued' : ''}`;
}
