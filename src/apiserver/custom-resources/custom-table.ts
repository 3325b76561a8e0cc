/** The columns of a custom resource, as its definition has them (upstream: tableconvertor). */
import {
  type DefinitionVersion,
  findByPath,
  type JsonPath,
  parseJsonPath,
  type PrinterColumn,
} from '../../api/index.ts';
import { parseTime } from '../../lib/index.ts';
import { humanDuration } from '../tables/human-duration.ts';
import { ageColumn, type Cell, type ColumnDefinition, nameColumn, since, type TableKind } from '../tables/table.ts';

/** Without columns of its own a kind shows its age. */
export function customTable({ additionalPrinterColumns = [] }: DefinitionVersion): TableKind {
  if (additionalPrinterColumns.length === 0) {
    return {
      columns: [nameColumn, ageColumn],
      cells: ({ metadata }, now) => [metadata.name ?? '', since(metadata.creationTimestamp, now)],
    };
  }
  const columns: readonly ColumnDefinition[] = [nameColumn, ...additionalPrinterColumns.map(columnOf)];
  let paths: readonly JsonPath[] | undefined;
  return {
    columns,
    cells: (object, now) => {
      // Most kinds are never shown: their paths are parsed for the first who asks.
      paths ??= additionalPrinterColumns.map(({ jsonPath }) => parseJsonPath(jsonPath));
      const cells = additionalPrinterColumns.map((column, position) =>
        cellOf(column, findByPath(paths?.[position] ?? [], object), now),
      );
      return [object.metadata.name ?? '', ...cells];
    },
  };
}

function columnOf({ name, type, format = '', description, priority = 0, jsonPath }: PrinterColumn): ColumnDefinition {
  return {
    name,
    type,
    format,
    description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority,
  };
}

/** The first value that the path finds, as a column of this type shows it; null: there is none, or of another type. */
function cellOf({ type }: PrinterColumn, found: readonly unknown[], now: number): Cell {
  const [value] = found;
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date': {
      const at = typeof value === 'string' ? parseTime(value) : undefined;
      return at === undefined ? '<invalid>' : humanDuration(now - at);
    }
    default:
      return found.map(textOf).join(',');
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
