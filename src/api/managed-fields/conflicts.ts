/** Conflicts of an apply as its answer tells them (upstream: apimachinery, conflict.go). Pure. */
import { type FieldSet, pathsOf } from './field-set.ts';
import { managerId, printManager } from './managers.ts';
import type { Conflict } from './owners.ts';
import { compareText, printPath } from './path-element.ts';

export interface ConflictReport {
  readonly message: string;
  readonly causes: readonly { readonly reason: string; readonly message: string; readonly field: string }[];
}

export function reportConflicts(conflicts: readonly Conflict[]): ConflictReport {
  const sorted = conflicts
    .toSorted((a, b) => compareText(managerId(a.manager), managerId(b.manager)))
    .map(({ manager, set }) => ({ name: printManager(manager), fields: fieldsIn(set) }));
  const causes = sorted.flatMap(({ name, fields }) =>
    fields.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${name}`, field })),
  );
  const [only] = causes;
  if (causes.length === 1 && only !== undefined) {
    return { message: `Apply failed with 1 conflict: ${only.message}: ${only.field}`, causes };
  }
  const lines = sorted.flatMap(({ name, fields }) => [
    `conflicts with ${name}:`,
    ...fields.map((field) => `- ${field}`),
  ]);
  return { message: `Apply failed with ${causes.length} conflicts: ${lines.join('\n')}`, causes };
}

function fieldsIn(set: FieldSet): string[] {
  return pathsOf(set).map(printPath);
}
