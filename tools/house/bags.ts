/**
 * Finds functions that take a bag of more than eight fields that was made for them. A type is such a bag when it is put
 * together in a function's parameters (`{ … }`, `A & B`), or when it has a name and is input and no thing of its own: the name
 * ends in Options, Parts, Input, Context, Ports, Deps, Config, Setup or Wiring, or only parameters have the type: nothing
 * returns, contains or collects it. Bags may lie in bags: each is looked at. Fields of types that it extends or picks from
 * count, wherever these are declared. Flags of a command line are what a user types, and no bags; nor are the messages of CRI.
 */
import { isFunction, isNode, isOfTests, type SourceFile, type SyntaxNode, visit } from './source-file.ts';
import {
  argumentsOf,
  type Declaration,
  identifier,
  nodesOf,
  SAME_FIELDS,
  type TypeAt,
  TypeFields,
} from './type-fields.ts';

export const MAX_BAG_FIELDS = 8;

const BAG_NAME = /(Options|Parts|Inputs?|Context|Ports|Deps|Config|Setup|Wiring)$/;
/** Types that show the fields of their argument, or some of them. */
const VIEWS = new Set([...SAME_FIELDS, 'Pick', 'Omit']);
const FLAGS_NAME = /Flags$/;
/** The types of CRI, under the names that they have there. */
const STANDARD_TYPES = /^cri\/runtime\.ts$/;

export function findBags(files: readonly SourceFile[]): readonly string[] {
  const bags = new BagFinder(files.filter((each) => !isOfTests(each))).find();
  return bags
    .filter(({ fields }) => fields > MAX_BAG_FIELDS)
    .map(({ name, fields, place: { file, node } }) => {
      const at = `src/${file.path}:${file.lineAt(node.start)}`;
      return `${at}: ${name} has ${fields} fields; at most ${MAX_BAG_FIELDS} may be: part it by what belongs together`;
    });
}

interface Bag {
  readonly name: string;
  readonly fields: number;
  readonly place: TypeAt;
}

/** The type of a parameter, and the function that has it. */
interface Parameter {
  readonly type: TypeAt;
  readonly name: string;
}

class BagFinder {
  readonly #files: readonly SourceFile[];
  readonly #types: TypeFields;
  readonly #bags = new Map<string, Bag>();
  /** Declarations that something else than a parameter has. */
  readonly #things = new Set<SyntaxNode>();

  constructor(files: readonly SourceFile[]) {
    this.#files = files;
    this.#types = new TypeFields(files);
  }

  find(): readonly Bag[] {
    const parameters = this.#files.flatMap(parametersOf);
    for (const file of this.#files) this.#noteThings(file);
    for (const { type, name } of parameters) this.#look(type, `parameter of ${name}`);
    return [...this.#bags.values()];
  }

  #look(type: TypeAt, name: string): void {
    const { node, file } = type;
    if (node.type === 'TSUnionType')
      for (const each of nodesOf(node['types'])) this.#look({ ...type, node: each }, name);
    if (node.type === 'TSTypeLiteral' || node.type === 'TSIntersectionType') this.#add(name, type, type);
    if (node.type !== 'TSTypeReference') return;
    for (const reference of referencesIn(node)) {
      const found = this.#types.declaration(file, identifier(reference['typeName']) ?? '');
      if (found !== undefined && this.#isBag(found)) this.#add(found.name, type, found);
    }
  }

  /** @param place where it is told: the bag itself, not each function that takes it */
  #add(name: string, type: TypeAt, place: TypeAt): void {
    const key = `${place.file.path} ${name}`;
    const fields = this.#types.of(type);
    const known = this.#bags.get(key);
    if (known !== undefined && known.fields >= fields.size) return;
    this.#bags.set(key, { name, fields: fields.size, place });
    for (const [field, inner] of fields) if (inner !== undefined) this.#look(inner, `${name}, ${field}`);
  }

  #isBag({ name, file, node }: Declaration): boolean {
    if (FLAGS_NAME.test(name) || STANDARD_TYPES.test(file.path)) return false;
    return BAG_NAME.test(name) || !(this.#things.has(node) || this.#isView({ file, node }));
  }

  /** A name for a thing of its own without some of its fields, or with some that may be absent. */
  #isView({ file, node }: TypeAt): boolean {
    const parts = (each: SyntaxNode): readonly SyntaxNode[] =>
      each.type === 'TSIntersectionType' ? nodesOf(each['types']).flatMap(parts) : [each];
    const alias = node.type === 'TSTypeAliasDeclaration' ? node['typeAnnotation'] : undefined;
    if (!isNode(alias)) return false;
    return parts(alias).every((part) =>
      referencesIn(part).some((reference) => {
        const found = this.#types.declaration(file, identifier(reference['typeName']) ?? '');
        return found !== undefined && (this.#things.has(found.node) || this.#isView(found));
      }),
    );
  }

  #noteThings(file: SourceFile): void {
    const inputs = new Set<unknown>();
    visit(file.tree(), undefined, (node) => {
      for (const each of inputTypes(node).flatMap(referencesIn)) inputs.add(each);
      if (node.type !== 'TSTypeReference' || inputs.has(node)) return;
      const found = this.#types.declaration(file, identifier(node['typeName']) ?? '');
      if (found !== undefined) this.#things.add(found.node);
    });
  }
}

function parametersOf(file: SourceFile): readonly Parameter[] {
  const found: Parameter[] = [];
  visit<string>(file.tree(), 'a function', (node, outer) => {
    const name = nameOfFunction(node) ?? outer;
    if (isFunction(node)) {
      for (const each of nodesOf(node['params'])) {
        const type = annotationOf(patternOf(each));
        if (type !== undefined) found.push({ type: { file, node: type }, name });
      }
    }
    return name;
  });
  return found;
}

function nameOfFunction(node: SyntaxNode): string | undefined {
  return identifier(node['id'] ?? (node.type === 'MethodDefinition' ? node['key'] : undefined));
}

/** The types of parameters, and of the variables and fields that keep what came as a parameter. */
function inputTypes(node: SyntaxNode): readonly SyntaxNode[] {
  if (isFunction(node)) return nodesOf(node['params']).flatMap((each) => annotationOf(patternOf(each)) ?? []);
  const kept = node.type === 'PropertyDefinition' ? node : node.type === 'VariableDeclarator' ? node['id'] : undefined;
  return isNode(kept) ? [annotationOf(kept) ?? []].flat() : [];
}

/** A parameter without its default, and without `private`. */
function patternOf(parameter: SyntaxNode): SyntaxNode {
  const plain = parameter.type === 'TSParameterProperty' ? parameter['parameter'] : parameter;
  const pattern = isNode(plain) && plain.type === 'AssignmentPattern' ? plain['left'] : plain;
  return isNode(pattern) ? pattern : parameter;
}

function annotationOf(node: SyntaxNode): SyntaxNode | undefined {
  const annotation = node['typeAnnotation'];
  const type = isNode(annotation) ? annotation['typeAnnotation'] : undefined;
  return isNode(type) ? type : undefined;
}

/** `Partial<A> | Pick<B, 'b'>`: the references to A and B. */
function referencesIn(type: SyntaxNode): readonly SyntaxNode[] {
  if (type.type === 'TSUnionType') return nodesOf(type['types']).flatMap(referencesIn);
  if (type.type !== 'TSTypeReference') return [];
  const [first] = VIEWS.has(identifier(type['typeName']) ?? '') ? argumentsOf(type) : [];
  return first === undefined ? [type] : referencesIn(first);
}
