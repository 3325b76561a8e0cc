/**
 * Reads the struct types of a gofmt-ed Go package: enough Go for Kubernetes' `types.go` files, no more. Gives exact JSON
 * names (from the json tags), Go types and the `+marker` comments; never keeps prose.
 */
export interface GoField {
  /** '' for an inlined struct. */
  readonly jsonName: string;
  readonly inline: boolean;
  readonly omitempty: boolean;
  readonly omitzero: boolean;
  /** Go type expression, package aliases resolved to import paths: `[]k8s.io/api/core/v1.Container`. */
  readonly type: string;
  readonly markers: readonly string[];
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
}

export type GoType =
  | { readonly kind: 'struct'; readonly fields: readonly GoField[]; readonly markers: readonly string[] }
  | { readonly kind: 'named'; readonly type: string };

/** Parses one file's type declarations. `packagePath` qualifies the names that the file uses without a package. */
export function parseGoFile(text: string, packagePath: string): Map<string, GoType> {
  const resolve = resolver(text, packagePath);
  const types = new Map<string, GoType>();
  const lines = text.split('\n');
  let markers: string[] = [];
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? '';
    if (line.startsWith('//')) {
      markers.push(...markersOf(line));
      continue;
    }
    const struct = /^type (\w+) struct \{(\})?$/.exec(line);
    const named = /^type (\w+) (?!struct|interface|func)([\w.*[\]]+)(?:\s+\/\/.*)?$/.exec(line);
    if (struct?.[1] !== undefined) {
      const end = struct[2] === undefined ? lines.indexOf('}', i) : i;
      types.set(struct[1], { kind: 'struct', fields: parseFields(lines.slice(i + 1, end), resolve), markers });
      i = Math.max(i, end);
    } else if (named?.[1] !== undefined && named[2] !== undefined) {
      types.set(named[1], { kind: 'named', type: resolve(named[2]) });
    }
    // A blank line ends a doc comment, except that markers may stand one blank line above (`// +genclient`).
    if (line !== '') markers = [];
  }
  return types;
}

function markersOf(line: string): string[] {
  const marker = /^\s*\/\/\s*\+([\w:.-]+(?:=.*)?)$/.exec(line)?.[1];
  return marker === undefined ? [] : [marker.trim()];
}

function parseFields(lines: readonly string[], resolve: (type: string) => string): GoField[] {
  const fields: GoField[] = [];
  let markers: string[] = [];
  for (const line of lines) {
    if (/^\s*\/\//.test(line)) {
      markers.push(...markersOf(line));
      continue;
    }
    const match = /^\t(?:(\w+)\s+)?([\w.*[\]]+)\s+`(.*)`/.exec(line);
    if (match?.[2] !== undefined && match[3] !== undefined) {
      const field = parseField(match[2], match[3], markers, resolve);
      if (field !== undefined) fields.push(field);
    }
    if (line.trim() !== '') markers = [];
  }
  return fields;
}

function parseField(
  type: string,
  tag: string,
  markers: readonly string[],
  resolve: (type: string) => string,
): GoField | undefined {
  const json = /json:"([^"]*)"/.exec(tag)?.[1];
  if (json === undefined || json === '-') return undefined;
  const [jsonName = '', ...options] = json.split(',');
  const patchStrategy = /patchStrategy:"([^"]*)"/.exec(tag)?.[1];
  const patchMergeKey = /patchMergeKey:"([^"]*)"/.exec(tag)?.[1];
  return {
    jsonName,
    inline: options.includes('inline') || jsonName === '',
    omitempty: options.includes('omitempty'),
    omitzero: options.includes('omitzero'),
    type: resolve(type),
    markers,
    ...(patchStrategy === undefined ? {} : { patchStrategy }),
    ...(patchMergeKey === undefined ? {} : { patchMergeKey }),
  };
}

const BUILT_IN = new Set([
  'string',
  'bool',
  'int',
  'int32',
  'int64',
  'uint8',
  'uint32',
  'uint64',
  'float64',
  'byte',
  'rune',
  'any',
]);

function resolver(text: string, packagePath: string): (type: string) => string {
  const imports = new Map<string, string>();
  for (const match of text.matchAll(/^(?:import )?\t?(?:([\w.]+) )?"([\w./-]+)"$/gm)) {
    const path = match[2] ?? '';
    imports.set(match[1] ?? path.slice(path.lastIndexOf('/') + 1), path);
  }
  return (type) =>
    type.replace(/(?:(\w+)\.)?(\w+)/g, (name: string, alias: string | undefined, local: string) => {
      if (alias !== undefined) return `${imports.get(alias) ?? alias}.${local}`;
      return BUILT_IN.has(name) || name === 'map' ? name : `${packagePath}.${name}`;
    });
}
