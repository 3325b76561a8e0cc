/** Which fields an object type has, also where it is put together from types of other files: the compiler's answer, without it. */
import { dirname, join } from 'node:path/posix';
import { isNode, type SourceFile, type SyntaxNode, visit } from './source-file.ts';

/** A type where it is written, with what stands for the type parameters there. */
export interface TypeAt {
  readonly file: SourceFile;
  readonly node: SyntaxNode;
  readonly bound?: ReadonlyMap<string, TypeAt>;
}

/** An interface or a named type. */
export interface Declaration extends TypeAt {
  readonly name: string;
}

/** By name; `undefined`: its type is not written. */
export type Fields = ReadonlyMap<string, TypeAt | undefined>;

interface FileTypes {
  readonly declared: ReadonlyMap<string, SyntaxNode>;
  /** By the name here: where it comes from, and its name there. */
  readonly imported: ReadonlyMap<string, { readonly from: string; readonly name: string }>;
  /** Files all of whose names this one passes on. */
  readonly passedOn: readonly string[];
}

/** Types that keep the fields of their argument. */
export const SAME_FIELDS = new Set(['Partial', 'Readonly', 'Required', 'NonNullable']);

export class TypeFields {
  readonly #files: ReadonlyMap<string, SourceFile>;
  readonly #types = new Map<string, FileTypes>();

  constructor(files: readonly SourceFile[]) {
    this.#files = new Map(files.map((file) => [file.path, file]));
  }

  /** What a name means in a file, through imports and doors; `undefined`: no object type of these files. */
  declaration(file: SourceFile, name: string): Declaration | undefined {
    return this.#find(file.path, name, new Set());
  }

  /** The fields of an object type with their types, inherited ones included; of a union, those of its biggest member. */
  of(type: TypeAt, within: readonly SyntaxNode[] = []): Fields {
    const { node, file } = type;
    if (within.includes(node)) return new Map();
    const inner = (each: SyntaxNode, bound = type.bound) =>
      this.of({ file, node: each, ...(bound && { bound }) }, [...within, node]);
    switch (node.type) {
      case 'TSTypeLiteral':
        return membersOf(type, node['members']);
      case 'TSParenthesizedType':
        return inner(node['typeAnnotation'] as SyntaxNode);
      case 'TSIntersectionType':
        return new Map(nodesOf(node['types']).flatMap((each) => [...inner(each)]));
      case 'TSUnionType':
        return nodesOf(node['types'])
          .map((each) => inner(each))
          .reduce<Fields>((most, each) => (each.size > most.size ? each : most), new Map());
      case 'TSInterfaceDeclaration': {
        const body = node['body'] as SyntaxNode;
        const bases = nodesOf(node['extends']).flatMap((base) => [
          ...this.#ofReference(type, base['expression'], argumentsOf(base), [...within, node]),
        ]);
        return new Map([...bases, ...membersOf(type, body['body'])]);
      }
      case 'TSTypeAliasDeclaration':
        return inner(node['typeAnnotation'] as SyntaxNode);
      case 'TSTypeReference':
        return this.#ofReference(type, node['typeName'], argumentsOf(node), [...within, node]);
      default:
        return new Map();
    }
  }

