/** Server-side tables (meta.k8s.io Table): the columns and cells that kubectl prints. */
import { formatTime, parseTime } from '../../lib/index.ts';
import type { ApiObject } from '../registry/object.ts';
import { humanDuration } from './human-duration.ts';

export type Cell = string | number | boolean | null;

export interface ColumnDefinition {
  readonly name: string;
  /** "string", "integer", "boolean" … */
  readonly type: string;
  /** "name" marks the column that names the object. */
  readonly format: string;
  readonly description: string;
  /** 0: always printed; 1: with `-o wide` only. */
  readonly priority: number;
}

export interface RowCondition {
  readonly type: 'Completed';
  readonly status: 'True';
  readonly reason: string;
  readonly message: string;
}

/** How one kind is printed. */
export interface TableKind {
  readonly columns: readonly ColumnDefinition[];
  /** One cell per column; `now`: wall ms. */
  cells(object: ApiObject, now: number): readonly Cell[];
  conditions?(object: ApiObject): readonly RowCondition[];
  /** How the rows of a list are sorted; absent: by their names. */
  order?(a: ApiObject, b: ApiObject): number;
}

interface ColumnOptions {
  readonly type?: ColumnDefinition['type'];
  readonly format?: string;
  readonly wide?: boolean;
  readonly description?: string;
}

export function column(name: string, options: ColumnOptions = {}): ColumnDefinition {
  return {
    name,
    type: options.type ?? 'string',
    format: options.format ?? '',
    description: options.description ?? `${name} of the object.`,
    priority: options.wide === true ? 1 : 0,
  };
}

export const nameColumn: ColumnDefinition = column('Name', {
  format: 'name',
  description: 'Name within its namespace.',
});
export const ageColumn: ColumnDefinition = column('Age', { description: 'Time since its creation.' });

/** How long ago an RFC 3339 time was, "<unknown>" without one. */
export function since(time: string | undefined, now: number): string {
  const at = parseTime(time);
  return at === undefined ? '<unknown>' : humanDuration(now - at);
}

/** For kinds without columns of their own (upstream: the default table convertor). */
export const defaultTable: TableKind = {
  columns: [nameColumn, column('Created At', { description: 'When it was created.' })],
  cells: (object) => {
    const created = parseTime(object.metadata.creationTimestamp);
    return [object.metadata.name ?? '', created === undefined ? '<unknown>' : formatTime(created)];
  },
};
