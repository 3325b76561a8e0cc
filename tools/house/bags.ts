/**
 * Finds functions that take a bag of more than eight fields that was made for them. An object type is such a bag when it
 * stands in a function's parameters, or is declared in the same file as a function (or constructor) that has it as the type
 * of a parameter, and its name says that it is input and no thing of its own: it ends in Options, Parts, Input, Context,
 * Ports, Deps, Config, Setup or Wiring. Fields of types that it extends in the same file count.
 */
import { isFunction, isNode, isOfTests, type SourceFile, type SyntaxNode, visit } from './source-file.ts';

export const MAX_BAG_FIELDS = 8;

const BAG_NAME = /(Options|Parts|Inputs?|Context|Ports|Deps|Config|Setup|Wiring)$/;

/** @param allowed "FILE TYPE" → most fields that it may have; one that got smaller must say so, and one within bounds must leave */
export function findBags(files: readonly SourceFile[], allowed: Readonly<Record<string, number>>): readonly string[] {
  const problems: string[] = [];
  const seen = new Map<string, number>();
  for (const file of files.filter((each) => !isOfTests(each))) {
    for (const { name, fields, offset } of bagsOf(file)) {
      if (fields <= MAX_BAG_FIELDS) continue;
      const key = `${file.path} ${name}`;
      seen.set(key, fields);
      if (fields <= (allowed[key] ?? 0)) continue;
      const most = allowed[key] ?? MAX_BAG_FIELDS;
      problems.push(
        `src/${file.path}:${file.lineAt(offset)}: ${name} has ${fields} fields; at most ${most} may be: part it by what belongs together`,
      );
    }
  }
  for (const [key, most] of Object.entries(allowed)) {
    const fields = seen.get(key);
    if (fields === undefined)
      problems.push(`tools/house/exceptions.ts:1: "${key}" is not too big (any more): strike it out`);
    else if (fields < most) problems.push(`tools/house/exceptions.ts:1: "${key}" has ${fields} fields now: write that`);
  }
  return problems;
}

interface Bag {
  readonly name: string;
  readonly fields: number;
  readonly offset: number;
}

function bagsOf(file: SourceFile): readonly Bag[] {
  const declared = declaredTypes(file);
  const found = new Map<string, Bag>();
  visit<string>(file.tree(), 'a function', (node, outer) => {
    const name = nameOfFunction(node) ?? outer;
    if (!isFunction(node)) return name;
    for (const type of parameterTypes(node)) {
      if (type.type === 'TSTypeLiteral') {
        const literal = `parameter of ${name}`;
        found.set(literal, { name: literal, fields: membersOf(type).length, offset: type.start });
      }
      const reference = type.type === 'TSTypeReference' ? identifier(type['typeName']) : undefined;
      const declaration = reference === undefined ? undefined : declared.get(reference);
      if (reference === undefined || declaration === undefined || !BAG_NAME.test(reference)) continue;
      found.set(reference, { name: reference, fields: fieldsOf(reference, declared), offset: declaration.start });
    }
    return name;
  });
  return [...found.values()];
}

function nameOfFunction(node: SyntaxNode): string | undefined {
  const named = node['id'] ?? (node.type === 'MethodDefinition' ? node['key'] : undefined);
  return identifier(named);
}

function identifier(value: unknown): string | undefined {
  return isNode(value) && typeof value['name'] === 'string' ? value['name'] : undefined;
}

function parameterTypes(node: SyntaxNode): readonly SyntaxNode[] {
  const parameters = Array.isArray(node['params']) ? node['params'].filter(isNode) : [];
  return parameters.flatMap((parameter) => {
    const plain = parameter.type === 'AssignmentPattern' ? parameter['left'] : parameter;
    const annotation = isNode(plain) ? plain['typeAnnotation'] : undefined;
    const type = isNode(annotation) ? annotation['typeAnnotation'] : undefined;
    return isNode(type) ? [type] : [];
  });
}

/** Interfaces, and names of object types. */
function declaredTypes(file: SourceFile): ReadonlyMap<string, SyntaxNode> {
  const found = new Map<string, SyntaxNode>();
  visit(file.tree(), undefined, (node) => {
    const name = identifier(node['id']);
    if (name !== undefined && /^TS(Interface|TypeAlias)Declaration$/.test(node.type)) found.set(name, node);
  });
  return found;
}

function fieldsOf(name: string, declared: ReadonlyMap<string, SyntaxNode>): number {
  const node = declared.get(name);
  if (node === undefined) return 0;
  const body = node['body'] ?? node['typeAnnotation'];
  const bases = Array.isArray(node['extends']) ? node['extends'].filter(isNode) : [];
  const inherited = bases.map((base) => fieldsOf(identifier(base['expression']) ?? '', declared));
  return inherited.reduce((sum, count) => sum + count, isNode(body) ? membersOf(body).length : 0);
}

function membersOf(node: SyntaxNode): readonly unknown[] {
  const members = node['members'] ?? node['body'];
  return Array.isArray(members) ? members : [];
}