  #ofReference(at: TypeAt, named: unknown, args: readonly SyntaxNode[], within: readonly SyntaxNode[]): Fields {
    const name = identifier(named) ?? '';
    const bound = at.bound?.get(name);
    if (bound !== undefined) return this.of(bound, within);
    const here = (node: SyntaxNode): TypeAt => ({ ...at, node });
    const [first, second] = args;
    if (first !== undefined && SAME_FIELDS.has(name)) return this.of(here(first), within);
    if (first !== undefined && second !== undefined && (name === 'Pick' || name === 'Omit')) {
      const keys = new Set(textsOf(second));
      return new Map([...this.of(here(first), within)].filter(([key]) => keys.has(key) === (name === 'Pick')));
    }
    const found = this.declaration(at.file, name);
    if (found === undefined) return new Map();
    const parameters = nodesOf((found.node['typeParameters'] as SyntaxNode | undefined)?.['params']);
    const pairs = parameters.flatMap((parameter, index) => {
      const arg = args[index] ?? parameter['default'];
      return isNode(arg) ? [[identifier(parameter['name']) ?? '', here(arg)] as const] : [];
    });
    return this.of({ ...found, bound: new Map(pairs) }, within);
  }

  #find(path: string, name: string, seen: Set<string>): Declaration | undefined {
    const file = this.#files.get(path);
    if (file === undefined || seen.has(path)) return undefined;
    seen.add(path);
    const types = this.#typesOf(file);
    const node = types.declared.get(name);
    if (node !== undefined) return { name, file, node };
    const imported = types.imported.get(name);
    if (imported !== undefined) return this.#find(imported.from, imported.name, new Set());
    for (const from of types.passedOn) {
      const found = this.#find(from, name, seen);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #typesOf(file: SourceFile): FileTypes {
    const known = this.#types.get(file.path);
    if (known !== undefined) return known;
    const types = readTypes(file);
    this.#types.set(file.path, types);
    return types;
  }
}

function readTypes(file: SourceFile): FileTypes {
  const declared = new Map<string, SyntaxNode>();
  const imported = new Map<string, { readonly from: string; readonly name: string }>();
  const passedOn: string[] = [];
  visit(file.tree(), undefined, (node) => {
    const name = identifier(node['id']);
    if (name !== undefined && /^TS(Interface|TypeAlias)Declaration$/.test(node.type)) declared.set(name, node);
    if (!/^(ImportDeclaration|ExportNamedDeclaration|ExportAllDeclaration)$/.test(node.type)) return;
    const source = isNode(node['source']) ? node['source']['value'] : undefined;
    if (typeof source !== 'string' || !source.startsWith('.')) return;
    const from = join(dirname(file.path), source);
    if (node.type === 'ExportAllDeclaration') passedOn.push(from);
    for (const each of nodesOf(node['specifiers'])) {
      const isImport = node.type === 'ImportDeclaration';
      const there = identifier(isImport ? each['imported'] : each['local']);
      const here = identifier(isImport ? each['local'] : each['exported']);
      if (there !== undefined && here !== undefined) imported.set(here, { from, name: there });
    }
  });
  return { declared, imported, passedOn };
}

function membersOf(at: TypeAt, members: unknown): Fields {
  return new Map(
    nodesOf(members).flatMap((member) => {
      const key = member['key'];
      if (!isNode(key)) return [];
      const name = identifier(key) ?? (typeof key['value'] === 'string' ? key['value'] : undefined);
      const annotation = member['typeAnnotation'];
      const type = isNode(annotation) ? annotation['typeAnnotation'] : undefined;
      return name === undefined ? [] : [[name, isNode(type) ? { ...at, node: type } : undefined] as const];
    }),
  );
}

/** `Base<A, B>`: A and B. */
export function argumentsOf(node: SyntaxNode): readonly SyntaxNode[] {
  const found = node['typeArguments'] ?? node['typeParameters'];
  return isNode(found) ? nodesOf(found['params']) : [];
}

/** The literals of `'a' | 'b'`. */
function textsOf(node: SyntaxNode): readonly string[] {
  if (node.type === 'TSUnionType') return nodesOf(node['types']).flatMap(textsOf);
  const literal = node.type === 'TSLiteralType' ? node['literal'] : undefined;
  return isNode(literal) && typeof literal['value'] === 'string' ? [literal['value']] : [];
}

export function nodesOf(value: unknown): readonly SyntaxNode[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

export function identifier(value: unknown): string | undefined {
  return isNode(value) && typeof value['name'] === 'string' ? value['name'] : undefined;
}
